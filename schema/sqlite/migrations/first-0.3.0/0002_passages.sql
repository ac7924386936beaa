-- One training of a source: its passages are the rows first … first + passages - 1, so that one change here shows, hides or drops them all.
-- Neither agent nor source is a foreign key: a training outlives them until its words are out of the index.
CREATE TABLE `trainings` (
	`id` integer PRIMARY KEY NOT NULL,
	`agent` integer NOT NULL,
	`source` integer NOT NULL,
	`state` text NOT NULL CHECK (`state` IN ('staged', 'live', 'removed')),
	`selected` integer NOT NULL,
	`language` text,
	`first` integer NOT NULL,
	`passages` integer NOT NULL,
	`words` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `trainings_of_agent` ON `trainings` (`agent`, `state`, `selected`, `language`, `first`, `passages`, `words`);
--> statement-breakpoint
CREATE UNIQUE INDEX `trainings_live` ON `trainings` (`source`) WHERE `state` = 'live';
--> statement-breakpoint
CREATE INDEX `trainings_unfinished` ON `trainings` (`state`, `source`) WHERE `state` <> 'live';
--> statement-breakpoint
CREATE INDEX `trainings_first` ON `trainings` (`first`, `passages`);
--> statement-breakpoint
CREATE TABLE `passages` (
	`id` integer PRIMARY KEY NOT NULL,
	`training` integer NOT NULL,
	`text` text NOT NULL,
	`start` integer NOT NULL,
	`heading` text,
	`page` integer,
	`row` integer,
	`last_row` integer,
	-- What was put into the index, to take out exactly that, whatever the stemmer and the dictionaries are by then.
	`words` text NOT NULL
);
--> statement-breakpoint
-- Each word is indexed as agent_word_weight (`42_refund_3`): the agent in the word keeps agents apart in the index itself, the weight in the
-- word lets a search read the best passages of a word first and stop. So positions, columns, lengths and contents need not be kept.
CREATE VIRTUAL TABLE `passage_index` USING fts5(words, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '_'");
--> statement-breakpoint
-- Words are taken out where they stand, instead of being marked as deleted until some merge.
INSERT INTO `passage_index` (`passage_index`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
-- In how many passages each word of the index is.
CREATE VIRTUAL TABLE `passage_terms` USING fts5vocab('passage_index', 'row');
--> statement-breakpoint
-- What a source leaves behind goes however it is deleted, also with its whole agent or user: its file and its text are given up, its
-- passages hidden, its job forgotten.
CREATE TRIGGER `knowledge_sources_leave_nothing` AFTER DELETE ON `knowledge_sources` BEGIN
	UPDATE `blobs` SET `state` = 'dropped' WHERE `id` IN (OLD.`file_blob`, OLD.`text_blob`);
	UPDATE `trainings` SET `state` = 'removed' WHERE `source` = OLD.`id`;
	DELETE FROM `jobs` WHERE `subject` = OLD.`id`;
END;
--> statement-breakpoint
-- Every agent has a root folder; those made before there were folders get theirs now.
-- changes rows of: knowledge_folders
INSERT INTO `knowledge_folders` (`agent_id`, `owner_id`, `parent_id`, `name`, `created_at`, `updated_at`)
SELECT `id`, `owner_id`, NULL, 'Root', `created_at`, `created_at` FROM `agents`
WHERE `id` NOT IN (SELECT `agent_id` FROM `knowledge_folders` WHERE `parent_id` IS NULL);
