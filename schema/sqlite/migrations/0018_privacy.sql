CREATE TABLE `privacy_receipts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`kind` text NOT NULL,
	`agent_id` integer NOT NULL,
	`visitor` text,
	`data_retention_days` integer,
	`silent_since` text,
	`removed` text NOT NULL,
	`copies` text NOT NULL,
	`backups_until` text,
	`created_at` text NOT NULL,
	`finished_at` text,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `privacy_receipts_by_owner` ON `privacy_receipts` (`owner_id`,`id`);--> statement-breakpoint
ALTER TABLE `idempotency_records` ADD `about` text;--> statement-breakpoint
CREATE INDEX `idempotency_records_by_about` ON `idempotency_records` (`about`);--> statement-breakpoint
CREATE INDEX `conversations_by_silence` ON `conversations` (`agent_id`,case when last_message_at is null then created_at else last_message_at end);--> statement-breakpoint
CREATE INDEX `visitors_by_silence` ON `visitors` (`agent_id`,`last_seen_at`);
--> statement-breakpoint
-- What leaves the house about a conversation, and what would answer a repeat with it, goes with it, whoever deletes it.
CREATE TRIGGER `conversations_gone` AFTER DELETE ON `conversations` BEGIN
	DELETE FROM `outbox` WHERE `about` = 'conversations/' || OLD.`id`;
	DELETE FROM `idempotency_records` WHERE `about` = 'conversations/' || OLD.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `visitors_gone` AFTER DELETE ON `visitors` BEGIN
	DELETE FROM `outbox` WHERE `about` = 'visitors/' || OLD.`id`;
	DELETE FROM `idempotency_records` WHERE `about` = 'visitors/' || OLD.`id`;
END;
