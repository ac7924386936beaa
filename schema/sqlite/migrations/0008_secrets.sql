CREATE TABLE `blob_chunks` (
	`blob` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`data` blob NOT NULL,
	PRIMARY KEY(`blob`, `ordinal`)
);
--> statement-breakpoint
CREATE TABLE `secret_pages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`used` integer NOT NULL,
	`live` integer NOT NULL,
	`keys` blob NOT NULL
);
--> statement-breakpoint
ALTER TABLE `blobs` ADD `secret` integer;--> statement-breakpoint
-- What the passages of a training are sealed with, destroyed when it is removed; and what their words are sealed with, destroyed once they are out of the index.
ALTER TABLE `trainings` ADD `secret` integer;
--> statement-breakpoint
ALTER TABLE `trainings` ADD `words_secret` integer;
--> statement-breakpoint
-- What of a group is in the index, a line for each passage, sealed as `data` is from now on. Where it is NULL the group is as 0.3 kept it, open and with its
-- words in `data`, until it is sealed in the background.
ALTER TABLE `passage_groups` ADD `words` blob;
--> statement-breakpoint
CREATE INDEX `passage_groups_unsealed` ON `passage_groups` (`first`) WHERE `words` IS NULL;
