CREATE TABLE `account_events` (
	`owner_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`type` integer NOT NULL,
	`conversation` integer NOT NULL,
	`message` integer NOT NULL,
	`gone` text,
	PRIMARY KEY(`owner_id`, `seq`),
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `duties` (
	`owner_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`on` integer NOT NULL,
	PRIMARY KEY(`owner_id`, `user_id`),
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `episodes` (
	`conversation` integer NOT NULL,
	`episode` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`began_at` text,
	`asked_at` text,
	`reason` text,
	`taken_at` text,
	`ended_at` text NOT NULL,
	`outcome` text NOT NULL,
	`reopened_at` text,
	PRIMARY KEY(`conversation`, `episode`),
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `episodes_by_owner` ON `episodes` (`owner_id`,`ended_at`);--> statement-breakpoint
CREATE TABLE `notes` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`conversation` integer NOT NULL,
	`person` integer NOT NULL,
	`created_at` text NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notes_by_id` ON `notes` (`id`);--> statement-breakpoint
CREATE INDEX `notes_by_conversation` ON `notes` (`conversation`);--> statement-breakpoint
ALTER TABLE `conversations` ADD `speaker` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `reason` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `closed_at` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `reopened_at` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `successor` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `course` text DEFAULT '{"began_at":null,"asked_at":null,"asked_for":null,"taken_at":null,"hops":[],"unknowns":0,"failures":0,"is_cited":false,"is_confirmed":false,"is_unanswered":false,"is_ticketed":false,"boundary":0,"transfer":0,"passed_for":"","waits":0}' NOT NULL;--> statement-breakpoint
CREATE INDEX `conversations_queued` ON `conversations` (`owner_id`) WHERE "conversations"."handled_by" = 'queue';--> statement-breakpoint
ALTER TABLE `messages` ADD `author` integer;--> statement-breakpoint
ALTER TABLE `messages` ADD `unknown` integer DEFAULT false NOT NULL;