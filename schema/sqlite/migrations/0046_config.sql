CREATE TABLE `config_applies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`user_id` integer,
	`by` text NOT NULL,
	`ref` text NOT NULL,
	`changes` integer NOT NULL,
	`applied_at` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `config_applies_by_owner` ON `config_applies` (`owner_id`,`id`);--> statement-breakpoint
CREATE INDEX `config_applies_by_user` ON `config_applies` (`user_id`);--> statement-breakpoint
CREATE TABLE `config_objects` (
	`owner_id` integer NOT NULL,
	`kind` text NOT NULL,
	`object_id` integer NOT NULL,
	`place` text NOT NULL,
	`file` text NOT NULL,
	`is_made` integer NOT NULL,
	`is_locked` integer NOT NULL,
	`stamp` text NOT NULL,
	`applied_at` text NOT NULL,
	PRIMARY KEY(`owner_id`, `kind`, `object_id`),
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `actions` ADD `key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `actions_by_key` ON `actions` (`owner_id`,`key`);--> statement-breakpoint
ALTER TABLE `connections` ADD `key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `connections_by_key` ON `connections` (`owner_id`,`key`);--> statement-breakpoint
ALTER TABLE `agents` ADD `key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `agents_by_key` ON `agents` (`owner_id`,`key`);--> statement-breakpoint
ALTER TABLE `questions` ADD `key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `questions_by_key` ON `questions` (`agent_id`,`key`);--> statement-breakpoint
ALTER TABLE `knowledge_sources` ADD `key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `knowledge_sources_by_key` ON `knowledge_sources` (`agent_id`,`key`);--> statement-breakpoint
ALTER TABLE `webhooks` ADD `key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_by_key` ON `webhooks` (`owner_id`,`key`);--> statement-breakpoint
-- Everything that files can hold has a key: of an action its name, of others one that nobody else has.
UPDATE `actions` SET `key` = `name`;--> statement-breakpoint
UPDATE `connections` SET `key` = 'connection-' || lower(hex(randomblob(8)));--> statement-breakpoint
UPDATE `agents` SET `key` = 'agent-' || lower(hex(randomblob(8)));--> statement-breakpoint
UPDATE `questions` SET `key` = 'question-' || lower(hex(randomblob(8)));--> statement-breakpoint
UPDATE `knowledge_sources` SET `key` = 'source-' || lower(hex(randomblob(8))) WHERE `parent_id` IS NULL;--> statement-breakpoint
UPDATE `webhooks` SET `key` = 'webhook-' || lower(hex(randomblob(8)));--> statement-breakpoint
CREATE TRIGGER `actions_keyed` AFTER INSERT ON `actions` WHEN NEW.`key` IS NULL BEGIN
	UPDATE `actions` SET `key` = CASE
		WHEN EXISTS (SELECT 1 FROM `actions` WHERE `owner_id` = NEW.`owner_id` AND `key` = NEW.`name`)
		THEN `name` || '-' || lower(hex(randomblob(8))) ELSE `name` END
	WHERE `id` = NEW.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `connections_keyed` AFTER INSERT ON `connections` WHEN NEW.`key` IS NULL BEGIN
	UPDATE `connections` SET `key` = 'connection-' || lower(hex(randomblob(8))) WHERE `id` = NEW.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `agents_keyed` AFTER INSERT ON `agents` WHEN NEW.`key` IS NULL BEGIN
	UPDATE `agents` SET `key` = 'agent-' || lower(hex(randomblob(8))) WHERE `id` = NEW.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `questions_keyed` AFTER INSERT ON `questions` WHEN NEW.`key` IS NULL BEGIN
	UPDATE `questions` SET `key` = 'question-' || lower(hex(randomblob(8))) WHERE `id` = NEW.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `knowledge_sources_keyed` AFTER INSERT ON `knowledge_sources` WHEN NEW.`key` IS NULL AND NEW.`parent_id` IS NULL BEGIN
	UPDATE `knowledge_sources` SET `key` = 'source-' || lower(hex(randomblob(8))) WHERE `id` = NEW.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `webhooks_keyed` AFTER INSERT ON `webhooks` WHEN NEW.`key` IS NULL BEGIN
	UPDATE `webhooks` SET `key` = 'webhook-' || lower(hex(randomblob(8))) WHERE `id` = NEW.`id`;
END;
