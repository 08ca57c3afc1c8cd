"""Redaction: every text that is not safe is hashed, and equal texts have equal hashes."""

import json
import re

import pytest

from ragctl.doctor.redaction import Redactor
from ragd.events import EVENT_TYPES

PLACES = {"home": "/home/ada/.obsidian-rag", "user": "/home/ada", "vault": "/mnt/My Notes"}


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(PLACES, ["ada", "enigma"], open_places=["home"])


def test_a_path_keeps_its_shape_and_nothing_else(redactor: Redactor) -> None:
    first, second = (redactor.redact_path(f"People/{name}.md") for name in ("Sreenivas", "Ada"))
    assert re.fullmatch(r"#[0-9a-f]{12}/#[0-9a-f]{12}\.md", first)
    assert first.split("/")[0] == second.split("/")[0] and first != second
    assert redactor.redact_path("People/Sreenivas.md") == first
    assert redactor.redact_path("/mnt/My Notes/People/Sreenivas.md") == f"[vault]/{first}"


def test_another_report_has_other_hashes(redactor: Redactor) -> None:
    assert Redactor({}).redact_path("a.md") != Redactor({}).redact_path("a.md")


def test_ragds_own_paths_in_the_home_stay_readable(redactor: Redactor) -> None:
    said = redactor.redact_text("/home/ada/.obsidian-rag/events/aside: 1 damaged part")
    assert said == "[home]/events/aside: 1 damaged part"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Python 3.11.7 at /home/ada/.venv/bin/python", "Python 3.11.7 at [user]/"),
        ("/mnt/My Notes can be read", "[vault] can be read"),
        ("/mnt/My Notes/Diary/x.md: gone", "[vault]/#"),
        ("/srv/secret/place is full", "/#"),
        ("`~/secret/place` is full", "`~/#"),
        (r"C:\Users\secret is full", "#"),
        ("Ada runs it on enigma.", "[name] runs it on [name]."),
        ("metadata and Canada", "metadata and Canada"),
        ("ragd/folds/health.py:12", "ragd/folds/health.py:12"),
        ("http://localhost:11434", "http://localhost:11434"),
    ],
)
def test_a_sentence_loses_only_paths_and_names(redactor: Redactor, said: str, left: str) -> None:
    told = redactor.redact_text(said)
    assert told.startswith(left)
    assert not re.search(r"\b(ada|secret|diary|enigma)\b", told, re.IGNORECASE)


def test_private_words_are_always_hashed(redactor: Redactor) -> None:
    assert "Dear" not in redactor.redact_text("the first is Dear diary.md", ["Dear diary.md"])
    inside = "/home/ada/.obsidian-rag/config.json: `mysecret` is not a known key."
    assert "mysecret" not in redactor.redact_text(inside, [inside])


def test_texts_in_unknown_fields_are_hashed(redactor: Redactor) -> None:
    said = redactor.redact_value(
        {
            "code": "DISK_FULL",
            "news": "secret",
            "path": "secret.md",
            "count": 3,
            "deep": [{"a": "x"}],
        }
    )
    assert said["code"] == "DISK_FULL" and said["count"] == 3
    assert "secret" not in json.dumps(said) and said["deep"][0]["a"].startswith("#")


def test_every_text_field_of_every_fact_is_reviewed() -> None:
    """A new field is hashed until it is listed as safe; this test lists the reviewed fields."""
    from ragctl.doctor.redaction import PATH_FIELDS, SAFE_FIELDS

    fields = {name for kind in EVENT_TYPES for name in kind.__struct_fields__}
    assert fields & PATH_FIELDS == {"path", "upserts", "deletes", "removed"}
    hashed = {"config_hash", "key_hash", "fingerprint", "choice", "raw"}
    hashed |= {"collection", "collections", "accept_in"}  # names of collections
    hashed |= {"agent", "chat", "approval_id"}  # names of agents; equal ids have equal hashes
    hashed |= {"client", "expires"}  # of tokens
    other = fields - SAFE_FIELDS - PATH_FIELDS - hashed
    assert other == {
        *("accept_deletions", "attempt", "cached", "changed", "changes", "chunks", "count"),
        *("device", "dimensions", "duration_ms", "errors", "errors_total", "files"),
        *("files_planned", "configured", "made"),
        *("files_removed", "final", "first_seq", "indexed_files", "last", "last_seq", "offset"),
        *("part", "removed_files", "size_bytes", "table_version", "took_ms", "total_chunks"),
        *("began_seq", "counted", "found", "uptime_ms"),
        *("configured", "made", "moved", "only_times", "templates", "languages"),
        *("code_percent", "not_included", "slow", "withheld", "read_only", "sensitive"),
    }


def test_names_of_collections_are_hashed_and_their_state_is_kept(redactor: Redactor) -> None:
    said = redactor.redact_value(
        {
            "actors": [{"name": "batcher"}],
            "collections": [{"name": "divorce", "state": "missing", "path": "/x", "notes": 3}],
        }
    )
    assert said["actors"] == [{"name": "batcher"}]
    [one] = said["collections"]
    assert one["name"].startswith("#") and (one["state"], one["notes"]) == ("missing", 3)
