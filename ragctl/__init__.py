"""ragctl: the command line for ragd. It calls the daemon or reads its files; it never writes the
index or the log."""
