ALTER TABLE `actions` ADD `button` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `calls_by_owner_and_state` ON `calls` (`owner_id`,`state`,`number`);--> statement-breakpoint
CREATE INDEX `calls_by_owner_and_action` ON `calls` (`owner_id`,`action_id`,`number`);