"""The store writer: commits batches to the index, and keeps the index small."""
