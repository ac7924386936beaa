CREATE TABLE `question_results` (
	`run` integer NOT NULL,
	`question` integer NOT NULL,
	`verdict` text NOT NULL,
	`ms` integer NOT NULL,
	`tokens` integer NOT NULL,
	`sealed` blob NOT NULL,
	PRIMARY KEY(`run`, `question`),
	FOREIGN KEY (`run`) REFERENCES `question_runs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`question`) REFERENCES `questions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `question_results_by_question` ON `question_results` (`question`,`run`);--> statement-breakpoint
CREATE TABLE `question_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agent_id` integer NOT NULL,
	`of` text NOT NULL,
	`version` integer,
	`draft_etag` text NOT NULL,
	`cause` text NOT NULL,
	`state` text NOT NULL,
	`knowledge` text NOT NULL,
	`knowledge_revision` integer NOT NULL,
	`total` integer NOT NULL,
	`worse` integer NOT NULL,
	`created_at` text NOT NULL,
	`finished_at` text,
	`secret` integer NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `question_runs_by_agent` ON `question_runs` (`agent_id`,`id`);--> statement-breakpoint
CREATE TABLE `question_sources` (
	`question` integer NOT NULL,
	`source` integer NOT NULL,
	PRIMARY KEY(`question`, `source`),
	FOREIGN KEY (`question`) REFERENCES `questions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `question_sources_by_source` ON `question_sources` (`source`);--> statement-breakpoint
CREATE TABLE `questions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agent_id` integer NOT NULL,
	`from_message` text,
	`enabled` integer NOT NULL,
	`blocking` integer NOT NULL,
	`is_stale` integer DEFAULT false NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`secret` integer NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `questions_by_agent` ON `questions` (`agent_id`,`id`);--> statement-breakpoint
-- The secret of a question or a run is destroyed with it, whoever deleted it.
CREATE TRIGGER `questions_deleted` AFTER DELETE ON `questions` BEGIN
	INSERT OR IGNORE INTO `doomed_secrets` VALUES (OLD.`secret`);
END;
--> statement-breakpoint
CREATE TRIGGER `question_runs_deleted` AFTER DELETE ON `question_runs` BEGIN
	INSERT OR IGNORE INTO `doomed_secrets` VALUES (OLD.`secret`);
END;
