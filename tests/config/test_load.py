"""The configuration: what is accepted, what is refused, and the reasons given."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragd.config.load import (
    MAX_BYTES,
    Config,
    check_folders,
    effective,
    fingerprint,
    is_external,
    load,
    parse,
    to_json,
)
from ragd.errors import EXIT_CONFIG, ConfigError
from ragd.paths import Home

FOLDER = os.path.abspath("/home/of/ragd")


def build(**values: Any) -> Config:
    return parse(json.dumps({"vault_path": "/vault", **values}).encode(), FOLDER)


def refusal(raw: bytes | str | dict[str, Any]) -> str:
    """The message with which `raw` is refused."""
    if isinstance(raw, dict):
        raw = json.dumps({"vault_path": "/vault", **raw})
    with pytest.raises(ConfigError) as refused:
        parse(raw.encode() if isinstance(raw, str) else raw, FOLDER)
    assert refused.value.exit_code == EXIT_CONFIG
    return refused.value.message


# What is accepted


def test_a_vault_path_alone_gives_the_defaults_of_the_specification() -> None:
    values = effective(build())
    assert values == {
        "vault_path": os.path.abspath("/vault"),
        "embedding": {
            "provider": "auto",
            "language": "auto",
            "model": "mxbai-embed-large",
            "base_url": "http://localhost:11434",
            "dimensions": 0,  # the model's own, which is 1024 for the default model
            "batch_size": 64,
            "worker_idle_s": 3600,
        },
        "role": "writer",
        "vector_store": {
            "type": "lancedb",
            "path": os.path.join(FOLDER, "vectors.lance"),
            "vault": "",
            "options": {
                "endpoint": "",
                "region": "",
                "allow_http": False,
                "lease_s": 120,
                "follow_s": 5,
            },
        },
        "log": {"mirror": False},
        "indexing": {
            "chunk_size": 500,
            "chunk_overlap": 100,
            "file_patterns": ["*.md"],
            "deny_dirs": [".obsidian", ".trash", "zzz-Archive", ".git", ".logseq"],
            "allow_dirs": [],
            "templates": "skip",
        },
        "security": {
            "require_confirmation_for": ["health", "financial_debt"],
            "sensitive_sections": ["#mentalhealth", "#physicalhealth", "#Relations"],
            "word_lists": ["health", "financial_debt", "relations"],
            "local_only": True,
            "external_confirmed": False,
            "sensitive": "flag",
            "confirm": "person",
            "code_blocks": "auto",
        },
        "memory": {
            "auto_suggest": True,
            "patterns": {
                "financial": ["owe", "owed", "debt", "paid", "$", "spent", "spend"],
                "health": ["#mentalhealth", "#physicalhealth", "medication", "therapy"],
                "commitments": ["shopping list", "costco", "amazon", "grocery"],
            },
        },
        "watch": {"debounce_s": 2, "collect_s": 5, "quiet_s": 0.5, "rescan_s": 300},
        "health": {"probe_s": 30, "stale_s": 3600, "auto_reindex": False},
        "search": {
            "fusion": "weighted",
            "vector_weight": 0.5,
            "text_weight": 0.5,
            "stale": "full_text",
            "fallback": "full_text",
        },
        "collections": {},
        "contexts": {},
        "access": {"default": "allow", "rules": []},
        "sessions": {
            "enabled": False,
            "path": os.path.expanduser("~/.openclaw/agents"),
            "keep_days": 30,
        },
    }


def test_the_example_of_the_specification_is_accepted_as_it_stands() -> None:
    config = parse(
        b"""{
          "vault_path": "./KnowledgeVault/Default",
          "embedding": {"provider": "ollama", "model": "mxbai-embed-large",
                        "base_url": "http://localhost:11434", "dimensions": 1024},
          "vector_store": {"type": "lancedb", "path": "./obsidian-rag/vectors.lance"},
          "indexing": {"chunk_size": 500, "chunk_overlap": 100, "file_patterns": ["*.md"],
            "deny_dirs": [".obsidian", ".trash", "zzz-Archive", ".git", ".logseq"],
            "allow_dirs": []},
          "security": {"require_confirmation_for": ["health", "financial_debt"],
            "sensitive_sections": ["#mentalhealth", "#physicalhealth", "#Relations"],
            "local_only": true},
          "memory": {"auto_suggest": true, "patterns": {"financial": ["owe", "$"],
            "health": ["therapy"], "commitments": ["shopping list"]}}
        }""",
        FOLDER,
    )
    assert config.embedding.provider == "ollama"
    assert config.vault_path == os.path.join(FOLDER, "KnowledgeVault", "Default")
    assert config.vector_store.path == os.path.join(FOLDER, "obsidian-rag", "vectors.lance")


def test_a_byte_order_mark_is_tolerated() -> None:
    assert parse(b'\xef\xbb\xbf{"vault_path": "/vault"}', FOLDER) == build()


@pytest.mark.parametrize("path", ["../Notes", "~/Notes", "a/./b/../Notes", "/x//Notes/"])
def test_paths_become_absolute_and_plain(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("USERPROFILE", "/home/me")
    expected = os.path.abspath(os.path.join(FOLDER, path.replace("~", "/home/me")))
    config = build(vault_path=path, vector_store={"path": path})
    assert config.vault_path == expected
    assert config.vector_store.path == expected


def test_the_home_of_an_unknown_user_is_refused_and_is_not_a_folder_name() -> None:
    assert "`vault_path`" in refusal({"vault_path": "~no-such-user-here/Notes"})


def test_an_empty_store_path_means_the_default_place() -> None:
    assert build(vector_store={"path": ""}) == build()


def test_folder_names_are_tidied_so_that_they_match() -> None:
    config = build(indexing={"deny_dirs": ["./Private/", "a//b"], "allow_dirs": ["Journal/2024"]})
    assert config.indexing.deny_dirs == ("Private", "a/b")
    assert config.indexing.allow_dirs == ("Journal/2024",)


def test_a_whole_number_is_a_number_too() -> None:
    assert build(search={"vector_weight": 1, "text_weight": 0}).search.vector_weight == 1.0


# What is refused, and how


def test_an_unknown_key_is_named_with_the_nearest_right_one() -> None:
    message = refusal({"embedding": {"modle": "x"}})
    assert message == "`embedding.modle` is not a known key; did you mean `embedding.model`?"


def test_where_nothing_is_near_the_valid_keys_are_listed() -> None:
    message = refusal({"health": {"xyz": 1}})
    assert message == (
        "`health.xyz` is not a known key; known here: probe_s, stale_s, auto_reindex."
    )


def test_all_unknown_keys_are_reported_at_once() -> None:
    message = refusal({"embeding": {}, "watch": {"debounce": 1}, "search": {"stales": "x"}})
    for name in ("`embeding`", "`watch.debounce`", "`search.stales`"):
        assert name in message
    assert len(message.splitlines()) == 3


def test_a_flood_of_unknown_keys_is_cut_short() -> None:
    message = refusal({f"key{number}": 1 for number in range(50_000)})
    assert len(message.splitlines()) == 21
    assert message.endswith("There are more problems.")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"embedding": {"batch_size": "64"}},
            "`embedding.batch_size` should be a whole number from 1 to 64, but is a text in quotes",
        ),
        (
            {"embedding": {"batch_size": 65}},
            "`embedding.batch_size` should be a whole number from 1 to 64, but is the number 65.",
        ),
        (
            {"embedding": {"batch_size": True}},
            "`embedding.batch_size` should be a whole number from 1 to 64, but is true.",
        ),
        (
            {"indexing": {"chunk_size": 2.5}},
            "`indexing.chunk_size` should be a whole number from 10 to 8192, but is the number 2.5",
        ),
        (
            {"embedding": {"provider": "olama"}},
            '`embedding.provider` should be "auto", "embedded" or "ollama", but is something else. '
            'Did you mean "ollama"?',
        ),
        (
            {"security": {"local_only": "false"}},
            "`security.local_only` should be true or false, but is a text in quotes.",
        ),
        (
            {"security": {"require_confirmation_for": ["health", "finance"]}},
            "`security.require_confirmation_for[1]` should be ",
        ),
        (
            {"search": {"vector_weight": 1.5}},
            "`search.vector_weight` should be a number from 0 to 1, but is the number 1.5.",
        ),
        ({"watch": []}, "`watch` should be a section in braces, {…}, but is a list."),
        ({"watch": None}, "`watch` should be a section in braces, {…}, but is null."),
        ({"vault_path": 5}, "`vault_path` should be text, but is the number 5."),
        ({"vault_path": ""}, "`vault_path` must not be empty."),
        ({"vault_path": "  "}, "`vault_path` must not be empty."),
        ({"vault_path": "/a\0b"}, "`vault_path` contains a control character"),
        ({"indexing": {"file_patterns": []}}, "`indexing.file_patterns` must not be empty."),
        (
            {"indexing": {"deny_dirs": "a"}},
            "`indexing.deny_dirs` should be a list of text, but is a text in quotes.",
        ),
        ({"indexing": {"deny_dirs": ["a", 3]}}, "`indexing.deny_dirs[1]` should be text"),
        ({"memory": {"patterns": {"a": "b"}}}, "`memory.patterns.a` should be a list of text"),
        ({"memory": {"patterns": ["a"]}}, "`memory.patterns` should be a section of names"),
        (
            {"indexing": {"chunk_size": 100, "chunk_overlap": 100}},
            "`indexing.chunk_overlap` must be smaller than `indexing.chunk_size`.",
        ),
        ({"search": {"vector_weight": 0, "text_weight": 0}}, "must not both be 0"),
    ],
)
def test_a_wrong_value_is_explained_in_plain_words(values: dict[str, Any], message: str) -> None:
    assert message in refusal(values)


def test_a_missing_vault_path_is_named() -> None:
    assert refusal("{}") == "`vault_path` is missing; it should be text."


# From 3.13 on, Python's reader points at the comma; before, at what follows it.
TRAILING_COMMA = "at line 2, column 20" if sys.version_info >= (3, 13) else "at line 3, column 1"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{\n  "vault_path": "x",\n}', TRAILING_COMMA),
        (b'{"vault_path": "x" "y"}', "at line 1, column 20"),
        (b'\xef\xbb\xbf{"vault_path" 1}', "at line 1, column 15"),
        (b"", "at line 1, column 1"),
        (b"[]", "should be a section in braces, {…}, but is a list."),
        (b'"text"', "but is a text in quotes."),
        (b"null", "but is null."),
        (b"NaN", "NaN"),
        (b'{"search": {"vector_weight": -Infinity}}', "-Infinity"),
        (b'{"vault_path": "x", "search": {"vector_weight": 1e999}}', "`search.vector_weight`"),
        (b'{"vault_path": "\\ud800"}', "not Unicode"),
        (b'{"vault_path": "\xff"}', "not UTF-8 text (byte 16)"),
        ('{"vault_path": "x"}'.encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_not_a_json_object_is_an_error_that_says_so(raw: bytes, message: str) -> None:
    assert message in refusal(raw)


def test_giant_input_is_an_error_and_not_a_crash() -> None:
    number = '{{"vault_path": "x", "embedding": {{"dimensions": {}}}}}'
    assert "too many digits" in refusal(number.format("9" * 5000))
    assert "but is the number 999" in refusal(number.format("9" * 400))
    assert "nested too deeply" in refusal("[" * 200_000)
    assert "nested too deeply" in refusal('{"a":' * 100_000)
    assert "but is a list." in refusal("[" * 500 + "]" * 500)
    assert "is not a known key" in refusal('{"a":' * 500 + "1" + "}" * 500)
    assert "larger than 1024 KiB" in refusal(" " * (MAX_BYTES + 1))


def test_many_doubled_keys_deep_down_are_found() -> None:
    deep = '{"a":' * 400 + "{" + ",".join(['"b":{"c":1,"c":2}'] * 20_000) + "}" + "}" * 400
    assert "occurs twice" in refusal(deep)


def test_a_doubled_key_is_an_error_with_its_dotted_name() -> None:
    message = refusal(
        '{"vault_path": "a", "vault_path": "b", "watch": {"rescan_s": 1, "rescan_s": 2}}'
    )
    assert "`vault_path` occurs twice" in message
    assert "`watch.rescan_s` occurs twice" in message


def test_a_secret_in_the_wrong_place_is_not_repeated() -> None:
    secret = "sk-hunter2"
    for values in (
        {"api_key": secret},
        {"embedding": {"provider": secret, "batch_size": secret}},
        {"embedding": {"base_url": f"http://user:{secret}@localhost"}},
        {"embedding": {"base_url": f"http://localhost/?key={secret}"}},
        {"vault_path": [secret]},
    ):
        assert secret not in refusal(values)


def test_giant_and_unprintable_names_are_shown_short_and_clean() -> None:
    message = refusal({"x" * 100_000: 1, "\x1b[31mred": 1, "two\nlines": 1})
    assert len(message) < 1000
    assert "\x1b" not in message
    assert len(message.splitlines()) == 3


@pytest.mark.parametrize(
    "name",
    [
        *("/", "/etc", "\\\\server\\share", "C:\\Users", "c:x", "~", "~/a"),
        *("..", "../a", "a/../../b", "a\\..\\b", ".. /a", ".", "./"),
    ],
)
@pytest.mark.parametrize("key", ["deny_dirs", "allow_dirs"])
def test_a_folder_that_is_not_inside_the_vault_is_refused(key: str, name: str) -> None:
    assert f"`indexing.{key}[1]`" in refusal({"indexing": {key: ["good", name]}})


# Nothing leaves this machine by accident


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:11434",
        "https://localhost",
        "HTTP://LocalHost:11434/",
        "http://127.0.0.1:11434",
        "http://127.9.8.7",
        "http://[::1]:11434",
        "http://[0:0:0:0:0:0:0:1]/ollama",
    ],
)
def test_this_machine_is_recognised(url: str) -> None:
    config = build(embedding={"base_url": url})
    assert config.embedding.base_url == url.rstrip("/")
    assert not is_external(config)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost.evil.com",
        "http://127.0.0.1.evil.com",
        "http://evil.com/localhost",
        "http://evil.com",
        "http://localhost.",
        "http://127.0.0.1.",
        "http://127.1",
        "http://2130706433",
        "http://0x7f.0.0.1",
        "http://0177.0.0.1",
        "http://0.0.0.0",
        "http://192.168.0.2:11434",
        "http://[::]",
        "http://[::ffff:127.0.0.1]",
        "http://[fe80::1]",
        "http://128.0.0.1",
    ],
)
def test_another_machine_is_refused_unless_it_was_confirmed(url: str) -> None:
    embedding = {"base_url": url}
    assert "`security.local_only` forbids" in refusal({"embedding": embedding})
    assert "`security.external_confirmed`" in refusal(
        {"embedding": embedding, "security": {"local_only": False}}
    )
    confirmed = {"local_only": False, "external_confirmed": True}
    assert is_external(build(embedding=embedding, security=confirmed))
    assert not is_external(
        build(embedding={**embedding, "provider": "embedded"}, security=confirmed)
    )
    assert "forbids" in refusal({"embedding": embedding, "security": {"external_confirmed": True}})


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1@evil.com",
        "http://user:pass@localhost",
        "http://localhost#@evil.com",
        "http://localhost?x=1",
        "http://localhost/#",
        "http://",
        "http://:11434",
        "http:///x",
        "http:localhost",
        "localhost:11434",
        "//localhost",
        "ftp://localhost",
        "file:///etc/passwd",
        "unix:///run/x.sock",
        "http://[::1].evil.com",
        "http://[::1]evil.com",
        "http://[localhost]",
        "http://localhost\\@evil.com",
        "http://localhost\\.evil.com",
        "http://local host",
        " http://localhost",
        "http://localhost ",
        "http://localhost:0",
        "http://localhost:99999",
        "http://localhost:1x",
        "http://localhost:１",
        "http://１２７.0.0.1",
        "http://localho\u017ft",
        "http://loc%61lhost",
        "http://localhost/\u202e",
    ],
)
@pytest.mark.parametrize("local_only", [True, False])
def test_an_address_that_is_not_plain_is_refused_in_any_case(url: str, local_only: bool) -> None:
    message = refusal(
        {
            "embedding": {"base_url": url},
            "security": {"local_only": local_only, "external_confirmed": True},
        }
    )
    assert message.startswith("`embedding.base_url` ")


# Writing and comparing


def test_written_json_is_pretty_and_in_a_stable_order() -> None:
    tree = {"search": {"stale": "hybrid", "fusion": "rrf"}, "zzz": 1, "vault_path": "/Noté", "b": 2}
    assert to_json(tree).decode() == (
        '{\n  "vault_path": "/Noté",\n  "search": {\n    "fusion": "rrf",\n'
        '    "stale": "hybrid"\n  },\n  "b": 2,\n  "zzz": 1\n}\n'
    )


@pytest.mark.parametrize("value", ["\udcff", float("nan")])
def test_what_json_cannot_hold_is_not_written(value: object) -> None:
    with pytest.raises(ConfigError):
        to_json({"vault_path": value})


def test_the_fingerprint_depends_on_the_settings_and_not_on_their_spelling() -> None:
    same = build(watch={"debounce_s": 2.0}, embedding={"base_url": "http://localhost:11434/"})
    assert fingerprint(build()) == fingerprint(same)
    assert fingerprint(build()) != fingerprint(build(watch={"debounce_s": 3}))
    assert len(fingerprint(build())) == 12
    assert int(fingerprint(build()), 16) >= 0


def test_the_schema_describes_every_key() -> None:
    definitions = msgspec.json.schema(Config)["$defs"]
    for section in definitions.values():
        for name, field in section["properties"].items():
            assert field["description"].endswith("."), name


# Places


def places(vault: Path, home: Path, **values: Any) -> None:
    raw = json.dumps({"vault_path": str(vault), **values}).encode()
    check_folders(parse(raw, str(home)), str(home))


def test_a_home_beside_the_vault_is_fine(tmp_path: Path) -> None:
    places(tmp_path / "vault", tmp_path / "home")
    places(tmp_path / "home" / "vault", tmp_path / "home")
    places(tmp_path / "home-notes", tmp_path / "home")


@pytest.mark.parametrize("home", ["vault", "vault/.obsidian-rag", "vault/a/b"])
def test_a_home_inside_the_vault_is_refused(tmp_path: Path, home: str) -> None:
    with pytest.raises(ConfigError, match="inside the vault"):
        places(tmp_path / "vault", tmp_path / home)


@pytest.mark.parametrize("inside", ["events", "events/x", "logs", "snapshots", "vectors.lance/x"])
def test_a_vault_inside_what_ragd_writes_is_refused(tmp_path: Path, inside: str) -> None:
    with pytest.raises(ConfigError, match="`vault_path`"):
        places(tmp_path / "home" / inside, tmp_path / "home")


def test_a_home_that_is_in_the_vault_by_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vault" / "deep").mkdir(parents=True)
    (tmp_path / "home").symlink_to(tmp_path / "vault" / "deep")
    with pytest.raises(ConfigError, match="inside the vault"):
        places(tmp_path / "vault", tmp_path / "home")


def test_a_vault_that_is_the_home_by_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "vault").symlink_to(tmp_path / "home")
    with pytest.raises(ConfigError, match="inside the vault"):
        places(tmp_path / "vault", tmp_path / "home")


def test_two_names_of_one_folder_are_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file system where case does not count, as far as a case-sensitive one can play it.
    (tmp_path / "Vault").mkdir()
    real_stat = os.stat
    monkeypatch.setattr(
        os, "stat", lambda path, **rest: real_stat(str(path).replace("vAULT", "Vault"), **rest)
    )
    with pytest.raises(ConfigError, match="inside the vault"):
        places(tmp_path / "Vault", tmp_path / "vAULT" / "home")


@pytest.mark.parametrize("path", ["../vault/vectors", "../vault"])
def test_vectors_inside_the_vault_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ConfigError, match=r"`vector_store\.path` is inside the vault"):
        places(tmp_path / "vault", tmp_path / "home", vector_store={"path": path})


@pytest.mark.parametrize("path", [".", "..", "events", "logs/x", "config.json", "ragd.lock"])
def test_vectors_among_other_files_of_ragd_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ConfigError, match=r"`vector_store\.path` is used"):
        places(Path("/elsewhere/vault"), tmp_path / "home", vector_store={"path": path})


# Loading


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(str(tmp_path / "home"))


def write(home: Home, raw: bytes) -> None:
    Path(home.config).write_bytes(raw)


def test_load_reads_the_configuration_of_a_home(home: Home) -> None:
    write(home, b'{"vault_path": "../not-mounted-now"}')
    config = load(home)
    assert config.vault_path == os.path.join(os.path.dirname(home.root), "not-mounted-now")
    assert config.vector_store.path == home.vectors


def test_a_missing_configuration_suggests_the_next_command(home: Home) -> None:
    with pytest.raises(ConfigError) as refused:
        load(home)
    assert refused.value.message == f"No configuration at {home.config}."
    assert refused.value.suggestion == "Run `ragctl init PATH-TO-YOUR-VAULT`."


def test_a_refused_configuration_is_named_by_its_path(home: Home) -> None:
    write(home, b"{")
    with pytest.raises(ConfigError) as refused:
        load(home)
    assert refused.value.message.startswith(f"{home.config}: ")
    assert refused.value.suggestion


def test_a_folder_instead_of_a_configuration_is_refused(home: Home) -> None:
    os.mkdir(home.config)
    with pytest.raises(ConfigError, match=r"config\.json"):
        load(home)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_fifo_instead_of_a_configuration_does_not_hang_the_start(home: Home) -> None:
    os.mkfifo(home.config)
    with pytest.raises(ConfigError, match="not a regular file"):
        load(home)


def test_an_unreadable_configuration_is_refused(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: str, flags: int) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("ragd.config.load.os.open", denied)
    with pytest.raises(ConfigError, match="cannot be read: Permission denied"):
        load(home)


def test_a_home_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError):
        load(Home(str(tmp_path / "file" / "home")))


def test_a_configuration_of_over_a_mebibyte_is_refused(home: Home) -> None:
    write(home, b'{"vault_path": "../vault"}' + b" " * MAX_BYTES)
    with pytest.raises(ConfigError, match="larger than"):
        load(home)


def test_load_refuses_places_that_mix(home: Home) -> None:
    write(home, b'{"vault_path": ".."}')
    with pytest.raises(ConfigError, match="inside the vault"):
        load(home)


# Whatever it is given, it answers with a Config or a ConfigError

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
plausible = st.sampled_from(
    ["auto", "rrf", "http://127.0.0.1", "~", "/", "..", "a", 0, 1, 0.5, 64, True, [], ["x"], {}]
)


def sections() -> st.SearchStrategy[dict[str, Any]]:
    shape = effective(build())
    inner = {
        name: st.fixed_dictionaries({}, optional=dict.fromkeys(value, plausible | anything))
        for name, value in shape.items()
        if isinstance(value, dict)
    }
    return st.fixed_dictionaries({"vault_path": plausible | anything}, optional=inner)


def survives(raw: bytes) -> None:
    try:
        config = parse(raw, FOLDER)
    except ConfigError as refused:
        assert refused.message
        refused.message.encode()
        assert len(refused.message) < 10_000
        return
    assert parse(to_json(effective(config)), FOLDER) == config
    assert fingerprint(config) == fingerprint(parse(to_json(effective(config)), FOLDER))
    assert os.path.isabs(config.vault_path)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_configuration_or_an_error(raw: bytes) -> None:
    survives(raw)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(anything)
def test_any_json_is_a_configuration_or_an_error(tree: object) -> None:
    survives(json.dumps(tree).encode())


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(sections())
def test_the_right_keys_with_any_values_are_a_configuration_or_an_error(
    tree: dict[str, Any],
) -> None:
    survives(json.dumps(tree).encode())
