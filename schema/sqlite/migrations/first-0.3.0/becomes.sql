-- Two programs called themselves 0.3.0. The first one kept a short text in its source too, passages in rows of their own, and words as they are in the
-- index. Everything that it kept is here what the second one would have kept; `keyed_words` makes keys of words, see src/data-file.ts.
-- of a file at version 3 with a table passages
-- takes away: passages
ALTER TABLE `knowledge_sources` DROP COLUMN `plain_text`;
--> statement-breakpoint
CREATE TABLE `pieces` AS SELECT `blob`, `ordinal`, `data` FROM `blob_pieces`;
--> statement-breakpoint
DROP TABLE `blob_pieces`;
--> statement-breakpoint
CREATE TABLE `blob_pieces` (
	`blob` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`padding` integer NOT NULL,
	`data` blob NOT NULL,
	PRIMARY KEY(`blob`, `ordinal`)
);
--> statement-breakpoint
-- 512 bytes stand before every value, so that none of it is in a page with others; it is sealed in the background before long.
INSERT INTO `blob_pieces` SELECT `blob`, `ordinal`, 0, CASE typeof(`data`) WHEN 'text' THEN printf('%512s', '') || `data` ELSE CAST(zeroblob(512) || `data` AS BLOB) END FROM `pieces`;
--> statement-breakpoint
DROP TABLE `pieces`;
--> statement-breakpoint
CREATE TABLE `passage_groups` (
	`first` integer PRIMARY KEY NOT NULL,
	`training` integer NOT NULL,
	`passages` integer NOT NULL,
	`data` text NOT NULL
);
--> statement-breakpoint
INSERT INTO `passage_groups` SELECT `id`, `training`, 1,
	json_array(json_object('text', `text`, 'start', `start`, 'heading', `heading`, 'page', `page`, 'row', `row`, 'lastRow', `last_row`, 'words', keyed_words(`words`)))
FROM `passages`;
--> statement-breakpoint
INSERT INTO `passage_index` (`passage_index`) VALUES ('delete-all');
--> statement-breakpoint
INSERT INTO `passage_index` (`passage_index`, `rank`) VALUES ('automerge', 0);
--> statement-breakpoint
INSERT INTO `passage_index` (`rowid`, `words`)
SELECT p.`id`, `agent` || '_' || replace(keyed_words(p.`words`), ' ', ' ' || `agent` || '_') FROM `passages` p JOIN `trainings` t ON t.`id` = `training` WHERE p.`words` <> '';
--> statement-breakpoint
DROP TABLE `passages`;
