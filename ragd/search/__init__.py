"""What is done with passages that were found: ranked, filtered, guarded. Pure."""
