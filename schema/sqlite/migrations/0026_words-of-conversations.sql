CREATE TABLE `conversation_words` (
	`conversation` integer NOT NULL,
	`part` integer NOT NULL,
	`words` blob NOT NULL,
	PRIMARY KEY(`conversation`, `part`),
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `word_secrets` (
	`owner_id` integer PRIMARY KEY NOT NULL,
	`secret` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `conversations` ADD `indexed` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `conversations_unindexed` ON `conversations` (`owner_id`,`number`) WHERE not "conversations"."indexed";--> statement-breakpoint
ALTER TABLE `visitors` ADD `words` blob;
--> statement-breakpoint
-- Without it nobody can tell whose words they were, wherever a copy of them is left.
CREATE TRIGGER `word_secrets_deleted` AFTER DELETE ON `word_secrets` BEGIN
	INSERT OR IGNORE INTO `doomed_secrets` VALUES (OLD.`secret`);
END;
