"""The log with its folded state, and the files that are written from it."""
