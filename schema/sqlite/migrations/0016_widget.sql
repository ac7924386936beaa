CREATE TABLE `widget_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`name` text NOT NULL,
	`origins` text NOT NULL,
	`identity_secrets` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`secret` integer NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `widget_keys_by_agent` ON `widget_keys` (`agent_id`);--> statement-breakpoint
ALTER TABLE `visitors` ADD `subject` text;--> statement-breakpoint
CREATE UNIQUE INDEX `visitors_by_subject` ON `visitors` (`agent_id`,`subject`);--> statement-breakpoint
-- What seals the secrets of a key is destroyed soon after it, whoever deleted the row, an agent's deletion included.
CREATE TRIGGER `widget_keys_deleted` AFTER DELETE ON `widget_keys` BEGIN
	INSERT OR IGNORE INTO `doomed_secrets` VALUES (OLD.`secret`);
END;
