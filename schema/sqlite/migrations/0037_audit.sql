CREATE TABLE `audit_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`at` text NOT NULL,
	`user_id` integer,
	`by` text NOT NULL,
	`key_id` integer,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`fields` text NOT NULL,
	`previous` text NOT NULL,
	`hash` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `audit_events_by_owner` ON `audit_events` (`owner_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_by_user` ON `audit_events` (`owner_id`,`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_by_target` ON `audit_events` (`owner_id`,`target`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_by_age` ON `audit_events` (`at`);