"""The vault's files: opened safely, walked, watched, read."""
