"""ragctl: the command that people type. It asks the daemon, or reads its files; it never writes
the index or the log."""
