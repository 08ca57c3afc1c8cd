"""ragd: a resident, local-only daemon that makes an Obsidian vault answer questions by meaning."""

__version__ = "0.2.0"
