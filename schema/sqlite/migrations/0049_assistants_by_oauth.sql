CREATE TABLE `grants` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`account_id` integer NOT NULL,
	`client` text NOT NULL,
	`name` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`permissions` text NOT NULL,
	`challenge` text NOT NULL,
	`code_digest` text NOT NULL,
	`code_until` text NOT NULL,
	`key_id` integer,
	`family_digest` text,
	`refresh_digest` text,
	`expires_at` text NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `grants_code_digest_unique` ON `grants` (`code_digest`);--> statement-breakpoint
CREATE UNIQUE INDEX `grants_family_digest_unique` ON `grants` (`family_digest`);--> statement-breakpoint
CREATE INDEX `grants_by_user` ON `grants` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `grants_by_key` ON `grants` (`key_id`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `via` text DEFAULT 'hand' NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `client` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `token_until` text;