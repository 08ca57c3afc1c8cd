"""How a daemon starts: what it refuses, what it cleans up, and its first status."""

import asyncio
import os
import stat
import subprocess
import sys
from binascii import crc32
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.daemon import run
from ragd.paths import Home
from tests.daemon.processes import Process, environment, types
from tests.daemon.wire import ask, connected, head, lines
from tests.patience import PATIENCE_S

Start = Callable[..., Process]


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (None, "No configuration at"),
        ("{", "JSON"),
        ('{"vault_path": 5}', "vault_path"),
        ('{"vault_path": "/v", "embeding": {}}', "embedding"),
        ('{"vault_path": "/v", "embedding": {"base_url": "http://example.com"}}', "local_only"),
    ],
)
def test_a_wrong_configuration_is_a_sentence_and_nothing_is_created(
    folder: Path, config: str | None, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    home = Home(str(folder / "new"))
    if config is not None:
        os.mkdir(home.root, 0o755)
        Path(home.config).write_text(config)
    before = sorted(folder.rglob("*"))
    assert run(home) == 78
    said = capfd.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert said.err.startswith("ragd: ")
    assert said.err.count("\n") == 1
    assert sorted(folder.rglob("*")) == before
    if config is not None:
        assert stat.S_IMODE(os.stat(home.root).st_mode) == 0o755


async def test_the_process_leaves_with_78(folder: Path, start: Start) -> None:
    daemon = start(of=Home(str(folder / "new")))
    assert await daemon.wait_for_exit() == 78
    assert "No configuration at" in daemon.output
    assert f"`ragctl --home {folder / 'new'} init" in daemon.output
    assert not (folder / "new").exists()


async def test_a_loose_home_is_tightened(home: Home, start: Start) -> None:
    os.chmod(home.root, 0o755)
    daemon = start("plain")
    await daemon.wait_until_ready()
    assert stat.S_IMODE(os.stat(home.root).st_mode) == 0o700
    assert await daemon.stop() == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
async def test_a_home_of_somebody_else_is_refused(home: Home, start: Start) -> None:
    os.chown(home.root, 65534, 65534)
    daemon = start("plain")
    assert await daemon.wait_for_exit() == 77
    assert "belongs to another user (uid 65534)" in daemon.output
    assert os.listdir(home.root) == ["config.json"]


async def test_a_home_that_is_a_file_is_refused(folder: Path, start: Start) -> None:
    (folder / "file").touch()
    daemon = start("plain", of=Home(str(folder / "file")))
    assert await daemon.wait_for_exit() in (77, 78)
    assert daemon.output.count("\n") == 1


async def test_nobody_else_can_read_anything_it_writes(home: Home, start: Start) -> None:
    daemon = start("umask=000")
    await daemon.wait_until_ready()
    await daemon.wait_for_reasons("STARTING", absent=True)
    loose = [
        f"{path} {stat.filemode(path.lstat().st_mode)}"
        for path in Path(home.root).rglob("*")
        if path.name != "config.json" and path.lstat().st_mode & 0o077
    ]
    assert loose == []
    assert await daemon.stop() == 0


async def test_a_log_of_a_newer_version_is_refused(home: Home, start: Start) -> None:
    body = b'{"format":9,"min_reader":9,"created_by":"ragd 9.0","first":1}'
    os.mkdir(home.events, 0o700)
    segment = Path(home.events) / "0000000000000001.ndjson"
    segment.write_bytes(b"%08x %b\n" % (crc32(body), body))
    daemon = start("plain")
    assert await daemon.wait_for_exit() == 78
    assert "newer version (ragd 9.0)" in daemon.output
    assert segment.read_bytes().endswith(body + b"\n")


async def test_a_torn_tail_is_told_in_the_log(home: Home, start: Start) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    assert await daemon.stop() == 0
    segment = Path(home.events) / "0000000000000001.ndjson"
    with segment.open("ab") as file:
        file.write(b'deadbeef {"seq":')
    daemon = start("plain")
    await daemon.wait_until_ready()
    assert await daemon.stop() == 0
    assert "tail_cut" in types(home)


# Before lancedb is there


def test_the_daemons_module_imports_no_lancedb() -> None:
    code = "import sys, ragd.daemon; print([m for m in sys.modules if m in "
    code += "('lancedb', 'lance', 'pyarrow', 'numpy', 'onnxruntime', 'pandas')])"
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert told.stdout == "[]\n"


async def test_status_answers_before_the_index_is_open(
    home: Home, start: Start, folder: Path
) -> None:
    gate = folder / "gate"
    os.mkfifo(gate)
    daemon = start(f"held_index={gate}")
    first = await daemon.wait_until_ready()
    assert first.status == 200
    assert first.envelope["status"] == "unavailable"
    assert first.code == "STARTING"
    assert [r["code"] for r in first.data["reasons"]] == ["STARTING"]
    search = await ask(home.socket, "POST", "/v1/tools/obsidian_rag_search", {"query": "x"})
    assert (search.status, search.code) == (503, "STARTING")
    assert search.data is None
    gate.write_text("open")
    await daemon.wait_for_reasons("INDEX_NOT_FOUND")
    search = await ask(home.socket, "POST", "/v1/tools/obsidian_rag_search", {"query": "x"})
    assert (search.status, search.code) == (503, "INDEX_NOT_FOUND")
    assert search.envelope["status"] == "unavailable"
    gate.unlink()
    daemon.kill()


async def test_starting_and_then_the_verdict_are_in_the_log(home: Home, start: Start) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    told: list[list[str]] = []
    async with connected(home.socket) as wire, asyncio.timeout(PATIENCE_S):
        await wire.send(head("GET", "/v1/events?follow=1&type=health_changed"))
        await wire.head()
        async for record in lines(wire):
            told.append(record["event"]["reasons"])
            if told[-1] == ["INDEX_NOT_FOUND"]:
                break
    assert told[0] == ["STARTING"]
    assert await daemon.stop() == 0
