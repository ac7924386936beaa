CREATE TABLE `vocabularies` (
	`agent_id` integer PRIMARY KEY NOT NULL,
	`terms` text NOT NULL,
	`version` integer NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
