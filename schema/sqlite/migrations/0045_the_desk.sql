CREATE TABLE `conversation_tags` (
	`account_id` integer NOT NULL,
	`tag` text NOT NULL,
	`conversation` integer NOT NULL,
	PRIMARY KEY(`account_id`, `tag`, `conversation`),
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `conversation_tags_by_conversation` ON `conversation_tags` (`conversation`);--> statement-breakpoint
CREATE TABLE `hands` (
	`owner_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`capacity` integer,
	`called_at` integer,
	PRIMARY KEY(`owner_id`, `user_id`),
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `hands_by_user` ON `hands` (`user_id`);--> statement-breakpoint
ALTER TABLE `conversations` ADD `assignee` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `offered_to` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `offered_until` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `priority` text;--> statement-breakpoint
ALTER TABLE `conversations` ADD `tags` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `conversations` ADD `snoozed_until` text;--> statement-breakpoint
CREATE INDEX `conversations_by_owner_person` ON `conversations` (`owner_id`,`person`) WHERE "conversations"."person" is not null;--> statement-breakpoint
CREATE INDEX `conversations_by_owner_assignee` ON `conversations` (`owner_id`,`assignee`) WHERE "conversations"."assignee" is not null;--> statement-breakpoint
CREATE INDEX `conversations_by_owner_offered_to` ON `conversations` (`owner_id`,`offered_to`) WHERE "conversations"."offered_to" is not null;--> statement-breakpoint
CREATE INDEX `conversations_by_owner_priority` ON `conversations` (`owner_id`,`priority`) WHERE "conversations"."priority" is not null;--> statement-breakpoint
CREATE INDEX `conversations_by_owner_snoozed` ON `conversations` (`owner_id`,`number`) WHERE "conversations"."snoozed_until" is not null;