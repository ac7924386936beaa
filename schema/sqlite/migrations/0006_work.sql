CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`channel` text NOT NULL,
	`key` text NOT NULL,
	`about` text NOT NULL,
	`payload` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`is_open` integer NOT NULL,
	`external_id` text,
	`error` text,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbox_by_key` ON `outbox` (`key`);--> statement-breakpoint
CREATE INDEX `outbox_by_owner` ON `outbox` (`owner_id`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `outbox_by_about` ON `outbox` (`about`);--> statement-breakpoint
DROP INDEX `jobs_by_owner`;--> statement-breakpoint
DROP INDEX `jobs_by_due`;--> statement-breakpoint
ALTER TABLE `jobs` ADD `asked` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `jobs` ADD `lane` text DEFAULT 'here' NOT NULL;--> statement-breakpoint
ALTER TABLE `jobs` ADD `payload` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `error` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `died` integer;--> statement-breakpoint
CREATE INDEX `jobs_by_asked` ON `jobs` (`asked`);--> statement-breakpoint
CREATE INDEX `jobs_by_due` ON `jobs` (`lane`,`leased_until`,`due`);
--> statement-breakpoint
-- Jobs that wait began to do so as long before they are due as they may have been asked to: the hours until a site is looked at again, and never more than
-- an hour for what is tried again.
UPDATE `jobs` SET `asked` = `due` - 3600000000 * max(1, coalesce((SELECT json_extract(`crawl`, '$.refresh_hours') FROM `knowledge_sources` WHERE `id` = `subject`), 1));--> statement-breakpoint
-- What waits for others, sites, Drive and the service for embeddings, has places of its own.
UPDATE `jobs` SET `lane` = 'outside' WHERE `kind` = 'embed' OR `subject` IN (SELECT `id` FROM `knowledge_sources` WHERE `type` <> 'text' AND `file_blob` IS NULL);--> statement-breakpoint
-- What a source leaves behind goes with it, as before, but of the jobs only its own: numbers of other things are the same as a source's.
DROP TRIGGER `knowledge_sources_leave_nothing`;--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_leave_nothing` AFTER DELETE ON `knowledge_sources` BEGIN
	UPDATE `blobs` SET `state` = 'dropped' WHERE `id` IN (OLD.`file_blob`, OLD.`text_blob`);
	UPDATE `trainings` SET `state` = 'removed' WHERE `source` = OLD.`id`;
	DELETE FROM `jobs` WHERE `kind` IN ('train', 'embed') AND `subject` = OLD.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `outbox_leaves_no_job` AFTER DELETE ON `outbox` BEGIN
	DELETE FROM `jobs` WHERE `kind` = 'deliver' AND `subject` = OLD.`id`;
END;
