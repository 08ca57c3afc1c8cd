"""Single settings by their dotted names: list, get, set, unset, compare.

It never touches the disk, and never changes the dictionary it is given. Rules about several keys
are checked by `load.parse`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import msgspec
from msgspec import inspect

from ragd.close_match import closest
from ragd.config.load import effective
from ragd.config.schema import Config
from ragd.config.validation import (
    JsonObject,
    as_json_value,
    expected_words,
    find_problems,
    printable,
    raise_problems,
    without_metadata,
)
from ragd.errors import ConfigError

Effect = Literal["at once", "sync", "recut", "restart"]

# Actors keep these open from their start: the vault, the tables, the provider.
_RESTART = ("vault_path", "role", "vector_store.", "embedding.", "log.")
_AT_ONCE = ("embedding.language", "embedding.worker_idle_s")  # a language: for the next index
_SYNC = (
    *("indexing.file_patterns", "indexing.deny_dirs", "indexing.allow_dirs"),
    *("indexing.templates", "collections"),
    *("sessions.enabled", "sessions.path", "sessions.keep_days"),
)
_RECUT = ("indexing.chunk_size", "indexing.chunk_overlap", "security.code_blocks")


class Key(NamedTuple):
    """One setting, as the reference page lists it. A setting without a default is required."""

    name: str
    kind: str
    default: object
    description: str
    effect: Effect


def dotted_keys() -> list[Key]:
    """Every setting, in the order of the reference page."""
    return [
        Key(name, expected_words(field.type), _default(field), _description(field), effect(name))
        for name, field in _FIELDS.items()
    ]


def effect(name: str) -> Effect:
    """When a change takes effect: at once, at once with an automatic sync, at once with all notes
    cut again, or when the daemon restarts."""
    if name.startswith(_RESTART) and name not in _AT_ONCE:
        return "restart"
    if name in _RECUT:
        return "recut"
    return "sync" if name in _SYNC else "at once"


def is_known(dotted: str) -> bool:
    """Whether there is a key or a section with this name."""
    return any(name == dotted or name.startswith(f"{dotted}.") for name in _FIELDS)


def get_value(tree: Mapping[str, object], dotted: str) -> object:
    """The value of a key or a section in `tree`; the default if it is not set there."""
    inside = [name for name in _FIELDS if name.startswith(f"{dotted}.")]
    if inside:
        children = dict.fromkeys(name[len(dotted) + 1 :].partition(".")[0] for name in inside)
        return {name: get_value(tree, f"{dotted}.{name}") for name in children}
    name, entry = _split(dotted)
    value: object = tree
    for part in name.split("."):
        if not isinstance(value, Mapping):
            raise ConfigError(f"`{name}` has no value: its parent is not a section.")
        if part not in value:
            value = _default(_FIELDS[name])
            break
        value = value[part]
    if entry is None:
        if value is None:
            raise ConfigError(f"`{name}` is not set.", f"Run `ragctl config set {name} VALUE`.")
        return value
    entry, inner = _split_entry(name, entry)
    if not isinstance(value, Mapping) or entry not in value:
        raise ConfigError(f"`{name}` has no entry with this name.")
    if not inner:
        return value[entry]
    settings, fields = value[entry], _entry_fields(name)
    if inner not in fields or not isinstance(settings, Mapping):
        raise ConfigError(f"`{name}.{entry}` has no such key.", f"It has: {', '.join(fields)}.")
    return settings.get(inner, _default(fields[inner]))


def set_value(tree: Mapping[str, object], dotted: str, text: str) -> JsonObject:
    """A copy of `tree` with one key set from what a person typed: JSON, or plain text."""
    inside = [name for name in _FIELDS if name.startswith(f"{dotted}.")]
    if inside:
        raise ConfigError(f"`{dotted}` is a section.", f"Set one of its keys: {', '.join(inside)}.")
    name, entry = _split(dotted)
    shape = without_metadata(_FIELDS[name].type)
    if entry is not None and isinstance(shape, inspect.DictType):
        known = get_value(tree, name)
        if not isinstance(known, Mapping):
            raise ConfigError(f"`{name}` should be {expected_words(shape)}.")
        entry, inner = _split_entry(name, entry)
        new = _typed(shape.value_type, text)
        if inner:
            new = _with_inner(known.get(entry), name, entry, inner, text)
        value = dict(known) | {entry: new}
        # Only the new entry is checked: a wrong old one must not prevent the change.
        raise_problems(find_problems(shape, {entry: value[entry]}, name))
        return _with(tree, name.split("."), value, name)
    typed = _typed(shape, text)
    raise_problems(find_problems(shape, typed, name))
    return _with(tree, name.split("."), typed, name)


def unset_value(tree: Mapping[str, object], dotted: str) -> JsonObject:
    """A copy of `tree` without a key or a section, known or unknown."""
    left = _without(tree, dotted)
    if left is None:
        raise ConfigError(f"`{printable(dotted)}` is not in the configuration.")
    return left


def _without(tree: Mapping[str, object], dotted: str) -> JsonObject | None:
    """None if it is not there. A section that becomes empty is removed too."""
    if dotted in tree:
        return {name: tree[name] for name in tree if name != dotted}
    for name, inner in tree.items():
        if dotted.startswith(f"{name}.") and isinstance(inner, Mapping):
            rest = _without(inner, dotted.removeprefix(f"{name}."))
            if rest is not None:
                return {**tree, name: rest} if rest else _without(tree, name)
    return None


def changed_keys(old: Config, new: Config) -> list[str]:
    """The dotted keys whose values differ."""
    before, after = effective(old), effective(new)
    return [name for name in _FIELDS if get_value(before, name) != get_value(after, name)]


def needs_restart(old: Config, new: Config) -> list[str]:
    """The dotted keys that differ and take effect only after a restart."""
    return [name for name in changed_keys(old, new) if effect(name) == "restart"]


def _leaves(shape: inspect.Type, prefix: str = "") -> Iterator[tuple[str, inspect.Field]]:
    shape = without_metadata(shape)
    assert isinstance(shape, inspect.StructType)
    for field in shape.fields:
        name = prefix + field.encode_name
        if isinstance(without_metadata(field.type), inspect.StructType):
            yield from _leaves(field.type, f"{name}.")
        else:
            yield name, field


_FIELDS = dict(_leaves(inspect.type_info(Config)))


def _default(field: inspect.Field) -> object:
    if field.default_factory is not msgspec.NODEFAULT:
        return as_json_value(field.default_factory())
    return None if field.default is msgspec.NODEFAULT else as_json_value(field.default)


def _description(field: inspect.Field) -> str:
    assert isinstance(field.type, inspect.Metadata), field.name
    return str((field.type.extra_json_schema or {})["description"])


def _split(dotted: str) -> tuple[str, str | None]:
    """A key, and the entry in it if its names are free (`memory.patterns.financial`)."""
    if dotted in _FIELDS:
        return dotted, None
    for name, field in _FIELDS.items():
        if isinstance(without_metadata(field.type), inspect.DictType) and dotted.startswith(
            f"{name}."
        ):
            return name, dotted.removeprefix(f"{name}.")
    near = closest(dotted.lower(), _FIELDS)
    hint = f"Did you mean `{near}`?" if near else f"The keys are: {', '.join(_FIELDS)}."
    raise ConfigError(f"`{printable(dotted)}` is not a known key.", hint)


def _split_entry(name: str, entry: str) -> tuple[str, str]:
    """An entry, and the key in it if entries have keys: `papers.patterns` in `collections`."""
    before, dot, after = entry.partition(".")
    return (before, after) if dot and _entry_fields(name) else (entry, "")


def _entry_fields(name: str) -> dict[str, inspect.Field]:
    """The keys that each entry has; none if entries are plain values."""
    shape = without_metadata(_FIELDS[name].type)
    entry = without_metadata(shape.value_type) if isinstance(shape, inspect.DictType) else shape
    fields = entry.fields if isinstance(entry, inspect.StructType) else ()
    return {field.encode_name: field for field in fields}


def _with_inner(known: object, name: str, entry: str, inner: str, text: str) -> JsonObject:
    """A copy of an entry with one of its keys set."""
    if not isinstance(known, Mapping):
        raise ConfigError(f"`{name}` has no entry `{printable(entry)}`.")
    field = _entry_fields(name).get(inner)
    return {**known, inner: text if field is None else _typed(field.type, text)}


def _typed(shape: inspect.Type, text: str) -> object:
    """The value of typed text: JSON if it fits the key's type, else the text itself."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    wants_text = isinstance(without_metadata(shape), inspect.StrType | inspect.LiteralType)
    return text if wants_text and not isinstance(value, str) else value


def _with(tree: Mapping[str, object], path: list[str], value: object, key: str) -> JsonObject:
    name, *rest = path
    if not rest:
        return {**tree, name: value}
    inner = tree.get(name, {})
    if not isinstance(inner, Mapping):
        raise ConfigError(f"`{name}` should be a section in braces, so `{key}` cannot be set.")
    return {**tree, name: _with(inner, rest, value, key)}
