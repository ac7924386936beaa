CREATE TABLE `reserved_tickets` (
	`id` text PRIMARY KEY NOT NULL,
	`conversation` integer NOT NULL,
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reserved_tickets_conversation_unique` ON `reserved_tickets` (`conversation`);