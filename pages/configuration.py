"""docs/configuration.md and docs/config.schema.json, generated from the configuration's structs."""

import json
from collections.abc import Iterator
from itertools import groupby

import msgspec
from msgspec import inspect

from pages.markdown import row, table_head
from ragd.config.json_schema import Schema, json_schema
from ragd.config.keys import Effect, Key, dotted_keys
from ragd.config.schema import AccessRule, CollectionSettings, Config
from ragd.config.validation import expected_words, without_metadata

EFFECTS: dict[Effect, str] = {
    "at once": "at once",
    "sync": "at once; starts a sync",
    "recut": "at once; starts a reindex",
    "restart": "after a restart",
}

INTRO = """\
# Configuration

<!-- Made from ragd/config/schema.py by `make docs`; change it there. -->

There is one file, `config.json`, in `~/.obsidian-rag` (`%APPDATA%/obsidian-rag` on Windows; use
`--home` or `OBSIDIAN_RAG_HOME` for another folder). Only `vault_path` is required: `ragctl init`
writes it. All other keys have defaults. Relative paths start from the file's own folder, and `~` is
your home.

    {"vault_path": "~/Notes", "indexing": {"deny_dirs": [".obsidian", ".trash", "Private"]}}

The file is read strictly. An unknown key, a wrong type, a value out of range or an unsafe
combination is refused with the key's name and the nearest valid one (exit 78), and nothing starts.
Nothing in the vault can change the configuration.

    ragctl config show --defaults           # every setting that is in effect
    ragctl config set watch.rescan_s 600    # check it, write it, apply it in the running daemon
    ragctl config validate                  # after you edited the file by hand

## When a change takes effect

`ragctl config set` applies a change in the running daemon and prints when it takes effect. The
daemon also finds manual edits within seconds. If it refuses the file, nothing changes, and
`ragctl status` says why.

- **at once**: with the next question, save or check.
- **at once; starts a sync**: notes that now belong to the index are read, and notes that no longer
  do are removed, however many they are. Searches leave out denied folders at once.
- **at once; starts a reindex**: all notes are cut again for a new index. The old index serves until
  the new one is complete. Vectors of unchanged passages come from the cache.
- **after a restart**: the daemon reads the value only when it starts. A new `vault_path` starts a
  new index and removes the old one. A new `vector_store.path` is empty at first: run
  `ragctl index`. An index keeps the vector space that it was built in: after a change of
  `embedding.provider`, `model` or `dimensions`, health shows INDEX_MODEL_MISMATCH, and only words
  are searched until `ragctl reindex`. Leave `embedding.dimensions` out: the size comes from the
  model, and any other number is DIMENSIONS_MISMATCH.
"""

COLLECTIONS = """\
Further folders beside the vault ([collections](collections.md)), and words that explain folders.
`ragctl collection add` and `ragctl context set` write these keys."""

RULES = """\
## Rules between keys

- `indexing.chunk_overlap` must be smaller than `indexing.chunk_size`.
- `search.vector_weight` and `search.text_weight` must not both be 0.
- `embedding.base_url` must be this machine (`localhost`, `127.…`, `[::1]`) unless
  `security.local_only` is false and `security.external_confirmed` is true. Sensitive passages and
  questions are not sent to another machine even then; they are found by words.
- An index in an object store (`vector_store.path`) on another machine needs the same two keys,
  unless `role` is `"reader"`. A reader and `log.mirror` need such an index ([scale](scale.md)).
- Folders in `deny_dirs` and `allow_dirs` are relative to the vault and must be inside it. Hidden
  folders and files over 10 MiB are always left out.
- ragd's own folder and the index must not be in the vault, and the vault must not be in them.
- Names of collections are lower case letters, digits and hyphens; `vault` and `memory` are taken.
  Their folders must not overlap with each other, with the vault or with ragd's own folder.

## In your editor

[config.schema.json](config.schema.json) is a JSON Schema with names, choices, ranges and meanings,
which editors show while you type. `ragctl config schema` prints the schema of the version that you
have:

    ragctl config schema > ~/.obsidian-rag/config.schema.json

Then name it in config.json. This is the only key that ragd ignores:

    {"$schema": "./config.schema.json", "vault_path": "~/Notes"}

A schema cannot express every rule; `ragctl config validate` checks all of them.
"""


def page() -> str:
    """The whole page."""
    lines = [INTRO]
    for section, keys in groupby(dotted_keys(), lambda key: key.name.rpartition(".")[0]):
        lines += _section(section, list(keys))
        if section == "access":
            lines += _inner_section("A rule of `access.rules`", AccessRule)
    return "\n".join([*lines, RULES])


def schema_file() -> str:
    """The schema as a file."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _section(section: str, keys: list[Key]) -> Iterator[str]:
    is_first = keys[0].name == "vault_path"
    yield f"## {section or ('The vault' if is_first else 'Collections and contexts')}"
    if section:
        yield from ("", _purpose(section))
    elif not is_first:
        yield from ("", COLLECTIONS)
    yield ""
    yield from table_head("key", "default", "type and range", "meaning", "a change takes effect")
    for key in keys:
        default = "(required)" if key.default is None else _shown(key.default)
        kind = f"{key.kind}{_limit(key.name)}"
        yield row(f"`{key.name}`", default, kind, key.description, EFFECTS[key.effect])
    yield ""
    if any(key.name == "collections" for key in keys):
        yield from _inner_section("A collection", CollectionSettings)


def _inner_section(title: str, kind: type[msgspec.Struct], prefix: str = "") -> Iterator[str]:
    """The keys of a section that a list or a section of free names contains."""
    shape = inspect.type_info(kind)
    assert isinstance(shape, inspect.StructType)
    if not prefix:
        yield from (f"### {title}", "", str(kind.__doc__), "")
        yield from table_head("key", "default", "type", "meaning")
    for field in shape.fields:
        name = prefix + field.encode_name
        inner = without_metadata(field.type)
        if isinstance(inner, inspect.StructType):
            yield from _inner_section("", inner.cls, f"{name}.")
            continue
        assert isinstance(field.type, inspect.Metadata)
        described = str((field.type.extra_json_schema or {})["description"])
        default = "(required)" if field.required else _shown(field.default)
        yield row(f"`{name}`", default, expected_words(field.type), described)
    if not prefix:
        yield ""


def _limit(dotted: str) -> str:
    schema: Schema = json_schema()
    for name in dotted.split("."):
        schema = schema["properties"][name]
    if "maxLength" in schema:
        return f", at most {schema['maxLength']:,} characters"
    most = schema.get("maxItems") or schema.get("maxProperties")
    least = ", at least one" if schema.get("minItems") else ""
    return f"{least}, at most {most:,}" if most else ""


def _purpose(section: str) -> str:
    shape: object = inspect.type_info(Config)
    for part in section.split("."):
        assert isinstance(shape, inspect.StructType)
        field = next(field for field in shape.fields if field.encode_name == part)
        shape = without_metadata(field.type)
    assert isinstance(shape, inspect.StructType)
    return " ".join(str(shape.cls.__doc__).split())


def _shown(value: object) -> str:
    return f"`{msgspec.json.encode(value).decode()}`"
