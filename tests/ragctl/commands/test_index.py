"""`ragctl index` and `ragctl sync` against a real daemon with the embedded model."""

import json
import shutil
from pathlib import Path

import pytest

from ragd.embed.providers import local_model
from ragd.paths import Home
from tests.ragctl.conftest import Ragctl

pytestmark = [pytest.mark.slow]


@pytest.fixture(autouse=True)
def a_model() -> None:
    if reason := local_model.unavailable():
        pytest.skip(f"the embedded model cannot run here: {reason}")


@pytest.fixture
def vault(home: Home) -> Path:
    """The vault of `home`, in a configuration that asks for the embedded model."""
    config = json.loads(Path(home.config).read_text())
    config["embedding"] = {"provider": "embedded"}
    Path(home.config).write_text(json.dumps(config))
    return Path(config["vault_path"])


def test_index_shows_its_steps_as_lines_and_then_what_it_did(ragctl: Ragctl, vault: Path) -> None:
    (vault / "Küche.md").write_text("Ein Regal für die Gewürze.\n")
    result = ragctl("index", "--json")
    assert result.code == 0, result.err
    *steps, last = [json.loads(line) for line in result.lines]
    assert {step["type"] for step in steps} <= {"progress"}
    assert {step["phase"] for step in steps} <= {"storing", "embedding"}
    assert set(last) == {
        *("type", "indexed_files", "total_chunks", "text_ms", "duration_ms", "errors")
    }
    assert (last["type"], last["indexed_files"], last["errors"]) == ("complete", 2, [])
    status = ragctl("status", "--json").json["data"]
    assert (status["plugin_health"], status["total_docs"]) == ("healthy", 2)
    assert status["chunks_embedded"] == status["total_chunks"] == last["total_chunks"]
    again = json.loads(ragctl("sync", "--json").lines[-1])
    assert again["indexed_files"] == 0


def test_on_a_new_machine_one_command_does_it_all(ragctl: Ragctl, home: Home, vault: Path) -> None:
    Path(home.config).unlink()
    Path(home.root).rmdir()
    result = ragctl("index", "--vault", str(vault), "--json")
    assert result.code == 0
    assert result.err.startswith(f"{home.config} now names the vault {vault}.\n")
    assert [json.loads(line)["type"] for line in result.lines][-1] == "complete"
    status = ragctl("status", "--json").json["data"]
    assert (status["plugin_health"], status["total_docs"]) == ("healthy", 1)
    again = ragctl("index", "--vault", str(vault), "--json")
    assert (again.code, again.err) == (0, "")


def test_a_note_that_cannot_be_read_makes_it_partial_and_is_named(
    ragctl: Ragctl, vault: Path
) -> None:
    (vault / "broken.md").write_bytes(bytes(range(256)) * 40)
    result = ragctl("index", "--json")
    assert result.code == 1
    errors = json.loads(result.lines[-1])["errors"]
    assert [error["file"] for error in errors] == ["broken.md"]
    failed = ragctl("status", "--json").json["data"]["failed"]
    assert [file["path"] for file in failed["files"]] == ["broken.md"]


def test_a_missing_vault_is_fatal_and_deletes_nothing(ragctl: Ragctl, vault: Path) -> None:
    assert ragctl("index").code == 0
    shutil.move(vault, vault.with_name("away"))
    assert ragctl("sync").code == 2
    assert ragctl("status", "--json").json["data"]["total_docs"] == 1


def test_no_wait_names_the_job_and_a_weaker_request_joins_it(ragctl: Ragctl, vault: Path) -> None:
    for number in range(300):
        (vault / f"{number}.md").write_text(f"Note number {number}.\n")
    first = ragctl("index", "--no-wait", "--json").json["job_id"]
    second = ragctl("sync", "--no-wait", "--json").json["job_id"]
    assert first == second


def test_an_agent_cannot_accept_deletions(ragctl: Ragctl, vault: Path) -> None:
    from ragctl.daemon.client import request
    from ragctl.failure import Failure
    from ragd.paths import Home

    assert ragctl("start").code == 0
    body = {"mode": "sync", "accept_deletions": True}
    answer = request(Home(None), "POST", "/v1/tools/obsidian_rag_index", body)
    with pytest.raises(Failure, match="accept_deletions"):
        answer.data  # noqa: B018


CANARY = "quetzalcanary"


def test_no_note_text_gets_into_the_log(ragctl: Ragctl, home: Home, vault: Path) -> None:
    (vault / "a.md").write_text(f"---\ntags: [x{CANARY}]\ntitle: {CANARY} A\n---\n# {CANARY}\n")
    (vault / "b.md").write_text(f"---\nbroken: [{CANARY}\n---\n#{CANARY}\nsaid {CANARY}\n")
    (vault / "c.md").write_bytes(bytes(range(256)) * 40 + CANARY.encode())
    assert ragctl("index", "--json").code == 1
    assert ragctl("stop").code == 0
    root = Path(home.root)
    apart = (root / "vectors.lance", root / "embeddings.sqlite")
    files = [
        p for p in root.rglob("*") if p.is_file() and not str(p).startswith(tuple(map(str, apart)))
    ]
    assert {"ragd.log", "sync-result.json"} <= {p.name for p in files}
    assert [p.name for p in files if CANARY.encode() in p.read_bytes().lower()] == []
