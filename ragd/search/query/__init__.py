"""The question: its language, words, filters and typos. Pure."""
