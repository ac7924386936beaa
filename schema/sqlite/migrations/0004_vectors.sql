-- 0.3 kept vectors in a virtual table of SQLite's extension vec0, which it made beside its migrations where an embeddings service was set. They are made
-- anew, in a table of ours. The extension is not there any more to drop its table, so the table's name is struck from the schema.
-- takes away: passage_vectors
-- takes away: passage_vectors_info
-- takes away: passage_vectors_chunks
-- takes away: passage_vectors_rowids
-- takes away: passage_vectors_vector_chunks00
-- writes the schema itself
DROP TABLE IF EXISTS `passage_vectors_info`;
--> statement-breakpoint
DROP TABLE IF EXISTS `passage_vectors_chunks`;
--> statement-breakpoint
DROP TABLE IF EXISTS `passage_vectors_rowids`;
--> statement-breakpoint
DROP TABLE IF EXISTS `passage_vectors_vector_chunks00`;
--> statement-breakpoint
PRAGMA writable_schema = ON;
--> statement-breakpoint
DELETE FROM `sqlite_schema` WHERE `type` = 'table' AND `name` = 'passage_vectors';
--> statement-breakpoint
PRAGMA writable_schema = RESET;
--> statement-breakpoint
CREATE TABLE `passage_vectors` (
	`first` integer PRIMARY KEY NOT NULL,
	`model` text NOT NULL,
	`signs` blob NOT NULL,
	`numbers` blob NOT NULL
);
