"""The store: commits batches to the index, keeps it small, and switches to a new one.

It embeds nothing and decides nothing about notes.
"""

STORE_WRITER = "store_writer"
"""The actor's name, under which all facts of this stage are recorded."""
