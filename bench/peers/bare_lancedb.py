"""The same hybrid search with LanceDB alone, in this process."""

import asyncio
from pathlib import Path

from bench.search import open_direct


class BareLanceDb:
    """LanceDB over the table that ragd wrote, with ragd's model for questions."""

    def __init__(self, vectors: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._direct = self._loop.run_until_complete(open_direct(vectors))

    def search(self, question: str) -> float:
        """Search, and return the seconds it took."""
        return self._loop.run_until_complete(self._direct.search("hybrid", question))

    def close(self) -> None:
        self._loop.run_until_complete(self._direct.embedder.close())
        self._loop.close()
