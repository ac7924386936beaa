CREATE TABLE `conversation_events` (
	`conversation` integer NOT NULL,
	`seq` integer NOT NULL,
	`type` text NOT NULL,
	`message` integer NOT NULL,
	PRIMARY KEY(`conversation`, `seq`),
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `conversations` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`alias` text,
	`agent_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`visitor` text,
	`channel` text NOT NULL,
	`status` text NOT NULL,
	`handled_by` text NOT NULL,
	`person` integer,
	`episode` integer NOT NULL,
	`epoch` integer NOT NULL,
	`language` text,
	`outcome` text,
	`tickets` text NOT NULL,
	`messages` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`last_message_at` text,
	`revision` integer NOT NULL,
	`secret` integer NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `conversations_by_id` ON `conversations` (`id`);--> statement-breakpoint
CREATE INDEX `conversations_by_owner` ON `conversations` (`owner_id`,`number`);--> statement-breakpoint
CREATE INDEX `conversations_by_agent` ON `conversations` (`agent_id`,`number`);--> statement-breakpoint
CREATE INDEX `conversations_by_visitor` ON `conversations` (`visitor`);--> statement-breakpoint
CREATE UNIQUE INDEX `conversations_by_alias` ON `conversations` (`agent_id`,`alias`);--> statement-breakpoint
CREATE TABLE `messages` (
	`conversation` integer NOT NULL,
	`seq` integer NOT NULL,
	`id` text NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`replaces` text,
	`score` integer,
	`client_id` text,
	`answered_by` text,
	`model` text,
	`agent_version` integer,
	`usage` text,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`sealed` blob NOT NULL,
	PRIMARY KEY(`conversation`, `seq`),
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_by_id` ON `messages` (`id`);--> statement-breakpoint
CREATE INDEX `messages_unfinished` ON `messages` (`status`);--> statement-breakpoint
CREATE TABLE `model_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`conversation` integer,
	`day` integer NOT NULL,
	`model` text NOT NULL,
	`provider` text NOT NULL,
	`outcome` text NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cached_tokens` integer NOT NULL,
	`cost` integer,
	`first_ms` integer,
	`total_ms` integer
);
--> statement-breakpoint
CREATE INDEX `model_runs_by_owner` ON `model_runs` (`owner_id`,`day`);--> statement-breakpoint
CREATE INDEX `model_runs_by_agent` ON `model_runs` (`agent_id`,`day`);--> statement-breakpoint
CREATE TABLE `visitors` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`agent_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`verified` integer NOT NULL,
	`created_at` text NOT NULL,
	`last_seen_at` text NOT NULL,
	`secret` integer NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `visitors_by_id` ON `visitors` (`id`);--> statement-breakpoint
CREATE INDEX `visitors_by_agent` ON `visitors` (`agent_id`,`number`);--> statement-breakpoint
CREATE TABLE `doomed_secrets` (
	`secret` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE `users` ADD `tally` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- What was said is sealed with a secret of its own; it is destroyed soon after, whoever deleted the row, an agent's deletion included.
CREATE TRIGGER `conversations_deleted` AFTER DELETE ON `conversations` BEGIN
	INSERT OR IGNORE INTO `doomed_secrets` VALUES (OLD.`secret`);
END;
--> statement-breakpoint
CREATE TRIGGER `visitors_deleted` AFTER DELETE ON `visitors` BEGIN
	INSERT OR IGNORE INTO `doomed_secrets` VALUES (OLD.`secret`);
END;
