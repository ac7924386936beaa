-- writes the schema itself
-- changes rows of: stored_bytes
-- Nobody owns an agent that was deleted: `owner_id` may be null. Made anew, the table would forget which ids it gave.
DROP TRIGGER `knowledge_sources_stored`;
--> statement-breakpoint
DROP TRIGGER `knowledge_sources_stored_anew`;
--> statement-breakpoint
DROP TRIGGER `knowledge_sources_stored_no_more`;
--> statement-breakpoint
DROP TRIGGER `site_pages_stored`;
--> statement-breakpoint
DROP TRIGGER `site_pages_stored_no_more`;
--> statement-breakpoint
DROP TRIGGER `attachments_kept`;
--> statement-breakpoint
DROP TRIGGER `attachments_deleted`;
--> statement-breakpoint
PRAGMA writable_schema = ON;
--> statement-breakpoint
UPDATE `sqlite_schema` SET `sql` = replace(`sql`, '`owner_id` integer NOT NULL', '`owner_id` integer') WHERE `type` = 'table' AND `name` = 'agents';
--> statement-breakpoint
PRAGMA writable_schema = RESET;
--> statement-breakpoint
ALTER TABLE `attachments` ADD `agent_id` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `site_pages` ADD `agent_id` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE `attachments` SET `agent_id` = (SELECT `agent_id` FROM `conversations` WHERE `number` = `conversation`);
--> statement-breakpoint
UPDATE `site_pages` SET `agent_id` = (SELECT `agent_id` FROM `knowledge_sources` WHERE `id` = `source_id`);
--> statement-breakpoint
-- What an account keeps is counted for each of its agents.
DROP TABLE `stored_bytes`;
--> statement-breakpoint
CREATE TABLE `stored_bytes` (
	`owner_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`owner_id`, `agent_id`),
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `stored_bytes_by_agent` ON `stored_bytes` (`agent_id`);
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `agent_id`, `bytes`)
SELECT `owner_id`, `agent_id`, sum(`kept`) FROM (
	SELECT `owner_id`, `agent_id`, (CASE WHEN `knowledge_sources`.`file_blob` IS NULL THEN 0 ELSE CAST(`knowledge_sources`.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN `knowledge_sources`.`text_blob` IS NULL THEN 0 ELSE `knowledge_sources`.`total_training_usage_bytes` END) AS `kept` FROM `knowledge_sources`
	UNION ALL SELECT `owner_id`, `agent_id`, (length(CAST(`site_pages`.`address` || `site_pages`.`url` || coalesce(`site_pages`.`etag`, '') || coalesce(`site_pages`.`last_modified`, '') || `site_pages`.`content_hash` || coalesce(`site_pages`.`title`, '') AS BLOB)) + length(`site_pages`.`links`)) FROM `site_pages`
	UNION ALL SELECT `owner_id`, `agent_id`, `bytes` FROM `attachments`
) GROUP BY `owner_id`, `agent_id`;
--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_stored` AFTER INSERT ON `knowledge_sources` BEGIN
	INSERT INTO `stored_bytes` (`owner_id`, `agent_id`, `bytes`) VALUES (NEW.`owner_id`, NEW.`agent_id`, (CASE WHEN NEW.`file_blob` IS NULL THEN 0 ELSE CAST(NEW.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN NEW.`text_blob` IS NULL THEN 0 ELSE NEW.`total_training_usage_bytes` END))
	ON CONFLICT (`owner_id`, `agent_id`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;
--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_stored_anew` AFTER UPDATE OF `file_blob`, `text_blob`, `metadata`, `total_training_usage_bytes` ON `knowledge_sources` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` + (CASE WHEN NEW.`file_blob` IS NULL THEN 0 ELSE CAST(NEW.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN NEW.`text_blob` IS NULL THEN 0 ELSE NEW.`total_training_usage_bytes` END) - (CASE WHEN OLD.`file_blob` IS NULL THEN 0 ELSE CAST(OLD.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN OLD.`text_blob` IS NULL THEN 0 ELSE OLD.`total_training_usage_bytes` END) WHERE `owner_id` = NEW.`owner_id` AND `agent_id` = NEW.`agent_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_stored_no_more` AFTER DELETE ON `knowledge_sources` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` - (CASE WHEN OLD.`file_blob` IS NULL THEN 0 ELSE CAST(OLD.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN OLD.`text_blob` IS NULL THEN 0 ELSE OLD.`total_training_usage_bytes` END) WHERE `owner_id` = OLD.`owner_id` AND `agent_id` = OLD.`agent_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `site_pages_stored` AFTER INSERT ON `site_pages` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` + (length(CAST(NEW.`address` || NEW.`url` || coalesce(NEW.`etag`, '') || coalesce(NEW.`last_modified`, '') || NEW.`content_hash` || coalesce(NEW.`title`, '') AS BLOB)) + length(NEW.`links`)) WHERE `owner_id` = NEW.`owner_id` AND `agent_id` = NEW.`agent_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `site_pages_stored_no_more` AFTER DELETE ON `site_pages` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` - (length(CAST(OLD.`address` || OLD.`url` || coalesce(OLD.`etag`, '') || coalesce(OLD.`last_modified`, '') || OLD.`content_hash` || coalesce(OLD.`title`, '') AS BLOB)) + length(OLD.`links`)) WHERE `owner_id` = OLD.`owner_id` AND `agent_id` = OLD.`agent_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `attachments_kept` AFTER INSERT ON `attachments` BEGIN
	INSERT INTO `stored_bytes` (`owner_id`, `agent_id`, `bytes`) VALUES (NEW.`owner_id`, NEW.`agent_id`, NEW.`bytes`)
	ON CONFLICT (`owner_id`, `agent_id`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;
--> statement-breakpoint
CREATE TRIGGER `attachments_deleted` AFTER DELETE ON `attachments` BEGIN
	UPDATE `blobs` SET `state` = 'dropped' WHERE `id` = OLD.`blob`;
	UPDATE `stored_bytes` SET `bytes` = `bytes` - OLD.`bytes` WHERE `owner_id` = OLD.`owner_id` AND `agent_id` = OLD.`agent_id`;
END;
