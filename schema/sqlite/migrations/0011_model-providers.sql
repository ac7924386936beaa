CREATE TABLE `model_providers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`name` text NOT NULL,
	`provider` text NOT NULL,
	`url` text NOT NULL,
	`models` text NOT NULL,
	`key_hint` text NOT NULL,
	`secret` integer,
	`key` blob,
	`created_at` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `model_providers_by_owner` ON `model_providers` (`owner_id`,`id`);