CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`digest` text NOT NULL,
	`hint` text NOT NULL,
	`permissions` text NOT NULL,
	`created_at` text NOT NULL,
	`last_used_at` text,
	`expires_at` text,
	`revoked_at` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_digest_unique` ON `api_keys` (`digest`);--> statement-breakpoint
CREATE INDEX `api_keys_by_user` ON `api_keys` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `idempotency_records` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`slot` text NOT NULL,
	`fingerprint` text NOT NULL,
	`answer` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idempotency_records_by_age` ON `idempotency_records` (`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `idempotency_records_by_slot` ON `idempotency_records` (`user_id`,`slot`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`email` text,
	`tier` text NOT NULL,
	`revision` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `agents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`status` text NOT NULL,
	`appearance` text NOT NULL,
	`behavior` text NOT NULL,
	`model` text NOT NULL,
	`agent_type` text NOT NULL,
	`agent_category` text NOT NULL,
	`system_prompt` text NOT NULL,
	`ticketing_providers` text NOT NULL,
	`default_ticketing_provider` text,
	`is_chatapp_enabled` integer NOT NULL,
	`privacy_url` text,
	`gdpr_settings` text NOT NULL,
	`is_white_label` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`conversations` integer NOT NULL,
	`total_training_usage_bytes` integer NOT NULL,
	`revision` integer NOT NULL,
	`search_text` text NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agents_by_owner` ON `agents` (`owner_id`,`id`);--> statement-breakpoint
CREATE TABLE `knowledge_folders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agent_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`parent_id` integer,
	`name` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`parent_id`) REFERENCES `knowledge_folders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `knowledge_folders_by_agent` ON `knowledge_folders` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `knowledge_folders_by_parent` ON `knowledge_folders` (`parent_id`);--> statement-breakpoint
CREATE TABLE `knowledge_sources` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agent_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`urls` text NOT NULL,
	`file_path` text NOT NULL,
	`google_drive_file_id` text,
	`title` text NOT NULL,
	`status` text NOT NULL,
	`training_status` text NOT NULL,
	`error` text,
	`type` text NOT NULL,
	`folder_id` integer NOT NULL,
	`parent_id` integer,
	`metadata` text NOT NULL,
	`is_selected` integer NOT NULL,
	`sub_urls` text,
	`total_training_usage_bytes` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`folder_id`) REFERENCES `knowledge_folders`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`parent_id`) REFERENCES `knowledge_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `knowledge_sources_by_agent` ON `knowledge_sources` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `knowledge_sources_by_folder` ON `knowledge_sources` (`folder_id`);--> statement-breakpoint
CREATE INDEX `knowledge_sources_by_parent` ON `knowledge_sources` (`parent_id`);