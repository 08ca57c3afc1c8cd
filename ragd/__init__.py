"""ragd: a local daemon that indexes an Obsidian vault and searches it by meaning and by words."""

__version__ = "0.2.0"
