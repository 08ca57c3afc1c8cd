"""The watcher: notices what changes in the vault."""
