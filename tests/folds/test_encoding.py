"""A snapshot encoded in pieces equals one encoded at once."""

import pytest
from hypothesis import given

from ragd.events import FileSkipped
from ragd.folds import State, apply, encode_state
from ragd.folds import encoding as encoding_module
from ragd.folds.encoding import PIECE, all_frozen, encode_later
from ragd.folds.tables import Table
from tests.folds.conftest import Log
from tests.folds.test_any_sequence import LOGS, Facts, patiently, records


@patiently
@given(LOGS)
def test_the_pieces_are_the_same_bytes_as_the_whole(log: Facts) -> None:
    state = State()
    for record in records(log):
        apply(state, record)
        assert encode_later(state)() == encode_state(state)


def test_many_notes_are_encoded_in_pieces_and_in_order(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.activate()
    log.build("g2")
    for generation in ("", "g2"):
        paths = [f"Ünder/{n * 7919 % 5003:05d} 日.md" for n in range(5_003)]
        log.store(*paths, chunks=2, embedded=1, generation=generation)
    log.change(*(f"new {n}.md" for n in range(PIECE + 1)))
    sizes: list[int] = []
    encode = encoding_module.encode

    def counted(value: object) -> bytes:
        sizes.append(len(value) if isinstance(value, dict) else 0)
        return encode(value)

    monkeypatch.setattr(encoding_module, "encode", counted)
    assert encode_later(log.state)() == encode_state(log.state)
    assert max(sizes) <= PIECE


def test_what_happens_after_the_copy_is_not_in_it(log: Log) -> None:
    log.activate()
    log.store(*(f"{n:04d}.md" for n in range(PIECE + 1)), chunks=2, embedded=0)
    before, encode = encode_state(log.state), encode_later(log.state)
    log.fill("0000.md", chunks=2)
    log.store(removed=["0001.md"])
    log.add(FileSkipped(path="0002.md", reason="too-large"))
    assert encode() == before


def test_every_large_part_of_the_state_is_a_dict_of_frozen_values(log: Log) -> None:
    """Else a copy of it could change while it is encoded, or it is encoded on the loop."""
    log.activate()
    log.begin()
    log.store("a.md")
    log.change("b.md")
    log.add(FileSkipped(path="c.md", reason="too-large"))
    catalog = log.state.catalog
    dicts = {n: v for n in catalog.__struct_fields__ if isinstance(v := getattr(catalog, n), dict)}
    assert {"files", "waiting", "skipped"} <= dicts.keys()
    assert all(all_frozen(values) for values in dicts.values())


def test_folders_are_known_without_a_look_at_every_note(log: Log) -> None:
    log.activate()
    log.store("top.md", "a/one.md", "a/b/c/two.md", "a/b/three.md")
    catalog = log.state.catalog
    assert set(catalog.folders) == {"a", "a/b", "a/b/c"}
    log.store("a/one.md", sha="s2")
    log.store(removed=["a/b/c/two.md", "a/b/c/two.md"])
    assert set(catalog.folders) == {"a", "a/b"}
    assert catalog.is_folder("a/b") and not catalog.is_folder("a/b/c")
    log.build("g2")
    log.store("new/x.md", generation="g2")
    assert catalog.is_folder("new")
    log.activate(generation="g2")
    assert set(catalog.folders) == {"new"}
    assert set(Table(files=dict(catalog.files)).folders) == {"new"}
