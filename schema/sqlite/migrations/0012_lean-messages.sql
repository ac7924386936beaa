-- A message is found by its conversation: no index of all their ids, and none of those that are written.
DROP INDEX `messages_by_id`;--> statement-breakpoint
DROP INDEX `messages_unfinished`;--> statement-breakpoint
CREATE INDEX `messages_unfinished` ON `messages` (`conversation`) WHERE "messages"."status" = 'generating';--> statement-breakpoint
-- Events are many and small: their type becomes a number, and they lie in the order of their key without a second index.
CREATE TABLE `__new_conversation_events` (
	`conversation` integer NOT NULL,
	`seq` integer NOT NULL,
	`type` integer NOT NULL,
	`message` integer NOT NULL,
	PRIMARY KEY(`conversation`, `seq`),
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_conversation_events` SELECT "conversation", "seq", CASE "type" WHEN 'message.created' THEN 0 WHEN 'message.completed' THEN 1 WHEN 'message.restarted' THEN 2 ELSE 3 END, "message" FROM `conversation_events`;--> statement-breakpoint
DROP TABLE `conversation_events`;--> statement-breakpoint
ALTER TABLE `__new_conversation_events` RENAME TO `conversation_events`;
