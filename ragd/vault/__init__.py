"""The vault's files: opened safely, listed, watched and read. Nothing here writes to the vault."""
