-- Of several users with one address the first keeps it: the later ones are users as before, without an address.
UPDATE `users` SET `email` = NULL WHERE `email` IS NOT NULL AND EXISTS (SELECT 1 FROM `users` AS `earlier` WHERE `earlier`.`id` < `users`.`id` AND lower(`earlier`.`email`) = lower(`users`.`email`));
--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_email` ON `users` (lower("email"));
