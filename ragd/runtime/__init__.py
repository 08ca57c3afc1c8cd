"""The process and its files: lock, logs, durable files, subprocesses."""
