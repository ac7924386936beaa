CREATE TABLE `figure_parts` (
	`agent_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`day` integer NOT NULL,
	`by` text NOT NULL,
	`value` text NOT NULL,
	`name` text NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `day`, `by`, `value`, `name`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `figure_parts_by_owner` ON `figure_parts` (`owner_id`,`by`,`day`);--> statement-breakpoint
CREATE TABLE `reviews` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`conversation` integer NOT NULL,
	`seq` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`reason` text NOT NULL,
	`created_at` text NOT NULL,
	`verdict` text,
	`person` integer,
	`reviewed_at` text,
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reviews_once` ON `reviews` (`conversation`,`seq`);--> statement-breakpoint
CREATE INDEX `reviews_open_by_owner` ON `reviews` (`owner_id`,`number`) WHERE "reviews"."verdict" is null;--> statement-breakpoint
CREATE INDEX `reviews_open_by_agent` ON `reviews` (`agent_id`,`number`) WHERE "reviews"."verdict" is null;--> statement-breakpoint
CREATE TABLE `satisfactions` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`conversation` integer NOT NULL,
	`episode` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`score` integer,
	`outcome` text NOT NULL,
	`agent_version` integer,
	`person` integer,
	`channel` text NOT NULL,
	`language` text,
	`asked_at` text NOT NULL,
	`answered_at` text,
	`sealed` blob,
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `satisfactions_by_id` ON `satisfactions` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `satisfactions_once` ON `satisfactions` (`conversation`,`episode`);--> statement-breakpoint
CREATE INDEX `satisfactions_by_owner` ON `satisfactions` (`owner_id`,`number`) WHERE "satisfactions"."score" is not null;--> statement-breakpoint
CREATE INDEX `satisfactions_by_agent` ON `satisfactions` (`agent_id`,`number`) WHERE "satisfactions"."score" is not null;--> statement-breakpoint
ALTER TABLE `businesses` ADD `targets` text DEFAULT '{"first_reply":null,"next_reply":null}' NOT NULL;--> statement-breakpoint
ALTER TABLE `businesses` ADD `asks_satisfaction` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `conversations` ADD `reply_due_for` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `reply_due_at` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `overdue_at` text;--> statement-breakpoint
CREATE INDEX `conversations_by_owner_overdue` ON `conversations` (`owner_id`,`number`) WHERE "conversations"."overdue_at" is not null;--> statement-breakpoint
ALTER TABLE `episodes` ADD `parts` text;