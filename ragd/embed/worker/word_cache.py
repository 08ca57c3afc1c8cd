"""A bounded cache from a word to its token ids. It never computes ids."""

CACHE_WORDS = 65_536  # in each half
LONGEST_KEPT = 64  # characters; a longer word is split again each time

Ids = tuple[int, ...]


class WordCache:
    """Two halves: when `recent` is full, it becomes `older`, and the old `older` is dropped."""

    def __init__(self) -> None:
        self.recent: dict[str, Ids] = {}  # always the same dict, so a loop may look words up in it
        self.older: dict[str, Ids] = {}

    def keep(self, word: str, ids: Ids) -> None:
        """Keep these ids, unless the word is very long."""
        if len(word) > LONGEST_KEPT:
            return
        if len(self.recent) >= CACHE_WORDS:
            self.older = dict(self.recent)
            self.recent.clear()
        self.recent[word] = ids
