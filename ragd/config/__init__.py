"""The configuration: how it is read, checked and reloaded while the daemon runs."""
