CREATE TABLE `actions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`connection_id` integer NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`used_when` text NOT NULL,
	`effect` text NOT NULL,
	`method` text NOT NULL,
	`path` text NOT NULL,
	`parameters` text NOT NULL,
	`result` text NOT NULL,
	`confirm` text NOT NULL,
	`needs_verified` integer NOT NULL,
	`as_form` integer NOT NULL,
	`limits` text NOT NULL,
	`lookup` text,
	`version` integer NOT NULL,
	`enabled` integer NOT NULL,
	`schema_digest` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`connection_id`) REFERENCES `connections`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `actions_by_name` ON `actions` (`owner_id`,`name`);--> statement-breakpoint
CREATE INDEX `actions_by_connection` ON `actions` (`connection_id`);--> statement-breakpoint
CREATE TABLE `calls` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` integer NOT NULL,
	`conversation_number` integer,
	`conversation` text,
	`message` text,
	`action_id` integer NOT NULL,
	`action_name` text NOT NULL,
	`action_version` integer NOT NULL,
	`title` text NOT NULL,
	`effect` text NOT NULL,
	`confirm` text NOT NULL,
	`state` text NOT NULL,
	`digest` text NOT NULL,
	`expires_at` text,
	`confirmed_by` text,
	`status` integer,
	`ms` integer,
	`result_digest` text,
	`error` text,
	`epoch` integer NOT NULL,
	`sealed` blob,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`conversation_number`) REFERENCES `conversations`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `calls_by_id` ON `calls` (`id`);--> statement-breakpoint
CREATE INDEX `calls_by_owner` ON `calls` (`owner_id`,`number`);--> statement-breakpoint
CREATE INDEX `calls_by_conversation` ON `calls` (`conversation_number`,`number`);--> statement-breakpoint
CREATE INDEX `calls_by_action` ON `calls` (`action_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `calls_by_state` ON `calls` (`state`,`number`);--> statement-breakpoint
CREATE TABLE `connections` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`base_url` text NOT NULL,
	`auth` text NOT NULL,
	`auth_name` text,
	`token_url` text,
	`secret` blob,
	`allowed_hosts` text NOT NULL,
	`last_ok` text,
	`last_error` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `connections_by_owner` ON `connections` (`owner_id`,`id`);