"""Text output for people on a terminal."""
