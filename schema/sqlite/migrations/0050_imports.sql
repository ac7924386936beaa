CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`files` text NOT NULL,
	`bytes` integer NOT NULL,
	`said_kind` text,
	`kind` text,
	`state` text NOT NULL,
	`error` text,
	`counts` text,
	`agents` text NOT NULL,
	`shown` integer,
	`report` integer,
	`expires_at` text,
	`applied_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `imports_by_owner` ON `imports` (`owner_id`,`id`);--> statement-breakpoint
CREATE INDEX `imports_by_expiry` ON `imports` (`expires_at`);--> statement-breakpoint
-- Here and not beside each statement that deletes, since imports also go with their account.
CREATE TRIGGER `imports_deleted` AFTER DELETE ON `imports` BEGIN
	UPDATE `blobs` SET `state` = 'dropped' WHERE `id` IN (OLD.`shown`, OLD.`report`)
		OR `id` IN (SELECT json_extract(`value`, '$.blob') FROM json_each(OLD.`files`));
END;
