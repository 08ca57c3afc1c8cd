"""The JSON Schema for editors agrees with the strict reader wherever a schema can."""

import copy
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from ragd.config.json_schema import json_schema
from ragd.config.keys import dotted_keys
from ragd.config.load import Config, effective, parse, to_json
from ragd.errors import ConfigError

FOLDER = os.path.abspath("/home/of/ragd")
SCHEMA = json_schema()
VALIDATOR = Draft7Validator(SCHEMA)
NAMES = [key.name for key in dotted_keys()]

# What the reader refuses and no schema can express.
BEYOND = (
    r"`indexing.chunk_overlap` must be smaller",
    r"should be a whole number .* but is the number -?\d+\.0\.",
    r"that user does not exist",
    r"`embedding.base_url` should be a plain address",  # its port is none
    r"`embedding.base_url` is another machine \([0:.]*1\)",  # [::1], almost
    r"`vector_store\.(path|vault|options\.endpoint)` ",  # rules about object stores
    r'(`role` "reader"|`log.mirror`) needs',
)


def refusal(tree: dict[str, Any]) -> str:
    """Why the reader refuses it; empty if it does not."""
    try:
        parse(json.dumps(tree).encode(), FOLDER)
    except ConfigError as refused:
        return refused.message
    return ""


def with_value(dotted: str, value: Any) -> dict[str, Any]:
    tree: dict[str, Any] = {"vault_path": "/vault"}
    inner = tree
    *sections, name = dotted.split(".")
    for section in sections:
        inner = inner.setdefault(section, {})
    inner[name] = value
    return tree


def test_it_is_a_schema() -> None:
    Draft7Validator.check_schema(SCHEMA)


def test_the_defaults_are_accepted_and_so_are_they_written_out() -> None:
    config: Config = parse(b'{"vault_path": "/vault"}', FOLDER)
    assert VALIDATOR.is_valid({"vault_path": "/vault"})
    assert VALIDATOR.is_valid(effective(config))
    assert VALIDATOR.is_valid(json.loads(to_json(effective(config))))


def test_it_knows_every_key_with_its_default_and_its_meaning() -> None:
    for key in dotted_keys():
        schema = SCHEMA
        for name in key.name.split("."):
            schema = schema["properties"][name]
        assert schema["description"] == key.description
        assert schema.get("default") == key.default
        assert key.default is None or VALIDATOR.is_valid(with_value(key.name, key.default))


REFUSED_BY_BOTH: list[dict[str, Any]] = [
    {},
    {"vault_path": ""},
    {"vault_path": "  "},
    {"vault_path": "/a\nb"},
    {"vault_path": "/a\n"},
    {"vault_path": None},
    {"vault_path": "/vault", "vault": "x"},
    {"vault_path": "/vault", "$schema": 7},
    {"vault_path": "/vault", "embedding": []},
    with_value("embedding.modle", "x"),
    with_value("embedding.$schema", "x"),
    with_value("embedding.provider", "openai"),
    with_value("embedding.provider", True),
    with_value("embedding.batch_size", 0),
    with_value("embedding.batch_size", 65),
    with_value("embedding.batch_size", "64"),
    with_value("embedding.batch_size", True),
    with_value("embedding.base_url", "localhost:11434"),
    with_value("embedding.base_url", "http://me:pw@localhost"),
    with_value("embedding.base_url", "http://localhost/?key=1"),
    with_value("embedding.base_url", "http://10.0.0.5:11434"),
    with_value("embedding.base_url", "https://example.org"),
    with_value("embedding.base_url", "http://localhost.example.org"),
    with_value("embedding.base_url", "http://127.0.0.1.example.org"),
    with_value("embedding.base_url", "http://localhost\n"),
    {**with_value("embedding.base_url", "http://a.b"), "security": {"local_only": False}},
    {**with_value("embedding.base_url", "http://a.b"), "security": {"external_confirmed": True}},
    with_value("indexing.file_patterns", []),
    with_value("indexing.deny_dirs", ["../x"]),
    with_value("indexing.deny_dirs", ["a/../../x"]),
    with_value("indexing.deny_dirs", ["a\\ .. \\x"]),
    with_value("indexing.deny_dirs", ["/etc"]),
    with_value("indexing.deny_dirs", ["C:/x"]),
    with_value("indexing.deny_dirs", ["~/x"]),
    with_value("indexing.allow_dirs", ["."]),
    with_value("indexing.allow_dirs", ["./ /."]),
    with_value("indexing.allow_dirs", [""]),
    with_value("indexing.allow_dirs", ["a"] * 1001),
    with_value("security.require_confirmation_for", ["shopping"]),
    with_value("memory.patterns", {"": ["x"]}),
    with_value("memory.patterns", {"x": "y"}),
    with_value("memory.patterns", {"x": [""]}),
    with_value("watch.rescan_s", 0),
    {"vault_path": "/vault", "search": {"vector_weight": 0, "text_weight": 0.0}},
]


