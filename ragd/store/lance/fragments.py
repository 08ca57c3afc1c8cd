"""The fragments of a version, and which of them have the same rows as in an earlier version.

lance never changes a file: a fragment with the same files, also the one that lists its deleted
rows, has the same rows. So what was read of it for one version is right for the next one, too. It
reads no rows.
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

Content = tuple[tuple[str, ...], int, str]  # files, how many rows are deleted, the file of these


class Changes(NamedTuple):
    """What a version has: fragments that are as before, and others."""

    contents: dict[int, Content]  # by fragment id, ascending
    same: frozenset[int]
    others: list[Any]  # lance's fragments


def find_changes(
    dataset: Any, known: Mapping[int, Content], only: Collection[int] | None = None
) -> Changes:
    """Compare the fragments of this version (`only`: these) with known ones."""
    fragments = sorted(dataset.get_fragments(), key=lambda one: int(one.fragment_id))
    if only is not None:
        fragments = [one for one in fragments if one.fragment_id in only]
    contents = {one.fragment_id: content_of(one) for one in fragments}
    same = frozenset(one for one, content in contents.items() if known.get(one) == content)
    return Changes(contents, same, [one for one in fragments if one.fragment_id not in same])


def content_of(fragment: Any) -> Content:
    """What identifies the rows of a fragment."""
    facts = fragment.metadata
    files = tuple(file.path for file in facts.files)
    return files, int(facts.num_deletions), fragment.deletion_file() or ""
