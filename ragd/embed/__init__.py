"""The embedder: makes the vectors of chunks, for new batches and for the backlog."""
