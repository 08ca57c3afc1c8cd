"""What the index has of each folder, for the user and for agents, from plain facts."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ragd.access.scope import private_names
from ragd.config.live_settings import Settings
from ragd.config.schema import (
    AccessMatch,
    AccessRule,
    AccessSettings,
    CollectionSettings,
    Config,
    SecuritySettings,
)
from ragd.errors import RagdError
from ragd.eventlog.frame import Record
from ragd.events import (
    BatchStored,
    Event,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    StoredFile,
)
from ragd.folds import apply
from ragd.gateway import coverage
from ragd.gateway.access_control import AccessControl
from ragd.gateway.coverage import Coverage, CoverageRequest
from ragd.guard.live_rules import LiveGuard
from ragd.paths import Home
from ragd.protocol.asker import OWNER, Asker
from tests.gateway.test_status import folded

SECOND = 1_000_000_000
AGENT, GUEST = Asker("main", "direct"), Asker("guest", "direct")
DEBT = "I owe Bo 70 dollars"


def stored(path: str, mtime_s: int, chunks: int = 1, embedded: int = 0) -> StoredFile:
    return StoredFile(path, "0", mtime_s * SECOND, 10, chunks=chunks, embedded=embedded)


def batch(*files: StoredFile, removed: tuple[str, ...] = ()) -> BatchStored:
    return BatchStored(job_id="j", files=list(files), removed=list(removed), table_version=1)


FACTS: tuple[Event, ...] = (
    batch(
        stored("Top.md", 100, 2, 2),
        stored("Journal/2024/a.md", 300, 3, 1),
        stored("Journal/2024/b.md", 200),
        stored("Journal/c.md", 150),
        stored(f"{DEBT}/d.md", 120),
        stored("@papers/deep/p.md", 400),
        stored("@diary/secret.md", 500),
    ),
    FileSkipped(path="Hidden/h.md", reason="its frontmatter says `rag: false`"),
    FileFailed(path="Journal/bad.md", code="INTERNAL", detail="unreadable"),
    FileFailed(path="@papers/bad.pdf", code="DOCUMENT_UNREADABLE", detail="damaged"),
    FilesChanged(changes=[FileChange("New/n.md", "added"), FileChange("Hidden/h.md", "modified")]),
)


class Daemon:
    """The state, the configuration, and the answers that are made from both."""

    def __init__(self, *facts: Event, sensitive: str = "flag", denied: str = "-") -> None:
        rule = AccessRule(match=AccessMatch(agent="guest"), collections=("vault",))
        config = Config(
            vault_path="/v",
            collections={
                "papers": CollectionSettings(path="/p"),
                "diary": CollectionSettings(path="/d", private=True),
            },
            access=AccessSettings(rules=(rule,)),
            security=SecuritySettings(sensitive=cast(Any, sensitive)),
        )
        settings = Settings(Home("/h"), config)
        self.state = folded(*facts)
        ledger = cast(Any, SimpleNamespace(state=self.state))

        def includes(path: str) -> bool:
            return not path.startswith(denied)

        self._coverage = Coverage(
            ledger,
            AccessControl(settings, ledger),
            LiveGuard(settings),
            includes,
            includes,
            lambda: private_names(settings.current),
        )

    def add(self, fact: Event) -> None:
        seq = self.state.seq + 1
        record = Record(seq, seq - 1, "2026-11-15T15:00:00.000000Z", "r1", "test", None, fact)
        apply(self.state, record)

    async def ask(self, asker: Asker = OWNER, **fields: Any) -> dict[str, Any]:
        data, _ = await self._coverage.answer(CoverageRequest(**fields), asker)
        return data

    async def refusal(self, asker: Asker = OWNER, **fields: Any) -> RagdError:
        with pytest.raises(RagdError) as refused:
            await self.ask(asker, **fields)
        return refused.value


@pytest.fixture
def daemon() -> Daemon:
    return Daemon(*FACTS)


def notes_by_folder(data: dict[str, Any]) -> dict[str, int]:
    return {one["path"]: one["notes"] for one in data["folders"]}


def listed(data: dict[str, Any]) -> list[str]:
    return [one["path"] for one in data["notes"]]


async def test_the_user_sees_every_collection_with_its_numbers(daemon: Daemon) -> None:
    data = await daemon.ask()
    assert [(one["name"], one["notes"], one["private"]) for one in data["collections"]] == [
        ("vault", 5, False),
        ("diary", 1, True),
        ("papers", 1, False),
    ]
    vault = data["collections"][0]
    assert vault == {
        "name": "vault",
        "notes": 5,
        "passages": 8,
        "vectors": 3,
        "vectors_missing": 5,
        "vectors_never": 0,
        "failed": 1,
        "skipped": 1,
        "waiting": 1,  # what is left out does not wait
        "size_bytes": 50,
        "last_change": "1970-01-01T00:05:00.000000Z",
        "private": False,
    }
    assert (data["folder"], data["left_out"]) == (None, 0)
    assert "notes" not in data and "withheld" not in data


async def test_folders_of_the_vault_come_first_and_some_have_only_problems(daemon: Daemon) -> None:
    data = await daemon.ask()
    assert notes_by_folder(data) == {
        "Hidden": 0,
        DEBT: 1,
        "Journal": 3,
        "New": 0,
        "@papers/deep": 1,
    }
    assert next(iter(data["folders"]))["collection"] == "vault"
    assert data["folders"][-1]["collection"] == "papers"
    hidden = data["folders"][0]
    assert (hidden["skipped"], hidden["last_change"]) == (1, None)


async def test_a_folder_shows_only_what_is_below_it(daemon: Daemon) -> None:
    data = await daemon.ask(folder=" journal/ ", depth=3)
    assert data["folder"]["path"] == "Journal"
    assert notes_by_folder(data) == {"Journal/2024": 2}
    assert [one["path"] for one in data["failed"]["files"]] == ["Journal/bad.md"]
    assert data["skipped"]["total"] == 0
    assert len(data["collections"]) == 3
    below = await daemon.ask(folder="Journal/2024", depth=3)
    assert notes_by_folder(below) == {}
    assert below["failed"]["total"] == 0


async def test_a_collection_is_a_folder_too(daemon: Daemon) -> None:
    papers = await daemon.ask(folder="@papers")
    assert papers["folder"]["path"] == "@papers"
    assert notes_by_folder(papers) == {"@papers/deep": 1}
    assert [one["reason"] for one in papers["failed"]["files"]] == ["damaged"]
    vault = await daemon.ask(folder="@vault", depth=2)
    assert vault["folder"]["path"] == "@vault"
    assert set(notes_by_folder(vault)) == {"Hidden", DEBT, "Journal", "Journal/2024", "New"}


async def test_the_depth_limits_the_folders_and_not_the_numbers(daemon: Daemon) -> None:
    assert notes_by_folder(await daemon.ask(depth=0)) == {}
    assert "Journal/2024" not in notes_by_folder(await daemon.ask(depth=1))
    assert notes_by_folder(await daemon.ask(depth=2))["Journal"] == 3


async def test_many_folders_are_cut_to_those_with_the_most_notes(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage, "MOST_FOLDERS", 2)
    data = await daemon.ask(depth=2)
    assert notes_by_folder(data) == {"Journal": 3, "Journal/2024": 2}
    assert data["left_out"] == 4


async def test_the_numbers_change_with_the_index(daemon: Daemon) -> None:
    await daemon.ask()
    daemon.add(batch(stored("Journal/new.md", 900), removed=("Top.md",)))
    data = await daemon.ask(folder="@vault")
    assert data["folder"]["notes"] == 5
    assert data["folder"]["last_change"] == "1970-01-01T00:15:00.000000Z"
    assert notes_by_folder(data)["Journal"] == 4


# The notes of a folder


async def test_notes_directly_in_a_folder_are_listed_page_by_page(daemon: Daemon) -> None:
    first = await daemon.ask(folder="Journal/2024", notes=1)
    assert (listed(first), first["more"]) == (["Journal/2024/a.md"], 1)
    second = await daemon.ask(folder="Journal/2024", notes=1, after="Journal/2024/a.md")
    assert (listed(second), second["more"]) == (["Journal/2024/b.md"], 0)
    assert listed(await daemon.ask(notes=9)) == ["Top.md"]
    assert listed(await daemon.ask(folder="@diary", notes=9)) == ["@diary/secret.md"]


@pytest.mark.parametrize(
    ("folder", "path", "state", "reason", "passages"),
    [
        ("Journal/2024", "Journal/2024/a.md", "indexed", None, 3),
        ("Journal", "Journal/bad.md", "failed", "unreadable", 0),
        ("Hidden", "Hidden/h.md", "skipped", "its frontmatter says `rag: false`", 0),
        ("New", "New/n.md", "waiting", None, 0),
    ],
)
async def test_each_note_has_its_state_and_the_reason(
    daemon: Daemon, folder: str, path: str, state: str, reason: str | None, passages: int
) -> None:
    one = (await daemon.ask(folder=folder, notes=9))["notes"][0]
    assert (one["path"], one["state"], one["reason"]) == (path, state, reason)
    assert (one["passages"], one["kind"]) == (passages, "markdown")
    assert (one["modified"] is None) == (passages == 0)


# Refusals


@pytest.mark.parametrize("fields", [{"depth": 21}, {"depth": -1}, {"notes": 1001}, {"notes": -1}])
async def test_a_number_out_of_range_is_refused(daemon: Daemon, fields: dict[str, Any]) -> None:
    refused = await daemon.refusal(**fields)
    assert refused.code == "INVALID_REQUEST"
    assert f"`{next(iter(fields))}`" in refused.message


async def test_an_unknown_folder_is_refused_with_the_nearest_one(daemon: Daemon) -> None:
    near = await daemon.refusal(folder="Jurnal")
    assert (near.code, near.suggestion) == ("UNKNOWN_DIRECTORY", "Did you mean `Journal`?")
    far = await daemon.refusal(folder="Zebras of the north")
    assert "Did you mean" not in far.suggestion
    assert (await daemon.refusal(folder="../etc")).code == "SECURITY_VIOLATION"


# Agents


async def test_an_agent_sees_a_private_collection_only_if_it_names_it(daemon: Daemon) -> None:
    data = await daemon.ask(AGENT, depth=9)
    assert [one["name"] for one in data["collections"]] == ["vault", "papers"]
    named = await daemon.ask(AGENT, folder="@diary")
    assert named["folder"]["notes"] == 1


async def test_a_collection_that_an_agent_may_not_search_does_not_exist_for_it(
    daemon: Daemon,
) -> None:
    data = await daemon.ask(GUEST, depth=9)
    assert [one["name"] for one in data["collections"]] == ["vault"]
    assert "@papers/deep" not in notes_by_folder(data)
    assert [one["path"] for one in data["failed"]["files"]] == ["Journal/bad.md"]
    absent = await daemon.refusal(GUEST, folder="@absent")
    for folder in ("@papers", "@diary", "@papers/deep"):
        refused = await daemon.refusal(GUEST, folder=folder)
        assert (refused.code, refused.message) == (absent.code, absent.message)
        assert "@papers" not in refused.suggestion


async def test_a_token_without_the_vault_shows_nothing_of_it(daemon: Daemon) -> None:
    phone = Asker("phone", "direct", token="phone", only_in=frozenset({"papers"}))
    data = await daemon.ask(phone, depth=9, notes=9)
    assert [one["name"] for one in data["collections"]] == ["papers"]
    assert notes_by_folder(data) == {"@papers/deep": 1}
    assert (listed(data), data["skipped"]["total"]) == ([], 0)
    for folder in ("@vault", "Journal"):
        assert (await daemon.refusal(phone, folder=folder)).code == "UNKNOWN_DIRECTORY"


async def test_an_agent_gets_only_folders_and_notes_that_a_search_can_show() -> None:
    daemon = Daemon(*FACTS, denied="Journal/2024")
    assert "Journal/2024" not in notes_by_folder(await daemon.ask(AGENT, depth=9))
    assert (await daemon.refusal(AGENT, folder="Journal/2024")).code == "UNKNOWN_DIRECTORY"
    assert listed(await daemon.ask(AGENT, folder="Journal", notes=9)) == ["Journal/c.md"]
    assert listed(await daemon.ask(AGENT, folder="Hidden", notes=9)) == []
    user = await daemon.ask(folder="Journal", depth=9, notes=9)
    assert "Journal/2024" in notes_by_folder(user)
    assert listed(user) == ["Journal/bad.md", "Journal/c.md"]


async def test_sensitive_names_are_withheld_from_an_agent_and_counted() -> None:
    failed = FileFailed(path=f"{DEBT}/e.md", code="INTERNAL", detail="unreadable")
    daemon = Daemon(*FACTS, failed, sensitive="block")
    data = await daemon.ask(AGENT)
    assert DEBT not in notes_by_folder(data) and data["withheld"] == 1
    assert [one["path"] for one in data["failed"]["files"]] == ["@papers/bad.pdf", "Journal/bad.md"]
    assert listed(await daemon.ask(AGENT, folder=DEBT, notes=9)) == []
    user = await daemon.ask()
    assert DEBT in notes_by_folder(user) and "withheld" not in user
