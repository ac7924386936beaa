CREATE TABLE `visitor_seen` (
	`conversation` integer PRIMARY KEY NOT NULL,
	`message` integer NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
