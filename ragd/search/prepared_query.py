"""Prepares a request: parses its query language, resolves its filters, corrects its typos.

It reads the index for the names that exist, and ranks nothing.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, structs

from ragd.access.scope import Permits
from ragd.errors import RagdError
from ragd.notes.properties import matching_values
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search.query import filters as limits
from ragd.search.query import query_language, typos
from ragd.search.query.conditions import (
    FOLDERS,
    PHRASE,
    PROPERTIES,
    TAGS,
    TITLE,
    Condition,
    describe_filters,
)
from ragd.search.query.query_language import Term
from ragd.search.query.question_language import question_language
from ragd.search.query.typos import Correction
from ragd.search.unknown_names import explain_unknown_names
from ragd.search.vocabulary import VocabularyCache
from ragd.store.lance import ChunkIndex

MOST_VALUES = 5_000  # different property values that one comparison may match
MOST_CORRECTED = 8  # words that are looked up
PROBED_PASSAGES = 5  # read to check that a word is still in a note
MAY_BE_RIGHT = 2  # pieces of the tokenizer; a word that it cuts in more pieces is hardly a word

Count = Callable[[str], int]
Folders = Callable[[], Iterable[str]]  # the folders of the index that may be searched


class PreparedQuery(Struct, frozen=True):
    """What is searched. `filters`: the limits, as text for a person."""

    text: str
    request: SearchRequest
    conditions: tuple[Condition, ...] = ()
    excluded: str = ""
    corrections: tuple[Correction, ...] = ()
    filters: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()  # phrases that every result has
    hints: tuple[str, ...] = ()  # about phrases, tags, folders and properties that no note has

    @property
    def is_literal(self) -> bool:
        """Whether the query is only exact phrases: then every passage with them is right."""
        quoted = {word for phrase in self.quoted for word in limits.normalised(phrase).split()}
        return bool(quoted) and quoted.issuperset(limits.normalised(self.text).split())

    @property
    def lists_everything(self) -> bool:
        """Whether the query has only limits: then every note within them is listed."""
        return bool(self.filters) and not any(c.isalnum() for c in self.text)


class QueryPreparer:
    """Prepares requests."""

    def __init__(
        self, vocabularies: VocabularyCache, count_tokens: Count, permits: Permits
    ) -> None:
        self._vocabulary_cache = vocabularies
        self._count_tokens = count_tokens
        self._permits = permits

    async def prepare(
        self, request: SearchRequest, index: ChunkIndex, folders: Folders
    ) -> PreparedQuery:
        """The parts of a request. Raises RagdError for a property that cannot be compared."""
        query = query_language.parse(request.query)
        properties = [query_language.parse_property(text) for text in request.properties]
        terms = (*query.terms, *properties)
        request, rest = _move_tags_and_folders(request, terms)
        unknown = [term for term in rest if await _is_unknown_phrase(term, index)]
        rest = [term for term in rest if term not in unknown]
        conditions = [one for term in rest for one in await self._resolve(term, index, folders)]
        corrections = await self._find_corrections(query.plain, index)
        hints = await explain_unknown_names(request.tags, rest, index, folders, self._permits)
        phrases = [one.text for one in rest if one.kind == PHRASE and not one.negated]
        return PreparedQuery(
            typos.apply_corrections(query.plain, corrections),
            request,
            tuple(conditions),
            query.excluded,
            tuple(corrections),
            tuple(
                describe_filters([term for term in terms if term not in unknown], query.excluded)
            ),
            tuple(phrases),
            (
                *(
                    f'No note has the exact phrase "{term.text}"; its words were searched.'
                    for term in unknown
                ),
                *hints,
            ),
        )

    async def _resolve(self, term: Term, index: ChunkIndex, folders: Folders) -> list[Condition]:
        """The conditions of a term, in the index's own spelling."""
        if term.kind in (PHRASE, TITLE):
            return [Condition(term.kind, (term.text,), term.negated)]
        if term.kind == "tag":
            known = limits.match_tags([limits.normalised(term.text)], await index.list_tags())
            return [Condition(TAGS, known, term.negated)]
        if term.kind == "folder":
            wanted = limits.normalised(term.text).strip("/")
            matching = tuple(one for one in folders() if limits.normalised(one) == wanted)
            return [Condition(FOLDERS, matching, term.negated)]
        known = matching_values(term.text, "", "", await index.list_properties(term.text))
        values = matching_values(term.text, term.operator, term.value, known)
        if len(values) > MOST_VALUES:
            raise RagdError(
                "INVALID_REQUEST",
                f"More than {MOST_VALUES:,} different values of the property `{term.text}` match.",
                "Narrow the comparison: give both ends of a range.",
            )
        if term.operator == "!=":
            unequal = Condition(PROPERTIES, values, negated=True)
            return (
                [Condition(PROPERTIES, known), unequal]
                if not term.negated
                else [Condition(PROPERTIES, values)]
            )
        return [Condition(PROPERTIES, values, term.negated)]

    async def _find_corrections(self, text: str, index: ChunkIndex) -> list[Correction]:
        """Words that no note has, each with the nearest words of the vault."""
        vocabulary = self._vocabulary_cache.get(index)
        if vocabulary is None or await _is_foreign(text, index):
            return []
        found = []
        for word in typos.maybe_mistyped(text, vocabulary)[:MOST_CORRECTED]:
            pieces = self._count_tokens(word)
            if pieces == 1:
                continue  # a correct word that no note happens to have
            near = await asyncio.to_thread(
                vocabulary.words_near, typos.normalised(word), may_be_right=pieces <= MAY_BE_RIGHT
            )
            near = [one for one in near if await self._is_in_a_note(one, index)]
            if near and not await index.find_by_words(word, 1):
                found.append(Correction(word, near))
        return found

    async def _is_in_a_note(self, word: str, index: ChunkIndex) -> bool:
        """Whether a note that may be shown has this word: the vocabulary may be out of date."""
        hits = await index.find_by_words(word, PROBED_PASSAGES)
        return any(self._permits(hit.source_file) for hit in hits)


async def _is_foreign(text: str, index: ChunkIndex) -> bool:
    """Whether few notes are in the question's language: its words are foreign, not mistyped."""
    known = await index.word_frequencies()
    return known.is_foreign(question_language(text, known.languages))


async def _is_unknown_phrase(term: Term, index: ChunkIndex) -> bool:
    """Whether this is a phrase that no note has. Its words are then searched instead."""
    if term.kind != PHRASE or term.negated:
        return False
    return not await index.has_phrase(term.text)


def _move_tags_and_folders(
    request: SearchRequest, terms: Sequence[Term]
) -> tuple[SearchRequest, list[Term]]:
    """Move the first tag and the folders of the question to the request's fields, if these are
    empty, so that they rank and fail like the fields. Returns the request and the other terms.
    Collections are left out: the index has only rows of the right ones."""
    tags = [term for term in terms if term.kind == "tag" and not term.negated][:1]
    folders = [term for term in terms if term.kind == "folder" and not term.negated]
    moved = [term for term in terms if term.kind == "collection"]  # they decided the scope
    if tags and not request.tags:
        request = structs.replace(request, tags=[tags[0].text])
        moved += tags
    if folders and not request.directory_filter:
        request = structs.replace(request, directory_filter=[one.text for one in folders])
        moved += folders
    return request, [term for term in terms if term not in moved]
