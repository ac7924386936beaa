CREATE TABLE `businesses` (
	`owner_id` integer PRIMARY KEY NOT NULL,
	`time_zone` text NOT NULL,
	`hours` text,
	`closed_on` text NOT NULL,
	`notices` text NOT NULL,
	`updated_at` text,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
