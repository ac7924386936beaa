CREATE TABLE `model_days` (
	`owner_id` integer NOT NULL,
	`day` integer NOT NULL,
	`model` text NOT NULL,
	`agent_id` integer NOT NULL,
	`runs` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cached_tokens` integer NOT NULL,
	`cost` integer,
	PRIMARY KEY(`owner_id`, `day`, `model`, `agent_id`)
);
--> statement-breakpoint
ALTER TABLE `candidates` ADD `language` text;--> statement-breakpoint
ALTER TABLE `candidates` ADD `group_id` integer;--> statement-breakpoint
ALTER TABLE `candidates` ADD `sealed` blob;--> statement-breakpoint
CREATE INDEX `candidates_by_group` ON `candidates` (`owner_id`,`kind`,`agent_id`,`group_id`,`id`);
--> statement-breakpoint
-- The sums begin with the ledger that there is.
INSERT INTO `model_days` SELECT `owner_id`, `day`, `model`, `agent_id`, count(*), sum(`input_tokens`), sum(`output_tokens`), sum(`cached_tokens`), sum(`cost`) FROM `model_runs` GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
-- What was asked before is read as what comes up from now on.
INSERT INTO `jobs` (`kind`, `subject`, `owner`, `due`) SELECT 'learning', `id`, `owner_id`, 0 FROM `candidates`;
