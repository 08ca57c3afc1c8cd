"""Past conversations of agents in a real daemon: who sees them, and what is left out.

All of it for files of the host, and for its database.
"""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ragctl.daemon.client import request
from ragd.protocol.asker import asker_headers
from tests.daemon.searches import TOOL, WITHIN_S, Vault, serve_text
from tests.notes.documents.transcripts import header, lines, message, text_part
from tests.notes.secret_samples import PLANTED, hexadecimal, made
from tests.vault.host_database import HostDatabase

MAIN, WORK = "@sessions/main/s1.jsonl", "@sessions/work/s2.jsonl"
PASSWORD, TOKEN, OUTPUT = made(14), hexadecimal(40), made(24)
BEGAN = datetime.now(UTC) - timedelta(hours=2)
OWNER: dict[str, str] = {}


class Agents:
    """The host's folder of agents, each with one session."""

    def __init__(self, root: Path, kind: str) -> None:
        self.root = root
        self.kind = kind
        self._open: list[HostDatabase] = []  # as while the host runs

    def write(self, agent: str, name: str, *entries: Any) -> None:
        if self.kind == "database":
            self._open.append(HostDatabase(self.root, agent))
            self._open[-1].add(name, *entries, moment=BEGAN)
            return
        folder = self.root / agent / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{name}.jsonl"
        file.write_bytes(lines(header(BEGAN), *entries))
        os.utime(file, (BEGAN.timestamp(), BEGAN.timestamp()))


