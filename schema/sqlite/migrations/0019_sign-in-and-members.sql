CREATE TABLE `links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`digest` text NOT NULL,
	`mailed_digest` text,
	`user_id` integer,
	`account_id` integer,
	`permissions` text,
	`email` text,
	`inviter_id` integer,
	`created_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`used_at` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`account_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `links_digest_unique` ON `links` (`digest`);--> statement-breakpoint
CREATE UNIQUE INDEX `links_mailed_digest_unique` ON `links` (`mailed_digest`);--> statement-breakpoint
CREATE INDEX `links_by_user` ON `links` (`user_id`);--> statement-breakpoint
CREATE INDEX `links_by_account` ON `links` (`account_id`,`id`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`credential` text NOT NULL,
	`public_key` blob NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`name` text NOT NULL,
	`created_at` text NOT NULL,
	`last_used_at` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential_unique` ON `passkeys` (`credential`);--> statement-breakpoint
CREATE INDEX `passkeys_by_user` ON `passkeys` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `passwords` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`changed_at` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`digest` text NOT NULL,
	`account_id` integer,
	`browser` text NOT NULL,
	`created_at` text NOT NULL,
	`last_used_at` text NOT NULL,
	`expires_at` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_digest_unique` ON `sessions` (`digest`);--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `members` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`permissions` text NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `members_by_account` ON `members` (`account_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `members_by_user` ON `members` (`user_id`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `account_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Until now a key acted for its user's own account, and everybody could do everything there.
UPDATE `api_keys` SET `account_id` = `user_id`;
--> statement-breakpoint
-- changes rows of: members
INSERT INTO `members` (`account_id`, `user_id`, `permissions`, `created_at`)
SELECT `id`, `id`, '["REPLY_CONVERSATION","MANAGE_AGENTS","MANAGE_KNOWLEDGE_BASE","CONFIGURE_BUSINESS","CREATE_TICKET","MANAGE_AGENT_SETTINGS","SEND_INVITE","MANAGE_API_KEY","VIEW_ANALYTICS","MANAGE_BILLING"]', `created_at` FROM `users`;
