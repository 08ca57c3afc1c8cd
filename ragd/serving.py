"""The index that serves: opened and switched by the store writer, read by who answers questions."""

from ragd.adapters.lance_store import ChunkIndex


class Serving:
    """A place for one open index; empty while there is none."""

    def __init__(self) -> None:
        self.index: ChunkIndex | None = None
