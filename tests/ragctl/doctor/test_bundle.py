"""`ragctl doctor --bundle`: what a stranger gets to see of a home that is full of secrets."""

import json
import os
import stat
import tarfile
from pathlib import Path

import pytest

from ragctl.daemon.client import request
from ragctl.doctor.checks import ok, warn
from ragd.paths import Home
from tests.ragctl.conftest import Ragctl
from tests.security.test_canaries import Canaries

STORE = "/v1/tools/obsidian_rag_memory_store"


def read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    assert file is not None
    return file.read()


def unpacked(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as opened:
        return {
            member.name.removeprefix("ragd-report/"): read_member(opened, member)
            for member in opened.getmembers()
        }


def everything(archive: Path) -> bytes:
    """All that is in it, names and headers included."""
    import gzip

    return gzip.decompress(archive.read_bytes()) + archive.read_bytes()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two checks will do where it is about the archive."""
    from ragctl.commands import doctor

    checks = {name: doctor.CHECKS[name] for name in ("config", "vault")}
    monkeypatch.setattr(doctor, "CHECKS", checks)


def test_it_is_for_its_owner_alone_and_says_what_is_in_it(
    ragctl: Ragctl, quick: None, short: Path
) -> None:
    archive = short / "report.tar.gz"
    before = os.umask(0)
    try:
        result = ragctl("doctor", "--json", "--bundle", str(archive))
    finally:
        os.umask(before)
    assert result.code == 0
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    files = unpacked(archive)
    told = result.json["bundle"]
    assert told["path"] == str(archive) and told["files"] == list(files)
    assert told["size_bytes"] == archive.stat().st_size
    assert set(files) == {
        *("README.txt", "versions.json", "checks.json", "config.json", "state.json"),
        *("events.ndjson", "ragd.log"),
    }
    assert json.loads(files["versions.json"])["ragd"]
    with tarfile.open(archive) as opened:
        assert {(m.uid, m.uname, m.mtime) for m in opened.getmembers()} == {(0, "", 0)}


def test_nothing_is_ever_written_over(ragctl: Ragctl, home: Home, short: Path) -> None:
    archive = short / "report.tar.gz"
    for make in (lambda: archive.write_text("mine"), lambda: archive.symlink_to("nowhere")):
        make()
        result = ragctl("doctor", "--bundle", str(archive))
        assert result.code == 2 and "already" in result.err
        archive.unlink()


def test_a_place_that_is_not_there_is_a_sentence(ragctl: Ragctl, quick: None, short: Path) -> None:
    result = ragctl("doctor", "--bundle", str(short / "no/where.tar.gz"))
    assert result.code == 1 and "No such file" in result.err


def test_a_part_that_hangs_is_left_out(
    ragctl: Ragctl, home: Home, quick: None, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragctl.doctor.report.PART_WITHIN_S", 0.3)
    os.mkdir(os.path.dirname(home.log_file))
    os.mkfifo(home.log_file)
    archive = short / "report.tar.gz"
    assert ragctl("doctor", "--bundle", str(archive)).code == 0
    os.close(os.open(home.log_file, os.O_WRONLY | os.O_NONBLOCK))  # let the thread go
    assert "took too long" in json.loads(unpacked(archive)["ragd.log"])["error"]


@pytest.mark.slow
def test_no_canary_of_a_whole_home_is_in_it(
    ragctl: Ragctl, home: Home, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary = Canaries()
    user, host = canary("user"), canary("host")
    monkeypatch.setenv("USER", user)
    monkeypatch.setenv("HOSTNAME", host)
    monkeypatch.setenv("HOME", str(short / canary("home")))
    vault = short / canary("vault's parent") / f"{canary('vault')} of mine"
    folder = vault / canary("folder")
    folder.mkdir(parents=True)
    (vault / ".obsidian").mkdir()
    (folder / f"{canary('note name')} two words.md").write_text(
        f"---\ntags: [{canary('tag')}]\n---\n# {canary('heading')}\nI owe {canary('text')} $70.\n"
    )
    (folder / f"{canary('large note')}.md").write_bytes(b"x" * (11 * 1024 * 1024))
    odd = folder / f"{canary('note that is a link')}.md"
    odd.symlink_to("/etc/hostname")
    Path(os.fsdecode(os.fsencode(folder) + canary("odd name").encode() + b"\xff.md")).touch()
    Path(home.config).write_text(
        json.dumps(
            {
                "vault_path": str(vault),
                "indexing": {"deny_dirs": [canary("denied")], "allow_dirs": []},
                "security": {"sensitive_sections": [f"#{canary('section')}"]},
                "memory": {"patterns": {canary("kind"): [canary("pattern")]}},
                "vector_store": {"path": str(short / canary("index") / "v")},
            }
        )
    )
    ragctl("index")
    ragctl("search", canary("query"))
    ragctl("search", "x", "--dir", canary("directory"))
    note = next(path.name for path in folder.iterdir() if "two words" in path.name)
    memory = {"key": canary("memory key"), "value": canary("memory value")}
    source = f"{folder.name}/{note}"
    assert request(home, "POST", STORE, {**memory, "source": source}).data["stored"]
    with open(home.log_file, "a") as log:
        log.write(json.dumps({"event": f"/x/{canary('path in log')}", "odd": canary("field")}))
        log.write(f"\nTraceback: {canary('plain line')}\n")
        log.write(json.dumps({"event": f"{user} came from {host}"}) + "\n")
    running = short / "running.tar.gz"
    ragctl("doctor", "--bundle", str(running))
    ragctl("stop")
    stopped = short / "stopped.tar.gz"
    ragctl("doctor", "--bundle", str(stopped))
    for archive in (running, stopped):
        assert canary.found_in(everything(archive)) == []
        assert str(short).encode() not in everything(archive)
    files = unpacked(running)
    assert json.loads(files["status.json"])["data"]["total_docs"] == 1
    assert "status.json" not in unpacked(stopped)
    events = [json.loads(line) for line in files["events.ndjson"].splitlines()]
    stored = [e["event"] for e in events if e["event"]["type"] == "batch_stored"]
    formed = [e["event"] for e in events if e["event"]["type"] == "changeset_formed"]
    paths = {file["path"] for event in stored for file in event["files"]}
    assert len(paths) == 1 and paths <= {p for event in formed for p in event["upserts"]}
    assert json.loads(files["config.json"])["vault_path"] == "[vault]"


def test_a_configuration_that_is_refused_is_not_quoted(
    ragctl: Ragctl, home: Home, quick: None, short: Path
) -> None:
    Path(home.config).write_text(json.dumps({"vault_path": "/x", "mysecretkey": 1}))
    archive = short / "report.tar.gz"
    assert ragctl("doctor", "--bundle", str(archive)).code == 1
    assert b"mysecretkey" not in everything(archive)


def test_private_words_of_a_finding_are_hidden_in_message_and_fix(home: Home, short: Path) -> None:
    from ragctl.doctor.bundle import write_bundle

    found = {"a": warn("x Dear diary.md", "mv Dear diary.md", "Dear diary.md"), "b": ok("fine")}
    write_bundle(home, str(short / "r.tar.gz"), found)
    assert b"Dear" not in everything(short / "r.tar.gz")
