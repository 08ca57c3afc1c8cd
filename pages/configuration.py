"""docs/configuration.md and docs/config.schema.json, made from the configuration's structs."""

import json
from collections.abc import Iterator
from itertools import groupby

import msgspec
from msgspec import inspect

from pages.markdown import row, table_head
from ragd.config.json_schema import Schema, json_schema
from ragd.config.keys import Effect, Key, dotted_keys
from ragd.config.schema import Config
from ragd.config.validation import without_metadata

EFFECTS: dict[Effect, str] = {
    "at once": "at once",
    "sync": "at once, and a sync by itself",
    "recut": "at once, and a reindex by itself",
    "restart": "at a restart",
}

INTRO = """\
# Configuration

<!-- Made from ragd/config/schema.py by `make docs`; change it there. -->

One file, `config.json`, in `~/.obsidian-rag` (`%APPDATA%/obsidian-rag` on Windows; `--home` or
`OBSIDIAN_RAG_HOME` name another folder). Only `vault_path` must be in it: `ragctl init` writes
that, and what is left out has its default. Relative paths start from the file's own folder, and
`~` is your home.

    {"vault_path": "~/Notes", "indexing": {"deny_dirs": [".obsidian", ".trash", "Private"]}}

It is read strictly: an unknown key, a wrong type, a value out of range or an unsafe combination
is refused with the key's name and the nearest right one (exit 78), and nothing starts. Nothing in
the vault can change it.

    ragctl config show --defaults           # every setting that is in force
    ragctl config set watch.rescan_s 600    # check, write, tell the running daemon
    ragctl config validate                  # after you edited it by hand

## When a change takes effect

`ragctl config set` tells the daemon and says which it is. What you edit by hand the daemon finds
within seconds; a file that it refuses changes nothing, and `ragctl status` says why.

- **at once**: with the next question, save or look.
- **at once, and a sync by itself**: notes that belong to the index now are read, those that no
  longer do are taken out, however many they are. Searches leave denied folders out at once.
- **at once, and a reindex by itself**: all notes are cut again into an index beside the old one,
  which serves until the new one is whole. Vectors of passages that stayed the same come from the
  cache.
- **at a restart**: the daemon holds it open from its start. Another `vault_path` starts a new
  index and removes the old one. Another `vector_store.path` is empty at first: run
  `ragctl index`. An index stays in the vector space that it was built in: after a change of
  `embedding.provider`, `model` or `dimensions` health says INDEX_MODEL_MISMATCH, and words alone
  are searched until `ragctl reindex`. `embedding.dimensions` is best left out: the size is the
  model's own, and another number is DIMENSIONS_MISMATCH.
"""

RULES = """\
## Rules between keys

- `indexing.chunk_overlap` must be smaller than `indexing.chunk_size`.
- `search.vector_weight` and `search.text_weight` must not both be 0.
- `embedding.base_url` must be this machine (`localhost`, `127.…`, `[::1]`) unless
  `security.local_only` is false and `security.external_confirmed` is true. Sensitive passages and
  questions are not sent to another machine even then; they are found by words.
- Folders in `deny_dirs` and `allow_dirs` are relative to the vault and do not step out of it. In
  any case hidden folders are left out, and so are files over 10 MiB.
- ragd's own folder and the index must not lie in the vault, nor the vault in them.

## In your editor

[config.schema.json](config.schema.json) is the same as a JSON Schema: names, choices, ranges and
meanings, shown while you type. `ragctl config schema` prints the one of the version that you
have:

    ragctl config schema > ~/.obsidian-rag/config.schema.json

Then name it in config.json, as the one key there that ragd has no use for:

    {"$schema": "./config.schema.json", "vault_path": "~/Notes"}

A schema cannot say everything that the reader refuses; `ragctl config validate` does.
"""


def page() -> str:
    """The whole page."""
    lines = [INTRO]
    for section, keys in groupby(dotted_keys(), lambda key: key.name.rpartition(".")[0]):
        lines += _section(section, list(keys))
    return "\n".join([*lines, RULES])


def schema_file() -> str:
    """The schema as a file."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _section(section: str, keys: list[Key]) -> Iterator[str]:
    yield f"## {section or 'The vault'}"
    if section:
        yield from ("", _purpose(section))
    yield ""
    yield from table_head("key", "default", "type and range", "meaning", "a change takes effect")
    for key in keys:
        default = "(must be given)" if key.default is None else _shown(key.default)
        kind = f"{key.kind}{_limit(key.name)}"
        yield row(f"`{key.name}`", default, kind, key.description, EFFECTS[key.effect])
    yield ""


def _limit(dotted: str) -> str:
    schema: Schema = json_schema()
    for name in dotted.split("."):
        schema = schema["properties"][name]
    if "maxLength" in schema:
        return f", at most {schema['maxLength']:,} characters"
    most = schema.get("maxItems") or schema.get("maxProperties")
    least = ", one at least" if schema.get("minItems") else ""
    return f"{least}, at most {most:,}" if most else ""


def _purpose(section: str) -> str:
    shape = inspect.type_info(Config)
    assert isinstance(shape, inspect.StructType)
    field = next(field for field in shape.fields if field.encode_name == section)
    inner = without_metadata(field.type)
    assert isinstance(inner, inspect.StructType)
    return str(inner.cls.__doc__)


def _shown(value: object) -> str:
    return f"`{msgspec.json.encode(value).decode()}`"
