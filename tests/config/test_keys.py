"""Single settings by their dotted names."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.batch.auto_jobs import reading_rules
from ragd.clock import SystemClock
from ragd.config.keys import (
    Key,
    changed_keys,
    dotted_keys,
    get_value,
    needs_restart,
    set_value,
    unset_value,
)
from ragd.config.live_settings import Settings
from ragd.config.load import Config, effective, parse, to_json
from ragd.errors import ConfigError
from ragd.paths import Home
from ragd.vault.note_reader import NoteReader

FOLDER = os.path.abspath("/home/of/ragd")
NAMES = [key.name for key in dotted_keys()]


def build(**values: Any) -> Config:
    return parse(json.dumps({"vault_path": "/vault", **values}).encode(), FOLDER)


def test_every_key_is_listed_with_type_default_and_meaning() -> None:
    keys = {key.name: key for key in dotted_keys()}
    sections = effective(build())
    options = sections["vector_store"].pop("options")  # type: ignore[attr-defined]
    without_section = {"vault_path", "role", "collections", "contexts"}
    assert set(keys) == without_section | {
        f"{section}.{name}"
        for section, values in sections.items()
        if isinstance(values, dict)
        for name in values
    } | {f"vector_store.options.{name}" for name in options}
    assert keys["vault_path"].default is None
    assert keys["health.probe_s"].default == 30
    assert keys["health.probe_s"].kind == "a number from 0.05 to 3600"
    assert keys["indexing.file_patterns"].default == ["*.md"]
    assert keys["search.fusion"].kind == '"rrf" or "weighted"'
    assert all(key.description for key in keys.values())


def test_the_listed_defaults_are_the_effective_ones() -> None:
    values = effective(build())
    for key in dotted_keys():
        if key.name not in ("vault_path", "vector_store.path", "sessions.path"):
            assert get_value(values, key.name) == key.default


@pytest.mark.parametrize(
    ("dotted", "text", "value"),
    [
        ("vault_path", "~/Notes", "~/Notes"),
        ("vault_path", '"~/My Notes"', "~/My Notes"),
        ("vault_path", "123", "123"),
        ("embedding.model", "true", "true"),
        ("embedding.provider", "ollama", "ollama"),
        ("health.probe_s", "10", 10),
        ("security.local_only", "false", False),
        ("indexing.deny_dirs", '["a"]', ["a"]),
        ("memory.patterns", '{"a": ["b"]}', {"a": ["b"]}),
    ],
)
def test_a_value_is_set_as_a_person_types_it(dotted: str, text: str, value: object) -> None:
    assert get_value(set_value({}, dotted, text), dotted) == value


def test_setting_leaves_the_given_values_alone_and_keeps_the_others() -> None:
    before: dict[str, object] = {"vault_path": "/vault", "health": {"stale_s": 60}}
    after = set_value(before, "health.probe_s", "10")
    assert before == {"vault_path": "/vault", "health": {"stale_s": 60}}
    assert after == {"vault_path": "/vault", "health": {"stale_s": 60, "probe_s": 10}}


@pytest.mark.parametrize(
    ("dotted", "text", "message"),
    [
        ("health.probe_s", "soon", "`health.probe_s` should be a number from 0.05 to 3600"),
        ("embedding.batch_size", "65", "from 1 to 64, but is the number 65"),
        ("indexing.deny_dirs", "a", "`indexing.deny_dirs` should be a list of text"),
        ("search.fusion", "rff", 'Did you mean "rrf"?'),
        ("security.local_only", "yes", "`security.local_only` should be true or false"),
        ("vault_path", "", "`vault_path` must not be empty"),
        ("memory.patterns.health", '"x"', "`memory.patterns.health` should be a list of text"),
        ("search.vector_weight", "NaN", "`search.vector_weight` should be"),
        ("vault_path", "/\udcff", "not Unicode"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(dotted: str, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        set_value({}, dotted, text)
    assert message in refused.value.message


@pytest.mark.parametrize(
    ("dotted", "near"),
    [
        ("embedding.modle", "`embedding.model`"),
        ("chunk_size", "`indexing.chunk_size`"),
        ("probe_s", "`health.probe_s`"),
        ("zzzzzz", "The keys are: vault_path, "),
        ("", "The keys are: vault_path, "),
        ("embedding.model.name", "`embedding.model`"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(dotted: str, near: str) -> None:
    with pytest.raises(ConfigError) as refused:
        get_value({}, dotted)
    assert near in refused.value.suggestion
    with pytest.raises(ConfigError) as refused:
        set_value({}, dotted, "1")
    assert near in refused.value.suggestion


def test_giant_input_is_refused_in_few_words() -> None:
    for dotted, text in (
        ("x" * 1_000_000, "1"),
        ("indexing.chunk_size", "9" * 5000),
        ("indexing.chunk_size", "9" * 4000),
        ("indexing.deny_dirs", "[" * 100_000),
        ("embedding.model", "x" * 100_000),
    ):
        with pytest.raises(ConfigError) as refused:
            set_value({}, dotted, text)
        assert len(refused.value.message) < 200


def test_a_section_can_be_read_and_not_set() -> None:
    watch = get_value({"watch": {"rescan_s": 60}}, "watch")
    assert watch == {"debounce_s": 2, "collect_s": 5, "quiet_s": 0.5, "rescan_s": 60}
    with pytest.raises(ConfigError, match="is a section") as refused:
        set_value({}, "watch", "{}")
    assert "watch.debounce_s" in refused.value.suggestion


def test_one_kind_of_pattern_can_be_set_and_the_others_stay() -> None:
    tree = set_value({}, "memory.patterns.work", '["deadline"]')
    patterns = get_value(tree, "memory.patterns")
    assert isinstance(patterns, dict)
    assert sorted(patterns) == ["commitments", "financial", "health", "work"]
    assert get_value(tree, "memory.patterns.work") == ["deadline"]
    with pytest.raises(ConfigError, match="no entry with this name"):
        get_value(tree, "memory.patterns.none")


def test_one_key_of_a_collection_can_be_set_and_the_others_stay() -> None:
    before = {"vault_path": "/v", "collections": {"papers": {"path": "/p", "private": True}}}
    tree = set_value(before, "collections.papers.patterns", '["*.pdf"]')
    papers = {"path": "/p", "private": True, "patterns": ["*.pdf"]}
    assert tree["collections"] == {"papers": papers}
    assert get_value(tree, "collections.papers") == papers
    assert get_value(tree, "collections.papers.patterns") == ["*.pdf"]
    assert get_value(before, "collections.papers.patterns") == [], "the default"
    assert unset_value(tree, "collections.papers.patterns") == before
    for dotted, text, why in (
        ("collections.work.private", "true", "no entry `work`"),
        ("collections.papers.patern", "[]", "patern"),
        ("collections.papers.private", "7", "collections.papers.private"),
    ):
        with pytest.raises(ConfigError, match=why):
            set_value(before, dotted, text)
    with pytest.raises(ConfigError, match="no such key"):
        get_value(before, "collections.papers.patern")


def test_what_is_not_set_and_has_no_default_says_so() -> None:
    with pytest.raises(ConfigError, match="`vault_path` is not set"):
        get_value({}, "vault_path")


def test_a_damaged_section_is_an_error_and_not_a_crash() -> None:
    broken: dict[str, object] = {"embedding": 5, "memory": {"patterns": 5}}
    with pytest.raises(ConfigError):
        get_value(broken, "embedding.model")
    with pytest.raises(ConfigError):
        set_value(broken, "embedding.model", "x")
    with pytest.raises(ConfigError):
        set_value(broken, "memory.patterns.x", '["y"]')
    with pytest.raises(ConfigError):
        get_value(broken, "memory.patterns.x")


def test_changes_are_found_by_their_keys() -> None:
    old = build()
    new = build(
        vault_path="/other",
        embedding={"batch_size": 8},
        indexing={"deny_dirs": ["x"]},
        memory={"patterns": {}},
        watch={"debounce_s": 2},
    )
    assert changed_keys(old, old) == []
    assert changed_keys(old, new) == [
        "vault_path",
        "embedding.batch_size",
        "indexing.deny_dirs",
        "memory.patterns",
    ]
    assert needs_restart(old, new) == ["vault_path", "embedding.batch_size"]
    assert needs_restart(old, build(vector_store={"path": "v"})) == ["vector_store.path"]
    assert needs_restart(old, build(health={"probe_s": 1})) == []


def another(key: Key) -> Any:
    """A value that the key can have, and does not have by default."""
    match key.default:
        case bool():
            return not key.default
        case int() | float():
            return key.default / 2 if key.default == 0.5 else abs(key.default - 1)
        case list() if key.name == "access.rules":
            return [{"collections": ["*"]}]
        case list():
            kinds = key.name.endswith(("confirmation_for", "word_lists"))
            return ["relations"] if kinds else [*key.default, "x"]
        case dict():
            filled = {"collections": {"x": {"path": "/x"}}, "contexts": {"x": "y"}}
            return filled.get(key.name, {})
        case _:
            if key.name.startswith("vector_store."):
                values = {"vault": "0" * 16, "endpoint": "https://a.b"}
                return values.get(key.name.rpartition(".")[2], f"{key.default or '/x'}/x")
            choices = [word for word in re.findall(r'"(\w+)"', key.kind) if word != key.default]
            return choices[0] if choices else f"{key.default or '/x'}/x"


ONE_CHOICE = ("vector_store.type", "role", "log.mirror")  # the last two need an object store


@pytest.mark.parametrize("key", [k for k in dotted_keys() if k.name not in ONE_CHOICE])
def test_a_change_takes_effect_as_the_key_says(key: Key, tmp_path: Path) -> None:
    """Compared with what the daemon does: wait for a restart, chunk again, or read again."""
    home = Home(str(tmp_path / "home"))
    Path(home.root).mkdir()
    old = {"vault_path": str(tmp_path / "vault")}
    settings_of = Settings(home, parse(to_json(old), home.root))
    notes = NoteReader(settings_of, SystemClock())
    cut, read = notes.fingerprint, reading_rules(settings_of.current)
    Path(home.config).write_bytes(to_json(set_value(old, key.name, json.dumps(another(key)))))
    fresh, reloaded = settings_of.read_again()
    settings_of.current = fresh
    assert reloaded.needs_restart == ([key.name] if key.effect == "restart" else [])
    assert reloaded.applied == ([] if key.effect == "restart" else [key.name])
    assert (notes.fingerprint != cut) == (key.effect == "recut")
    assert (reading_rules(fresh) != read) == (key.effect == "sync")


@settings(deadline=None)
@given(st.sampled_from(NAMES), st.text(max_size=20) | st.from_regex(r"[\[{\"0-9].{0,10}"))
def test_whatever_is_set_can_be_written_or_is_refused(dotted: str, text: str) -> None:
    try:
        tree = set_value({"vault_path": "/vault"}, dotted, text)
    except ConfigError:
        return
    to_json(tree)
    try:
        parse(to_json(tree), FOLDER)
    except ConfigError as refused:
        assert dotted in refused.message
