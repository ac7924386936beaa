CREATE TABLE `seen_marks` (
	`conversation` integer NOT NULL,
	`user_id` integer NOT NULL,
	`message` integer NOT NULL,
	PRIMARY KEY(`conversation`, `user_id`),
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `seen_marks_by_user` ON `seen_marks` (`user_id`);