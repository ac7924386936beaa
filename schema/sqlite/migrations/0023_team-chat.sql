ALTER TABLE `businesses` ADD `team_chat_host` text;--> statement-breakpoint
ALTER TABLE `businesses` ADD `team_chat_url` blob;