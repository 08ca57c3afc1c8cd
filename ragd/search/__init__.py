"""One search: query, retrieval, ranking, results."""