@pytest.fixture(scope="module", params=["files", "database"])
def agents(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Agents:
    agents = Agents(tmp_path_factory.mktemp("host") / "agents", request.param)
    planted = [message("user", f"heron {one.text}", BEGAN) for one in PLANTED]
    agents.write(
        "main",
        "s1",
        message("user", [text_part(f"A heron. My password: {PASSWORD}" + " and" * 60)], BEGAN),
        message("assistant", [{"type": "thinking", "thinking": OUTPUT}, text_part("At the weir.")]),
        message("toolResult", [text_part(OUTPUT)]),
        message("user", "word " * 60 + f"The token you need is `{TOKEN}`. The kingfisher is back."),
        *planted,
    )
    agents.write("Work", "s2", message("user", "A heron at work.", BEGAN))
    return agents


@pytest.fixture(scope="module")
def vault(agents: Agents) -> Iterator[Vault]:
    settings = {"enabled": True, "path": str(agents.root)}
    with serve_text({"Heron.md": "A heron in the vault.\n"}, sessions=settings) as vault:
        vault.until(lambda: vault.get("/v1/status").data["total_docs"] == 3)
        yield vault


def asked(vault: Vault, headers: dict[str, str], **body: Any) -> Any:
    query = {"query": "heron", "max_results": 20, **body}
    return request(vault.home, "POST", TOOL, query, WITHIN_S, headers)


def found(vault: Vault, headers: dict[str, str], **body: Any) -> set[str]:
    answer = asked(vault, headers, **body)
    assert answer.status == 200, answer.envelope
    return {one["source_file"] for one in answer.data["results"]}


def test_the_user_finds_all_sessions_by_naming_them(vault: Vault) -> None:
    assert found(vault, OWNER) == {"Heron.md"}
    assert found(vault, OWNER, collections=["sessions"]) == {MAIN, WORK}
    assert found(vault, OWNER, collections=["sessions/work"]) == {WORK}
    assert found(vault, OWNER, query="heron collection:sessions") == {MAIN, WORK}


def test_an_agent_finds_only_its_own(vault: Vault) -> None:
    assert found(vault, asker_headers("main", "direct"), collections=["sessions"]) == {MAIN}
    assert found(vault, asker_headers("WORK", "direct"), collections=["sessions"]) == {WORK}
    below = found(vault, asker_headers("work", "direct"), directory_filter=["@sessions"])
    assert below == {WORK}


@pytest.mark.parametrize(
    ("agent", "chat", "name"),
    [
        ("main", "group", "sessions"),
        ("main", "channel", "sessions/main"),
        ("work", "direct", "sessions/main"),
        ("guest", "direct", "sessions"),
        ("", "direct", "sessions"),
    ],
)
def test_nobody_else_finds_any(vault: Vault, agent: str, chat: str, name: str) -> None:
    headers = asker_headers(agent, chat)
    refused = asked(vault, headers, collections=[name])
    assert (refused.status, refused.envelope["error"]["code"]) == (400, "UNKNOWN_COLLECTION")
    assert found(vault, headers) == {"Heron.md"}
    folders = ["@sessions/main"] if agent == "work" else ["@sessions/main", "@sessions"]
    for folder in folders:
        refused = asked(vault, headers, directory_filter=[folder])
        assert refused.envelope["error"]["code"] == "UNKNOWN_DIRECTORY"
        assert "sessions" not in refused.envelope["error"]["suggestion"]
    shown = request(vault.home, "GET", f"/v1/notes?path={quote(MAIN)}", None, WITHIN_S, headers)
    missing = f"/v1/notes?path={quote('@sessions/main/none.jsonl')}"
    absent = request(vault.home, "GET", missing, None, WITHIN_S, headers)
    assert shown.status == absent.status
    assert shown.envelope["error"]["code"] == absent.envelope["error"]["code"]
    for path in ("/v1/status", "/v1/collections"):
        answer = request(vault.home, "GET", path, None, WITHIN_S, headers)
        assert "sessions/main" not in answer.body.decode()


def test_a_place_is_cited_and_opened_again(vault: Vault) -> None:
    headers = asker_headers("main", "direct")
    [first, *_] = asked(vault, headers, query="kingfisher", collections=["sessions"]).data[
        "results"
    ]
    assert first["citation"] == f"{MAIN}#message=2"
    target = f"/v1/notes?path={quote(MAIN)}&place={quote('message=2')}"
    shown = request(vault.home, "GET", target, None, WITHIN_S, headers)
    assert shown.status == 200, shown.envelope
    assert "The kingfisher is back." in shown.data["text"]
    assert TOKEN not in shown.data["text"] and "[secret]" in shown.data["text"]


def test_the_status_lists_a_collection_for_each_agent(vault: Vault) -> None:
    listed = {one["name"]: one for one in vault.get("/v1/status").data["collections"]}
    assert list(listed) == ["vault", "sessions/main", "sessions/work"]
    assert (listed["sessions/main"]["notes"], listed["sessions/main"]["private"]) == (1, True)
    assert listed["sessions/main"]["passages"] > 1
    assert listed["sessions/work"]["passages"] == 1
    assert (listed["vault"]["notes"], listed["vault"]["passages"]) == (1, 1)


def test_a_secret_is_in_no_file_of_the_home(vault: Vault) -> None:
    hidden = {PASSWORD, TOKEN, OUTPUT} | {one.secret for one in PLANTED if len(one.secret) > 15}
    files = [path for path in Path(vault.home.root).rglob("*") if path.is_file()]
    held = {path.name: path.read_bytes() for path in files}
    assert any(b"heron" in data for data in held.values()), "the text itself is in a file"
    leaks = [(name, one) for name, data in held.items() for one in hidden if one.encode() in data]
    assert leaks == []


def test_a_new_agent_is_noticed_and_a_removed_one_leaves(vault: Vault, agents: Agents) -> None:
    agents.write("late", "s3", message("user", "A late heron.", BEGAN))
    path = "@sessions/late/s3.jsonl"
    vault.until(lambda: path in found(vault, OWNER, collections=["sessions"]))
    shutil.rmtree(agents.root / "late")
    vault.until(lambda: path not in found(vault, OWNER, collections=["sessions"]))
    names = [one["name"] for one in vault.get("/v1/collections").data["collections"]]
    assert vault.until(lambda: "sessions/late" not in names)


def test_the_collections_are_not_written_to_the_configuration(vault: Vault) -> None:
    assert "sessions/" not in Path(vault.home.config).read_text()


def test_switched_off_everything_leaves(vault: Vault) -> None:
    """The last test of this module."""
    vault.reload(sessions={"enabled": False})
    vault.until(lambda: vault.get("/v1/status").data["total_docs"] == 1)
    refused = asked(vault, OWNER, collections=["sessions"])
    assert refused.envelope["error"]["code"] == "UNKNOWN_COLLECTION"
