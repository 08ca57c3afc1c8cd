"""The embedder: gives chunks their vectors, and works off the backlog."""
