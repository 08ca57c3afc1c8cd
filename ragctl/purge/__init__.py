"""What `ragctl purge` removes, and what it must never touch."""
