--> statement-breakpoint
-- A ticket's secret is destroyed and what is still to be sent about it goes, whoever deleted it: its conversation, its agent, its account.
CREATE TRIGGER `tickets_deleted` AFTER DELETE ON `tickets` BEGIN
	INSERT OR IGNORE INTO `doomed_secrets` VALUES (OLD.`secret`);
	DELETE FROM `outbox` WHERE `about` = 'tickets/' || OLD.`id`;
END;
