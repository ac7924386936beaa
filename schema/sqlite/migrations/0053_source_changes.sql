ALTER TABLE `knowledge_sources` ADD `change_blob` integer;--> statement-breakpoint
-- What a source leaves behind goes with it, as before, and so does what is kept of its last change.
DROP TRIGGER `knowledge_sources_leave_nothing`;--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_leave_nothing` AFTER DELETE ON `knowledge_sources` BEGIN
	UPDATE `blobs` SET `state` = 'dropped' WHERE `id` IN (OLD.`file_blob`, OLD.`text_blob`, OLD.`change_blob`);
	UPDATE `trainings` SET `state` = 'removed' WHERE `source` = OLD.`id`;
	DELETE FROM `jobs` WHERE `kind` IN ('train', 'embed') AND `subject` = OLD.`id`;
END;
