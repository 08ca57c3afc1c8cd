"""What `ragctl doctor` checks, and the report it makes."""
