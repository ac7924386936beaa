CREATE TABLE `ticket_updates` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`ticket` integer NOT NULL,
	`request` text NOT NULL,
	FOREIGN KEY (`ticket`) REFERENCES `tickets`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ticket_updates_by_request` ON `ticket_updates` (`ticket`,`request`);