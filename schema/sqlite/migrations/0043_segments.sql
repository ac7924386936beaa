CREATE TABLE `blocks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`segment` integer NOT NULL,
	`term` integer NOT NULL,
	`first` integer NOT NULL,
	`data` blob NOT NULL,
	`sum` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blocks_by_term` ON `blocks` (`segment`,`term`,`first`);--> statement-breakpoint
CREATE TABLE `segments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agent` integer NOT NULL,
	`level` integer NOT NULL,
	`low` integer NOT NULL,
	`high` integer NOT NULL,
	`state` text NOT NULL,
	`version` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `segments_of_agent` ON `segments` (`agent`,`state`,`level`);--> statement-breakpoint
CREATE INDEX `segments_unfinished` ON `segments` (`state`) WHERE state <> 'live';--> statement-breakpoint
-- Trainings that are still indexed by FTS5 alone, until the server has written them anew and dropped the tables of that index.
-- leaves to the server: passage_index
-- leaves to the server: passage_index_data
-- leaves to the server: passage_index_idx
-- leaves to the server: passage_index_config
-- leaves to the server: passage_terms
ALTER TABLE `trainings` ADD `segmented` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX `trainings_unsegmented` ON `trainings` (`agent`, `first`) WHERE `segmented` = 0;
--> statement-breakpoint
-- Words are kept beside the passages only until then.
DROP INDEX `passage_groups_unsealed`;
--> statement-breakpoint
CREATE INDEX `passage_groups_unsealed` ON `passage_groups` (`first`) WHERE typeof(`data`) = 'text';
--> statement-breakpoint
CREATE INDEX `passage_groups_with_words` ON `passage_groups` (`first`) WHERE `words` IS NOT NULL;
