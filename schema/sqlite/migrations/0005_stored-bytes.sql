CREATE TABLE `stored_bytes` (
	`owner_id` integer PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
-- Here and not beside each statement that changes a source, since sources also go with their agent and their user.
CREATE TRIGGER `knowledge_sources_stored` AFTER INSERT ON `knowledge_sources` BEGIN
	INSERT INTO `stored_bytes` (`owner_id`, `bytes`) VALUES (NEW.`owner_id`, (CASE WHEN NEW.`file_blob` IS NULL THEN 0 ELSE CAST(NEW.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN NEW.`text_blob` IS NULL THEN 0 ELSE NEW.`total_training_usage_bytes` END + coalesce(length(CAST(NEW.`fetched` AS BLOB)), 0)))
	ON CONFLICT (`owner_id`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;
--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_stored_anew` AFTER UPDATE OF `file_blob`, `text_blob`, `metadata`, `total_training_usage_bytes`, `fetched` ON `knowledge_sources` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` + (CASE WHEN NEW.`file_blob` IS NULL THEN 0 ELSE CAST(NEW.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN NEW.`text_blob` IS NULL THEN 0 ELSE NEW.`total_training_usage_bytes` END + coalesce(length(CAST(NEW.`fetched` AS BLOB)), 0)) - (CASE WHEN OLD.`file_blob` IS NULL THEN 0 ELSE CAST(OLD.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN OLD.`text_blob` IS NULL THEN 0 ELSE OLD.`total_training_usage_bytes` END + coalesce(length(CAST(OLD.`fetched` AS BLOB)), 0)) WHERE `owner_id` = NEW.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_stored_no_more` AFTER DELETE ON `knowledge_sources` BEGIN
	UPDATE `stored_bytes` SET `bytes` = `bytes` - (CASE WHEN OLD.`file_blob` IS NULL THEN 0 ELSE CAST(OLD.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN OLD.`text_blob` IS NULL THEN 0 ELSE OLD.`total_training_usage_bytes` END + coalesce(length(CAST(OLD.`fetched` AS BLOB)), 0)) WHERE `owner_id` = OLD.`owner_id`;
END;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `bytes`)
SELECT `owner_id`, sum((CASE WHEN knowledge_sources.`file_blob` IS NULL THEN 0 ELSE CAST(knowledge_sources.`metadata` ->> 'file_size' AS INTEGER) END + CASE WHEN knowledge_sources.`text_blob` IS NULL THEN 0 ELSE knowledge_sources.`total_training_usage_bytes` END + coalesce(length(CAST(knowledge_sources.`fetched` AS BLOB)), 0))) FROM `knowledge_sources` WHERE `owner_id` IN (SELECT `id` FROM `users`) GROUP BY `owner_id`;
