"""Sentences about names in filters that no note has, each with the closest name in the index.

It reads the index. It refuses nothing. It suggests only names from notes that may be shown, and
never values, because they are text of notes.
"""

from collections.abc import Callable, Iterable

from ragd.access.scope import Permits
from ragd.notes.properties import has_order, matching_values
from ragd.search.query import filters as limits
from ragd.search.query.close_matches import closest_folder, closest_name
from ragd.search.query.conditions import PROPERTIES, Condition
from ragd.search.query.filters import Filters
from ragd.search.query.query_language import Term
from ragd.store.lance import ChunkIndex, condition

PROBED_PASSAGES = 50  # that have the suggested name; one of their notes must be permitted
SUGGESTION = " Did you mean "  # what comes after it may be the name of a sensitive note

Folders = Callable[[], Iterable[str]]  # the folders of the index that may be searched


async def explain_unknown_names(
    tags: Iterable[str],
    terms: Iterable[Term],
    index: ChunkIndex,
    folders: Folders,
    permits: Permits,
) -> list[str]:
    """A sentence for each requested tag, and for each tag, folder and property in `terms`, that no
    note has."""
    named = [Term("tag", tag.strip().lstrip("#").strip("/")) for tag in tags]
    found = []
    for term in (*named, *terms):
        if term.kind == "tag":
            found.append(await _explain_tag(term, index, permits))
        elif term.kind == "folder":
            found.append(_explain_folder(term, folders()))
        elif term.kind == "property":
            found.append(await _explain_property(term, index, permits))
    return [sentence for sentence in dict.fromkeys(found) if sentence]


async def _explain_tag(term: Term, index: ChunkIndex, permits: Permits) -> str:
    known = await index.list_tags()
    if limits.match_tags([limits.normalised(term.text)], known):
        return ""
    near = closest_name(term.text, [tag.lstrip("#") for tag in known])
    if near and not await _has_note(index, Filters(tags=(f"#{near}",), tag_column="tags"), permits):
        near = None
    return _sentence(f"No note has the tag `{term.text}`.", near)


def _explain_folder(term: Term, known: Iterable[str]) -> str:
    known = list(known)
    wanted = limits.normalised(term.text).strip("/")
    if any(limits.normalised(one) == wanted for one in known):
        return ""
    return _sentence(
        f"The folder `{term.text}` is not in the index.", closest_folder(term.text, known)
    )


async def _explain_property(term: Term, index: ChunkIndex, permits: Permits) -> str:
    known = await index.list_properties(term.text)
    if not known:
        near = closest_name(term.text, await index.list_property_names())
        values = await index.list_properties(near) if near else []
        having = Filters(conditions=(Condition(PROPERTIES, tuple(values)),))
        near = near if values and await _has_note(index, having, permits) else None
        return _sentence(f"No note has the property `{term.text}`.", near)
    if term.negated or term.operator in ("", "!="):
        return ""
    if matching_values(term.text, term.operator, term.value, known):
        return ""
    fact = f"No note has `{term.text}{term.operator}{term.value}`."
    if term.operator == "=" or has_order(term.value):
        return fact
    return f"{fact} Only numbers and dates can be compared with `{term.operator}`."


def _sentence(fact: str, near: str | None) -> str:
    return f"{fact}{SUGGESTION}`{near}`?" if near else fact


async def _has_note(index: ChunkIndex, filters: Filters, permits: Permits) -> bool:
    """Whether a note that may be shown passes the filters."""
    hits = await index.find_newest(PROBED_PASSAGES, condition(filters) or "TRUE")
    return any(permits(hit.source_file) for hit in hits)
