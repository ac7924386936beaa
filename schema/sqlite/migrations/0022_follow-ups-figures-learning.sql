CREATE TABLE `candidates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`conversation` integer NOT NULL,
	`seq` integer NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `candidates_once` ON `candidates` (`conversation`,`seq`,`kind`);--> statement-breakpoint
CREATE INDEX `candidates_by_agent` ON `candidates` (`agent_id`,`id`);--> statement-breakpoint
CREATE TABLE `figures` (
	`agent_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`day` integer NOT NULL,
	`name` text NOT NULL,
	`key` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `day`, `name`, `key`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `figures_by_owner` ON `figures` (`owner_id`,`day`);--> statement-breakpoint
CREATE TABLE `follow_ups` (
	`conversation` integer NOT NULL,
	`episode` integer NOT NULL,
	`anchor` integer NOT NULL,
	`k` integer NOT NULL,
	`said_at` text NOT NULL,
	PRIMARY KEY(`conversation`, `episode`, `anchor`, `k`),
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `model_runs_by_conversation` ON `model_runs` (`conversation`);
--> statement-breakpoint
-- What a model took stays in the ledger, without saying in which conversation.
CREATE TRIGGER `conversations_gone_runs` AFTER DELETE ON `conversations` BEGIN
	UPDATE `model_runs` SET `conversation` = NULL WHERE `conversation` = OLD.`number`;
END;
--> statement-breakpoint
-- The figures begin with what there is.
INSERT INTO `figures` SELECT `agent_id`, `owner_id`, CAST(julianday(substr(`created_at`, 1, 10)) - 2440587.5 AS INTEGER), 'conversations', 0, count(*) FROM `conversations` GROUP BY 1, 3;
--> statement-breakpoint
INSERT INTO `figures` SELECT `agent_id`, `owner_id`, `messages`.`created_at` / 86400000000, 'messages.' || `role`, 0, count(*) FROM `messages` JOIN `conversations` ON `number` = `conversation` WHERE `role` <> 'system' AND `messages`.`status` <> 'generating' GROUP BY 1, 3, 4;
--> statement-breakpoint
INSERT INTO `figures` SELECT `agent_id`, `owner_id`, `messages`.`created_at` / 86400000000, CASE `score` WHEN 1 THEN 'feedback.up' ELSE 'feedback.down' END, 0, count(*) FROM `messages` JOIN `conversations` ON `number` = `conversation` WHERE `score` IS NOT NULL GROUP BY 1, 3, 4;
--> statement-breakpoint
INSERT INTO `figures` SELECT `agent_id`, `owner_id`, `messages`.`created_at` / 86400000000, 'tokens.input', 0, sum(json_extract(`usage`, '$.input_tokens')) FROM `messages` JOIN `conversations` ON `number` = `conversation` WHERE `usage` IS NOT NULL GROUP BY 1, 3;
--> statement-breakpoint
INSERT INTO `figures` SELECT `agent_id`, `owner_id`, `messages`.`created_at` / 86400000000, 'tokens.output', 0, sum(json_extract(`usage`, '$.output_tokens')) FROM `messages` JOIN `conversations` ON `number` = `conversation` WHERE `usage` IS NOT NULL GROUP BY 1, 3;
--> statement-breakpoint
INSERT INTO `figures` SELECT `agent_id`, `owner_id`, `messages`.`created_at` / 86400000000, 'cost', 0, CAST(round(sum(json_extract(`usage`, '$.cost')) * 1000000) AS INTEGER) FROM `messages` JOIN `conversations` ON `number` = `conversation` WHERE json_extract(`usage`, '$.cost') > 0 GROUP BY 1, 3;
