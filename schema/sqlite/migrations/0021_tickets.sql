CREATE TABLE `automatic_mails` (
	`address` text NOT NULL,
	`day` integer NOT NULL,
	PRIMARY KEY(`address`, `day`)
);
--> statement-breakpoint
CREATE TABLE `ticket_messages` (
	`ticket` integer NOT NULL,
	`n` integer NOT NULL,
	`role` text NOT NULL,
	`held` integer NOT NULL,
	`created_at` text NOT NULL,
	`origin` text,
	`sealed` blob NOT NULL,
	PRIMARY KEY(`ticket`, `n`),
	FOREIGN KEY (`ticket`) REFERENCES `tickets`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ticket_messages_by_origin` ON `ticket_messages` (`ticket`,`origin`);--> statement-breakpoint
CREATE TABLE `ticketing_providers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`settings` text NOT NULL,
	`credentials` blob NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ticketing_providers_by_name` ON `ticketing_providers` (`owner_id`,`name`);--> statement-breakpoint
CREATE TABLE `tickets` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`conversation` text,
	`conversation_number` integer,
	`epoch` integer,
	`status` text NOT NULL,
	`channel` text NOT NULL,
	`provider` integer,
	`external_id` text,
	`external_url` text,
	`error` text,
	`is_answered` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`secret` integer NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`conversation_number`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`provider`) REFERENCES `ticketing_providers`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tickets_by_id` ON `tickets` (`id`);--> statement-breakpoint
CREATE INDEX `tickets_by_owner` ON `tickets` (`owner_id`,`number`);--> statement-breakpoint
CREATE INDEX `tickets_by_agent` ON `tickets` (`agent_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `tickets_by_epoch` ON `tickets` (`conversation_number`,`epoch`);--> statement-breakpoint
CREATE INDEX `tickets_by_external` ON `tickets` (`provider`,`external_id`);--> statement-breakpoint
-- A ticket's secret is destroyed and what is still to be sent about it goes, whoever deleted it: its conversation, its agent, its account.
CREATE TRIGGER `tickets_deleted` AFTER DELETE ON `tickets` BEGIN
	INSERT OR IGNORE INTO `doomed_secrets` VALUES (OLD.`secret`);
	DELETE FROM `outbox` WHERE `about` = 'tickets/' || OLD.`id`;
END;
