"""The configuration: read, checked, kept in force while the daemon runs."""
