CREATE TABLE `page_choices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` integer NOT NULL,
	`page` text NOT NULL,
	`choice` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `knowledge_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `page_choices_by_site` ON `page_choices` (`site_id`,`page`);--> statement-breakpoint
CREATE TABLE `site_pages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`source_id` integer NOT NULL,
	`address` text NOT NULL,
	`url` text NOT NULL,
	`etag` text,
	`last_modified` text,
	`content_hash` text NOT NULL,
	`title` text,
	`links` text NOT NULL,
	FOREIGN KEY (`source_id`) REFERENCES `knowledge_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `site_pages_by_source` ON `site_pages` (`source_id`);
--> statement-breakpoint
-- What was remembered in the rows of sources goes, uncounted: every page is fetched and read once more when its site is looked at again.
DROP TRIGGER `knowledge_sources_stored`;
--> statement-breakpoint
DROP TRIGGER `knowledge_sources_stored_anew`;
--> statement-breakpoint
DROP TRIGGER `knowledge_sources_stored_no_more`;
--> statement-breakpoint
UPDATE `stored_bytes` SET `bytes` = `bytes` - (SELECT coalesce(sum(length(CAST(`fetched` AS BLOB))), 0) FROM `knowledge_sources` WHERE `knowledge_sources`.`owner_id` = `stored_bytes`.`owner_id`);
--> statement-breakpoint
ALTER TABLE `knowledge_sources` DROP COLUMN `fetched`;
--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_stored` AFTER INSERT ON `knowledge_sources` BEGIN
	INSERT INTO `stored_bytes` (`owner_id`, `bytes`) VALUES (NEW.`owner_id`, (CASE WHEN NEW.`file_blob` IS NULL THEN 0 ELSE CAST(NEW.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN NEW.`text_blob` IS NULL THEN 0 ELSE NEW.`total_training_usage_bytes` END))
	ON CONFLICT (`owner_id`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;
--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_stored_anew` AFTER UPDATE OF `file_blob`, `text_blob`, `metadata`, `total_training_usage_bytes` ON `knowledge_sources` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` + (CASE WHEN NEW.`file_blob` IS NULL THEN 0 ELSE CAST(NEW.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN NEW.`text_blob` IS NULL THEN 0 ELSE NEW.`total_training_usage_bytes` END) - (CASE WHEN OLD.`file_blob` IS NULL THEN 0 ELSE CAST(OLD.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN OLD.`text_blob` IS NULL THEN 0 ELSE OLD.`total_training_usage_bytes` END) WHERE `owner_id` = NEW.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_stored_no_more` AFTER DELETE ON `knowledge_sources` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` - (CASE WHEN OLD.`file_blob` IS NULL THEN 0 ELSE CAST(OLD.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN OLD.`text_blob` IS NULL THEN 0 ELSE OLD.`total_training_usage_bytes` END) WHERE `owner_id` = OLD.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `site_pages_stored` AFTER INSERT ON `site_pages` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` + (length(CAST(NEW.`address` || NEW.`url` || coalesce(NEW.`etag`, '') || coalesce(NEW.`last_modified`, '') || NEW.`content_hash` || coalesce(NEW.`title`, '') AS BLOB)) + length(NEW.`links`)) WHERE `owner_id` = NEW.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `site_pages_stored_no_more` AFTER DELETE ON `site_pages` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` - (length(CAST(OLD.`address` || OLD.`url` || coalesce(OLD.`etag`, '') || coalesce(OLD.`last_modified`, '') || OLD.`content_hash` || coalesce(OLD.`title`, '') AS BLOB)) + length(OLD.`links`)) WHERE `owner_id` = OLD.`owner_id`;
END;
