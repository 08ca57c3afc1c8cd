"""The batcher: turns changes and requests into batches of notes."""
