-- By which version of the rules a training's words were written into the index (`FORM` in src/search/words/key.ts). Those of an older one go on
-- being found by the older rules until they are trained again.
ALTER TABLE `trainings` ADD `form` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
DROP INDEX `trainings_of_agent`;
--> statement-breakpoint
CREATE INDEX `trainings_of_agent` ON `trainings` (`agent`, `state`, `selected`, `language`, `form`, `first`, `passages`, `words`);
--> statement-breakpoint
CREATE INDEX `trainings_by_form` ON `trainings` (`form`, `state`, `id`);
--> statement-breakpoint
-- How the words of a group are spelt, as far as no group of the same training before it has them: a number for each, sealed as its passages are, so that
-- nobody can tell a word of what was deleted. A search corrects typos by these.
ALTER TABLE `passage_groups` ADD `spellings` blob;
