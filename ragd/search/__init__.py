"""What a search decides: filters, fusion, relevance, and what of a note needs care. Pure."""
