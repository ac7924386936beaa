CREATE TABLE `push_calls` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` integer NOT NULL,
	`conversation` integer NOT NULL,
	`message` integer NOT NULL,
	`epoch` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `push_subscriptions`(`session_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `push_calls_by_session` ON `push_calls` (`session_id`,`conversation`);--> statement-breakpoint
CREATE INDEX `push_calls_by_conversation` ON `push_calls` (`conversation`);--> statement-breakpoint
CREATE TABLE `push_subscriptions` (
	`session_id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`host` text NOT NULL,
	`language` text NOT NULL,
	`digest` text NOT NULL,
	`sealed` blob NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `push_subscriptions_digest_unique` ON `push_subscriptions` (`digest`);--> statement-breakpoint
CREATE INDEX `push_subscriptions_by_user` ON `push_subscriptions` (`user_id`);--> statement-breakpoint
CREATE TABLE `saved_replies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`user_id` integer,
	`key` text NOT NULL,
	`texts` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_replies_by_key` ON `saved_replies` (`owner_id`,lower("key")) WHERE "saved_replies"."user_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX `saved_replies_by_own_key` ON `saved_replies` (`owner_id`,`user_id`,lower("key")) WHERE "saved_replies"."user_id" is not null;--> statement-breakpoint
CREATE INDEX `saved_replies_by_owner` ON `saved_replies` (`owner_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `saved_replies_by_user` ON `saved_replies` (`user_id`);