@pytest.mark.parametrize("tree", REFUSED_BY_BOTH, ids=json.dumps)
def test_what_the_reader_refuses_is_refused(tree: dict[str, Any]) -> None:
    assert refusal(tree)
    assert not VALIDATOR.is_valid(tree)


ACCEPTED_BY_BOTH: list[dict[str, Any]] = [
    {"vault_path": "./KnowledgeVault/Default", "$schema": "./config.schema.json"},
    {"vault_path": "日記", "$schema": ""},
    with_value("embedding.base_url", "HTTP://LocalHost:11434/ollama/"),
    with_value("embedding.base_url", "http://127.8.0.255"),
    with_value("embedding.base_url", "http://[::1]:1"),
    with_value("embedding.base_url", "http://[0:0:0:0:0:0:0:1]"),
    {
        **with_value("embedding.base_url", "https://gpu.example.org/"),
        "security": {"local_only": False, "external_confirmed": True},
    },
    with_value("indexing.deny_dirs", ["...", "a..b", "~x", "./Private/", ".hidden", "a/./b"]),
    with_value("watch.debounce_s", 0.5),
    with_value("memory.patterns", {}),
    {"vault_path": "/vault", "search": {"vector_weight": 0}},
    {"vault_path": "/vault", "embedding": {}},
]


@pytest.mark.parametrize("tree", ACCEPTED_BY_BOTH, ids=json.dumps)
def test_what_the_reader_accepts_is_accepted(tree: dict[str, Any]) -> None:
    assert refusal(tree) == ""
    assert list(VALIDATOR.iter_errors(tree)) == []


WORDS = (
    *("~", "~me", "..", "a/../b", ".", "/", "C:", "\t", "rrf", "weighted", "block", "ollama"),
    *("http://localhost", "http://[::1]", "https://a.b:99999", "http://127.0.0.1:0/x", "x" * 5000),
)
TEXTS = st.text(max_size=8) | st.sampled_from(WORDS)
NUMBERS = st.integers(-2, 9000) | st.floats(allow_nan=False, allow_infinity=False, width=32)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = (
    SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(TEXTS, st.lists(TEXTS), max_size=2)
)


@settings(deadline=None, max_examples=400)
@given(st.dictionaries(st.sampled_from([*NAMES, "$schema", "health.x", "y"]), VALUES, max_size=3))
def test_the_two_never_disagree_but_where_a_schema_cannot_know(changes: dict[str, Any]) -> None:
    tree = copy.deepcopy(effective(parse(b'{"vault_path": "/vault"}', FOLDER)))
    for dotted, value in changes.items():
        inner: Any = tree
        *sections, name = dotted.split(".")
        for section in sections:
            inner = inner[section]
        inner[name] = value
    why = refusal(tree)
    if VALIDATOR.is_valid(tree):
        for sentence in why.splitlines():
            assert any(re.search(pattern, sentence) for pattern in BEYOND), sentence
    else:
        assert why, [error.message for error in VALIDATOR.iter_errors(tree)]


def test_an_address_is_beyond_a_schema_only_by_its_port_and_its_spelling() -> None:
    for odd in ("http://localhost:0", "http://localhost:65536", "http://[0:1]"):
        tree = with_value("embedding.base_url", odd)
        assert refusal(tree)
        assert VALIDATOR.is_valid(tree)


# The key for editors


def test_the_editors_key_is_kept_first_and_changes_nothing(tmp_path: Path) -> None:
    tree = {"vault_path": "/vault", "$schema": "./config.schema.json"}
    assert list(json.loads(to_json(tree))) == ["$schema", "vault_path"]
    assert parse(to_json(tree), FOLDER) == parse(b'{"vault_path": "/vault"}', FOLDER)


def test_it_must_be_a_text_and_stands_at_the_top_only() -> None:
    assert "`$schema` should be text" in refusal({"vault_path": "/vault", "$schema": 1})
    assert "`watch.$schema` is not a known key" in refusal(with_value("watch.$schema", "x"))
