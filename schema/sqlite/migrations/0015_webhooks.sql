CREATE TABLE `vault_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`description` text NOT NULL,
	`is_active` integer NOT NULL,
	`secret` blob NOT NULL,
	`previous_secret` blob,
	`previous_until` integer,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhooks_by_owner` ON `webhooks` (`owner_id`,`id`);--> statement-breakpoint
CREATE INDEX `outbox_by_age` ON `outbox` (`owner_id`,`id`);