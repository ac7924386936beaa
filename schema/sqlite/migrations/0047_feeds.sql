CREATE TABLE `feed_exclusions` (
	`feed_id` integer NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`feed_id`, `key`),
	FOREIGN KEY (`feed_id`) REFERENCES `feeds`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `feeds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`config` text NOT NULL,
	`secret` blob,
	`every` text NOT NULL,
	`interval_minutes` integer NOT NULL,
	`folder_id` integer,
	`cursor` text,
	`state` text NOT NULL,
	`error` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`awaiting_removal` integer DEFAULT 0 NOT NULL,
	`may_remove` integer DEFAULT false NOT NULL,
	`last` text,
	`next_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`folder_id`) REFERENCES `knowledge_folders`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `feeds_by_agent` ON `feeds` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `feeds_by_folder` ON `feeds` (`folder_id`);--> statement-breakpoint
ALTER TABLE `knowledge_folders` ADD `review_by` text;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `feed_id` integer;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `origin_key` text;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `origin_changed_at` text;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `checked_at` text;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `changed_at` text;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `review_by` text;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `stale` text;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `contradicts_id` integer;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `misses` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `is_gone` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `knowledge_sources_by_feed` ON `knowledge_sources` (`feed_id`,`origin_key`) WHERE "knowledge_sources"."feed_id" is not null;