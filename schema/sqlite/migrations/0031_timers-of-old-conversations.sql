-- Conversations that were begun by 0.4 get the timers that new ones have: a day after its last word one is closed, and an answer that nobody has answered is
-- followed up where its agent does so. What is long due is looked at again before anything is done, and a follow-up that is a day late is not said.
-- changes rows of: jobs
INSERT INTO `jobs` (`kind`, `subject`, `owner`, `asked`, `due`, `payload`)
SELECT 'handoff.due', `number`, `owner_id`, `said`, `said` + 86400000000, json_object('epoch', `epoch`, 'what', 'silent', 'waits', coalesce(json_extract(`course`, '$.waits'), 0), 'conversation', `id`)
FROM (SELECT *, unixepoch(substr(`last_message_at`, 1, 19)) * 1000000 AS `said` FROM `conversations` WHERE `status` = 'open' AND `handled_by` = 'agent' AND `last_message_at` IS NOT NULL) WHERE true
ON CONFLICT (`kind`, `subject`) DO NOTHING;
--> statement-breakpoint
INSERT INTO `jobs` (`kind`, `subject`, `owner`, `asked`, `due`, `payload`)
SELECT 'follow-up', `number`, c.`owner_id`, m.`created_at`, m.`created_at` + json_extract(`behavior`, '$.followupInterval') * 60000000,
	json_object('owner', c.`owner_id`, 'conversation', c.`id`, 'episode', `episode`, 'epoch', `epoch`, 'anchor', m.`seq`, 'anchored', m.`created_at`, 'k', 1)
FROM `conversations` c JOIN `messages` m ON m.`conversation` = `number` AND m.`seq` = `messages` JOIN `agents` a ON a.`id` = coalesce(`speaker`, c.`agent_id`)
WHERE c.`status` = 'open' AND `handled_by` = 'agent' AND `channel` <> 'compatible'
	AND m.`role` = 'agent' AND m.`status` = 'complete' AND m.`answered_by` IN ('model', 'extract') AND NOT m.`unknown`
	AND json_extract(`behavior`, '$.followupCount') > 0 AND json_extract(`behavior`, '$.followupInterval') > 0
	AND NOT EXISTS (SELECT 1 FROM `follow_ups` WHERE `conversation` = `number`)
ON CONFLICT (`kind`, `subject`) DO NOTHING;
