ALTER TABLE `attachments` ADD `visitor` text;--> statement-breakpoint
ALTER TABLE `attachments` ADD `loose_since` integer;--> statement-breakpoint
CREATE INDEX `attachments_by_visitor` ON `attachments` (`visitor`,`bytes`) WHERE "attachments"."visitor" is not null;--> statement-breakpoint
CREATE INDEX `attachments_loose` ON `attachments` (`loose_since`) WHERE "attachments"."loose_since" is not null;