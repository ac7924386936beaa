ALTER TABLE `agents` ADD `version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Agents made before count as changed when they last were.
UPDATE `agents` SET `version` = `revision`;
