-- Whoever adds to the index also puts it together, a small step each time. Left to itself FTS5 does so every now and then, 20 to 50 ms at a stretch.
INSERT INTO `passage_index` (`passage_index`, `rank`) VALUES ('automerge', 0);
