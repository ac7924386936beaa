CREATE TABLE `blob_pieces` (
	`blob` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`data` blob NOT NULL,
	PRIMARY KEY(`blob`, `ordinal`)
);
--> statement-breakpoint
CREATE TABLE `blobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `blobs_by_state` ON `blobs` (`state`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`subject` integer NOT NULL,
	`owner` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due` integer NOT NULL,
	`leased_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_by_subject` ON `jobs` (`kind`,`subject`);--> statement-breakpoint
CREATE INDEX `jobs_by_due` ON `jobs` (`leased_until`,`due`);--> statement-breakpoint
CREATE INDEX `jobs_by_owner` ON `jobs` (`owner`,`leased_until`);--> statement-breakpoint
CREATE TABLE `knowledge_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agent_id` integer NOT NULL,
	`source` integer NOT NULL,
	`data` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `knowledge_events_by_agent` ON `knowledge_events` (`agent_id`,`id`);--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `file_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `file_blob` integer;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `text_blob` integer;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `plain_text` text;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `crawl` text;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `fetched` text;--> statement-breakpoint
CREATE INDEX `knowledge_sources_by_file` ON `knowledge_sources` (`file_path`);