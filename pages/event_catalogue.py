"""docs/events.md, generated from ragd/events/: each fact, its actors and its meaning."""

import re
from collections.abc import Collection, Iterator
from importlib import import_module
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec import inspect

import ragd
from pages.markdown import row, table_head
from pages.recorders import recorders
from pages.vocabulary import Written, read_all
from ragd.events import EVENT_TYPES, Fact, SplitFact, Unknown, tag_of_type
from ragd.folds import State, catalog_scans, health_reasons

PACKAGE = Path(ragd.__file__).parent

# The meaning of a field name in every fact, unless the field has a comment.
EVERYWHERE = {
    "batch_id": "the batch that this belongs to",
    "code": "the error code ([troubleshooting.md](troubleshooting.md))",
    "config_hash": "a hash of the settings, twelve digits",
    "dependency": "its name",
    "duration_ms": "the time it took, in milliseconds",
    "file": "its path in the vault",
    "fingerprint": "how notes are cut: a hash of the chunker and its settings",
    "generation": "the index concerned; empty: the one that serves",
    "job_id": "the job that this belongs to",
    "key_hash": "a keyed hash of the memory's key",
    "kind": "what happened to it",
    "mode": "what the job does",
    "model": "the provider's name for it",
    "mtime_ns": "when it was last changed, in nanoseconds since 1970",
    "outcome": "how the job ended",
    "path": "its path in the vault",
    "provider": "the provider that makes the vectors",
    "reason": "the reason, a word from a closed list",
    "segment": "the file in `events/`",
    "sha256": "the SHA-256 of its content",
    "size": "in bytes",
    "table_version": "the version of the table after this",
    "took_ms": "the time it took, in milliseconds",
    "tool": "the tool of the last such call",
}

INTRO = """\
# Every fact that the log can hold

<!-- Made from ragd/events/ by `make docs`; change it there. -->

Everything that ragd learns or does is a fact in its log, in the past tense. The state is a fold of
these facts. A fact never contains text of a note, a question, a vector or a secret. It may contain
paths of notes; all other texts are names, codes and phrases from closed lists.

    ragctl events --type job_started --type job_finished   # what happened
    ragctl events -f                                       # what is happening
    ragctl replay --until 12                               # the state when record 12 was written

[log-format.md](log-format.md) describes the files and the fields around each fact (`seq`, `ts`,
`actor`, `cause`). A reader skips facts and fields that it does not know: a later version may add
them. A default is the value of a field that is missing in an older log.
"""


def page() -> str:
    """The whole page."""
    written = read_all(PACKAGE / "events")
    who = recorders(PACKAGE, [kind.__name__ for kind in known()])
    for name, actors in who.items():
        owner = written[name].section.lower().removeprefix("the ").replace(" ", "_")
        who[name] = sorted(actors or [owner], key=lambda actor: actor != owner)
    lines = [INTRO, *_overview(written, who)]
    for section, kinds in groupby(known(), lambda kind: written[kind.__name__].section):
        lines += ["", f"## {section}"]
        for kind in kinds:
            lines += _fact(kind, written, who[kind.__name__])
    return "\n".join(lines) + "\n"


def known() -> list[type[Fact]]:
    """All facts that are recorded, in the order of `ragd.events.Event`."""
    return [kind for kind in EVENT_TYPES if kind is not Unknown]


def folds() -> dict[str, Collection[type]]:
    """Each fold that is part of the state, and the facts that it handles. `parts` is not included:
    it only joins the parts of long facts."""
    found: dict[str, Collection[type]] = {}
    for name in State.__struct_fields__:
        if isinstance(getattr(State(), name), msgspec.Struct) and name != "parts":
            fold = import_module(f"ragd.folds.{name}")
            found[name] = fold.HANDLERS if hasattr(fold, "HANDLERS") else fold.CHANGED_BY
    found["catalog"] = [*found["catalog"], *catalog_scans.HANDLERS]
    return found


def fields_of(kind: type, written: dict[str, Written]) -> Iterator[tuple[str, str, str, str]]:
    """Name, type, default and meaning of each field, including the fields of listed items."""
    shape = inspect.type_info(kind)
    assert isinstance(shape, inspect.StructType)
    for field in shape.fields:
        about = _about(kind, field.name, written)
        yield field.encode_name, type_words(field.type), _default(field), about
        if isinstance(field.type, inspect.ListType) and isinstance(
            field.type.item_type, inspect.StructType
        ):
            for name, kind_words, default, meaning in fields_of(field.type.item_type.cls, written):
                yield f"{field.encode_name}[].{name}", kind_words, default, meaning


def type_words(shape: inspect.Type) -> str:
    """A type in plain words."""
    match shape:
        case inspect.StrType():
            return "text"
        case inspect.IntType():
            return "whole number"
        case inspect.BoolType():
            return "true or false"
        case inspect.NoneType():
            return "null"
        case inspect.LiteralType():
            return ", ".join(f"`{value}`" for value in shape.values)
        case inspect.UnionType():
            return " or ".join(type_words(one) for one in shape.types)
        case inspect.ListType():
            if isinstance(shape.item_type, inspect.StructType):
                return "list"
            return f"list of {type_words(shape.item_type)}"
        case _:
            raise TypeError(f"no words for {shape}")


def _overview(written: dict[str, Written], who: dict[str, list[str]]) -> Iterator[str]:
    yield from table_head("fact", "recorded by", "meaning")
    for kind in known():
        name, tag = kind.__name__, tag_of_type(kind)
        yield row(f"[`{tag}`](#{tag})", _actors(who[name]), _first(written[name].sentences))


def _fact(kind: type[Fact], written: dict[str, Written], actors: list[str]) -> Iterator[str]:
    tag = tag_of_type(kind)
    yield from ("", f"### {tag}", "", written[kind.__name__].sentences, "")
    yield " ".join((f"Recorded by: {_actors(actors)}.", *_uses(kind)))
    if issubclass(kind, SplitFact):
        yield "A long one is split into parts; it takes effect at the part with `last`."
    yield ""
    yield from table_head("field", "type", "default", "meaning")
    for name, kind_words, default, about in fields_of(kind, written):
        yield row(f"`{name}`", kind_words, default, about)


def _uses(kind: type[Fact]) -> Iterator[str]:
    changed = [name for name, kinds in folds().items() if kind in kinds]
    yield f"Folded into: {', '.join(changed)}." if changed else "Not folded."
    raised = [reason.code for reason in health_reasons.REASONS if kind in reason.raised_by]
    cleared = [reason.code for reason in health_reasons.REASONS if kind in reason.cleared_by]
    if raised:
        yield f"May raise: {', '.join(raised)}."
    if cleared:
        yield f"May clear: {', '.join(cleared)}."


def _actors(names: list[str]) -> str:
    return ", ".join(name.replace("_", " ") for name in names)


def _about(kind: type, name: str, written: dict[str, Written]) -> str:
    """The field's comment; else a reference to the struct's docstring; else its usual meaning."""
    for owner in kind.__mro__:
        if owner.__name__ in written:
            comment = written[owner.__name__].fields.get(name)
            if comment:
                return comment
    if f"`{name}`" in written[kind.__name__].sentences:
        return "see above"
    return EVERYWHERE.get(name, "")


def _first(sentences: str) -> str:
    return re.split(r"(?<=\.) ", sentences)[0]


def _default(field: inspect.Field) -> str:
    if field.required:
        return ""
    made = field.default_factory is not msgspec.NODEFAULT
    value = field.default_factory() if made else field.default
    return f"`{msgspec.json.encode(value).decode()}`"
