"""One search: its query, its retrieval, its ranking, its results."""
