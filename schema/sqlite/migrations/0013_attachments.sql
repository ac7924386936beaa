CREATE TABLE `attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`conversation` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`path` text NOT NULL,
	`blob` integer NOT NULL,
	`bytes` integer NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`conversation`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `attachments_by_path` ON `attachments` (`path`);--> statement-breakpoint
CREATE INDEX `attachments_by_conversation` ON `attachments` (`conversation`);
--> statement-breakpoint
-- Here and not beside each statement that deletes, since files also go with their agent and their user.
CREATE TRIGGER `attachments_kept` AFTER INSERT ON `attachments` BEGIN
	INSERT INTO `stored_bytes` (`owner_id`, `bytes`) VALUES (NEW.`owner_id`, NEW.`bytes`)
	ON CONFLICT (`owner_id`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
END;
--> statement-breakpoint
CREATE TRIGGER `attachments_deleted` AFTER DELETE ON `attachments` BEGIN
	UPDATE `blobs` SET `state` = 'dropped' WHERE `id` = OLD.`blob`;
	UPDATE `stored_bytes` SET `bytes` = `bytes` - OLD.`bytes` WHERE `owner_id` = OLD.`owner_id`;
END;
