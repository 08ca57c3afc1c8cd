"""Whole daemons that share one index in an object store."""

import tarfile
from pathlib import Path

import pytest

from tests.object_store.conftest import NewMachine
from tests.object_store.kinds import Server


def assert_no_secret(secrets: tuple[str, ...], *homes: Path) -> None:
    """No file of these homes contains a secret."""
    for home in homes:
        for file in home.rglob("*"):
            if file.is_file():
                data = file.read_bytes()
                assert not [secret for secret in secrets if secret.encode() in data], file


def assert_not_in_bundle(secrets: tuple[str, ...], bundle: Path) -> None:
    with tarfile.open(bundle) as archive:
        files = [archive.extractfile(member) for member in archive.getmembers()]
        contents = [file.read() for file in files if file is not None]
    assert contents
    assert not [secret for secret in secrets if secret.encode() in b"".join(contents)]


def test_a_reader_follows_what_the_writer_does(new_machine: NewMachine, vault: Path) -> None:
    writer, reader = new_machine("desktop"), new_machine("laptop", role="reader")
    writer.run("index")
    assert writer.codes() == []
    assert reader.found("how much do I owe Sreenivas?")[0] == "Journal/2024-02-01.md"

    (vault / "Kites.md").write_text("The kite festival is on the second Sunday of July.\n")
    (vault / "Shopping.md").unlink()
    writer.run("sync", "--accept-deletions")
    reader.wait_for(lambda: reader.found("kite festival")[:1] == ["Kites.md"])
    assert "Shopping.md" not in reader.found("rye bread")

    before = reader.answer("status")["data"]["index"]["generation"]
    writer.run("reindex")
    reader.wait_for(lambda: reader.answer("status")["data"]["index"]["generation"] != before)
    assert reader.found("pear tree")[0] == "Garden.md"


def test_a_reader_shows_notes_and_refuses_to_write(new_machine: NewMachine) -> None:
    writer, reader = new_machine("desktop"), new_machine("laptop", role="reader")
    writer.run("index")
    answer = reader.answer("search", "pear tree")
    first = answer["data"]["results"][0]
    assert first["unverified"]
    assert first["source_file"] == "Garden.md"
    assert answer["meta"]["index_as_of"] > "2024"
    assert "pear tree" in reader.run("show", "Garden.md")
    assert "Garden.md" in reader.run("status", "--json") or reader.codes() == []
    for words in (("index",), ("sync",), ("reindex",), ("pause", "1h")):
        refused = reader.ragctl(*words)
        assert refused.returncode != 0
        assert "only reads the index" in refused.stderr + refused.stdout
    stored = reader.ragctl("memory", "store", "tree", "The pear tree is old.", "Garden.md")
    assert "only reads the index" in stored.stderr


def test_the_second_writer_waits_until_the_first_is_gone(
    new_machine: NewMachine, vault: Path
) -> None:
    first, second = new_machine("desktop"), new_machine("laptop")
    first.run("index")
    second.run("start")
    second.wait_for(lambda: "INDEX_HELD" in second.codes())
    assert "Another daemon" in second.run("status")

    first.kill()
    second.wait_for(lambda: second.codes() == [])
    assert second.found("pear tree")[0] == "Garden.md"
    (vault / "Kites.md").write_text("The kite festival is on the second Sunday of July.\n")
    second.run("sync")

    first.run("start")  # it was replaced, and must not write
    first.wait_for(lambda: "INDEX_HELD" in first.codes())
    second.stop()
    first.wait_for(lambda: first.codes() == [])
    assert first.found("kite festival")[0] == "Kites.md"


def test_a_killed_writer_goes_on_where_it_was(new_machine: NewMachine, vault: Path) -> None:
    writer = new_machine("desktop")
    writer.run("index")
    for number in range(3):
        (vault / f"Note {number}.md").write_text(f"Number {number} is about quokkas.\n")
        writer.kill()
        writer.run("sync")
    found = writer.found("quokkas")
    assert sorted(found) == sorted(set(found))
    assert {f"Note {number}.md" for number in range(3)} <= set(found)
    assert writer.answer("status")["data"]["total_docs"] == 6


@pytest.mark.every_kind
def test_no_credential_is_in_any_file(
    new_machine: NewMachine, tmp_path: Path, server: Server
) -> None:
    writer, reader = new_machine("desktop"), new_machine("laptop", role="reader")
    writer.run("index")
    assert reader.found("pear tree")
    writer.run("doctor", "--bundle", str(tmp_path / "bundle.tar.gz"))
    writer.stop()
    reader.stop()
    assert_no_secret(server.secrets, writer.home, reader.home)
    assert_not_in_bundle(server.secrets, tmp_path / "bundle.tar.gz")


def test_a_reader_keeps_collections_that_it_does_not_know_private(
    new_machine: NewMachine, tmp_path: Path
) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "Narwhals.md").write_text("A narwhal has one long tooth.\n")
    writer = new_machine("desktop", collections={"papers": {"path": str(papers)}})
    reader = new_machine("laptop", role="reader")
    writer.run("index")
    assert writer.found("narwhal tooth")[:1] == ["@papers/Narwhals.md"]
    assert "@papers/Narwhals.md" not in reader.found("narwhal tooth")
    named = reader.answer("search", "narwhal tooth", "--collection", "papers")["data"]["results"]
    assert [one["source_file"] for one in named] == ["@papers/Narwhals.md"]
