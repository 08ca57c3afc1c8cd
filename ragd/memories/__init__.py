"""Memories: facts that a user asked to keep. They are stored, matched to queries, forgotten."""
