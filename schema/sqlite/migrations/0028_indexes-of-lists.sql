DROP INDEX `conversations_by_silence`;--> statement-breakpoint
DROP INDEX `conversations_queued`;--> statement-breakpoint
CREATE INDEX `conversations_by_agent_silence` ON `conversations` (`agent_id`,case when last_message_at is null then created_at else last_message_at end);--> statement-breakpoint
CREATE INDEX `conversations_by_owner_silence` ON `conversations` (`owner_id`,case when last_message_at is null then created_at else last_message_at end);--> statement-breakpoint
CREATE INDEX `conversations_by_owner_status` ON `conversations` (`owner_id`,`status`);--> statement-breakpoint
CREATE INDEX `conversations_by_owner_handled_by` ON `conversations` (`owner_id`,`handled_by`);--> statement-breakpoint
CREATE INDEX `conversations_by_owner_outcome` ON `conversations` (`owner_id`,`outcome`);--> statement-breakpoint
CREATE INDEX `conversations_by_agent_status` ON `conversations` (`agent_id`,`status`);--> statement-breakpoint
CREATE INDEX `conversations_by_agent_handled_by` ON `conversations` (`agent_id`,`handled_by`);--> statement-breakpoint
CREATE INDEX `conversations_by_agent_outcome` ON `conversations` (`agent_id`,`outcome`);--> statement-breakpoint
CREATE INDEX `visitors_by_owner` ON `visitors` (`owner_id`,`number`);--> statement-breakpoint
CREATE INDEX `duties_by_user` ON `duties` (`user_id`);--> statement-breakpoint
CREATE INDEX `privacy_receipts_unfinished` ON `privacy_receipts` (`owner_id`,`agent_id`) WHERE "privacy_receipts"."finished_at" is null;--> statement-breakpoint
CREATE INDEX `outbox_by_channel` ON `outbox` (`owner_id`,`channel`,`id`);--> statement-breakpoint
CREATE INDEX `outbox_by_settled` ON `outbox` (`settled_at`);--> statement-breakpoint
CREATE INDEX `automatic_mails_by_day` ON `automatic_mails` (`day`);--> statement-breakpoint
CREATE INDEX `tickets_by_status` ON `tickets` (`owner_id`,`status`);--> statement-breakpoint
CREATE INDEX `tickets_by_channel` ON `tickets` (`owner_id`,`channel`);--> statement-breakpoint
CREATE INDEX `tickets_loose` ON `tickets` (`agent_id`) WHERE "tickets"."conversation" is null;