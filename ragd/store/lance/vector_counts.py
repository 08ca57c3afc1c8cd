"""How many rows of each fragment have a vector. Only changed fragments are read again."""

from collections.abc import Collection, Mapping
from typing import Any

from ragd.store.lance import libraries
from ragd.store.lance.fragments import Content, content_of
from ragd.store.lance.schema import VECTOR

_Known = Mapping[int, tuple[Content, int]]  # by fragment
_NONE = (None, 0)


class VectorCounts:
    """The counts of one version, or of some of its fragments."""

    def __init__(
        self,
        dataset: Any,
        earlier: "VectorCounts | None" = None,
        only: Collection[int] | None = None,
    ) -> None:
        """`earlier`: counts of another version of the table. `only`: these fragments."""
        known: _Known = earlier._known if earlier is not None else {}
        parts = {
            part.fragment_id: part
            for part in dataset.get_fragments()
            if only is None or part.fragment_id in only
        }
        contents: dict[int, Content] = {one: content_of(part) for one, part in parts.items()}
        same = {one: known[one][1] for one in parts if known.get(one, _NONE)[0] == contents[one]}
        counted = _count(dataset, [part for one, part in parts.items() if one not in same])
        self.by_fragment = {one: same.get(one, counted.get(one, 0)) for one in parts}
        self._known: _Known = {
            one: (contents[one], count) for one, count in self.by_fragment.items()
        }

    @property
    def total(self) -> int:
        return sum(self.by_fragment.values())


def _count(dataset: Any, fragments: Collection[Any]) -> Mapping[int, int]:
    """The counts of these fragments that have any. lance's own `count_rows` of a fragment keeps
    Python's lock while it waits for lance's threads, and these may wait for the lock: then the
    process stops for good."""
    if not fragments:
        return {}
    numpy = libraries.numpy()
    scanner = dataset.scanner(
        columns=[],
        filter=f"{VECTOR} IS NOT NULL",
        with_row_address=True,
        fragments=list(fragments),
        **libraries.READ_ALL,
    )
    found: dict[int, int] = {}
    for batch in scanner.to_batches():
        of, counts = numpy.unique(batch["_rowaddr"].to_numpy() >> 32, return_counts=True)
        for one, count in zip(of.tolist(), counts.tolist(), strict=True):
            found[one] = found.get(one, 0) + count
    return found
