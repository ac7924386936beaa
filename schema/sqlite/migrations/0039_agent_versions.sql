CREATE TABLE `agent_versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agent_id` integer NOT NULL,
	`number` integer NOT NULL,
	`copy_of` integer,
	`known_as` integer,
	`published_by` integer,
	`published_at` text NOT NULL,
	`expires_at` text,
	`secret` integer NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_versions_by_number` ON `agent_versions` (`agent_id`,`number`);--> statement-breakpoint
CREATE INDEX `agent_versions_by_name` ON `agent_versions` (`agent_id`,`known_as`);--> statement-breakpoint
CREATE INDEX `agent_versions_by_expiry` ON `agent_versions` (`expires_at`);--> statement-breakpoint
ALTER TABLE `agents` ADD `publish_on_save` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `agents` ADD `live_version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `agents` ADD `draft` text;--> statement-breakpoint
-- A version's secret is destroyed with it, whoever deleted it: its agent, its account, or the time of a replaced draft.
CREATE TRIGGER `agent_versions_deleted` AFTER DELETE ON `agent_versions` BEGIN
	INSERT OR IGNORE INTO `doomed_secrets` VALUES (OLD.`secret`);
END;
