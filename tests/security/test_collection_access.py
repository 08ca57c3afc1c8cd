"""An agent sees nothing of a collection that it may not search: no word, path or count.

Two homes are alike but for one collection. In one it is full of canaries; in the other it has one
dull note. The agent may not search it, so it must get the same answer from both, to every request.
"""

import functools
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from ragctl.daemon.client import request
from ragd.embed.providers import local_model
from ragd.protocol.asker import asker_headers
from tests.daemon.searches import WITHIN_S, Vault
from tests.daemon.wire import check_envelope

pytestmark = [
    pytest.mark.skipif(local_model.unavailable() is not None, reason="no embedded model here"),
]

TOOL = "/v1/tools/obsidian_rag_"
FILE_TIME = 1_750_000_000.0
LATER = FILE_TIME + 1_000_000.0
SHARED_TEXT = "The boat shed key hangs behind the green door.\n"

VAULT = {
    "Journal/2024-01-15.md": "# Monday\n\nA kingfisher at the weir. I owe Ada 40 dollars.\n",
    "Journal/2024-02-01.md": "#finance\nPaid the tickets to Hampi. See [[Doorbell]].\n",
    "Projects/Doorbell.md": "---\ntags: [electronics]\nstatus: active\n---\n# Doorbell\n\nA reed "
    "relay and a nine volt battery.\n",
    "Shed.md": SHARED_TEXT,
}
PAPERS = {"Ice.md": "# Sea ice\n\nFrost flowers grow on young ice. #physics\n"}
DULL = {"dull.md": "One dull line.\n"}
# The words below occur nowhere else.
SECRET = {
    "Plans/Zorvathian.md": "---\ntags: [quibblefrost]\naliases: [Mirabelow]\nglimmerprop: "
    "vexillate\nstatus: zqactive\n---\n# Zorvathian treaty\n\nThe xylophantic kingfishery opens "
    "at the doorxbell. [[Doorbell]] [[Ice]]\n\n## Brindlewick\n\nPaid Ada back, I "
    "owe Ada 999 wumpledollars now.\n",
    "Plans/2031-05-06.md": "The thrimblegast happened today, on Oskwald's birthday. Oskwald was "
    "born on 6 May 1999.\n",
    "Shed.md": SHARED_TEXT,
    "Doorbell.md": "# Doorbell\n\nAnother snorkelbell, with a wibblecoil relay. #electronics\n",
    "Deutsch.md": "Der Wurzelgnom wohnt unter der Brombeerhecke und zählt seine Taler.\n",
    "broken.md": "---\ntitle: \x00\x01 plonkbyte\n",
    "hidden.md": "---\nrag: false\n---\nThe unseenword.\n",
}
CANARIES = (
    *("zorvathian", "quibblefrost", "mirabelow", "glimmerprop", "vexillate", "zqactive"),
    *(
        "xylophantic",
        "kingfishery",
        "brindlewick",
        "wumpledollars",
        "999 wumple",
        "2031-05-06.md",
        "thrimblegast",
    ),
    *("oskwald", "snorkelbell", "wibblecoil", "wurzelgnom", "brombeerhecke", "plonkbyte"),
    *("unseenword", "deutsch.md", "broken.md", "hidden.md", "@secret", "secret/", "plans/"),
    "`secret`",
)


class Asked(NamedTuple):
    method: str
    path: str
    body: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        return f"{self.path} {json.dumps(self.body)}".lower()


def search(query: str, **fields: Any) -> Asked:
    return Asked("POST", f"{TOOL}search", {"query": query, **fields})


def note(path: str, **fields: object) -> Asked:
    more = "".join(f"&{name}={value}" for name, value in fields.items())
    return Asked("GET", f"/v1/notes?path={quote(path, safe='')}{more}")


SEARCHES = (
    # Words, prefixes, typos, phrases, other languages
    *(search(word) for word in ("zorvathian", "Zorvathian treaty", "zorvath", "zorv*", "*")),
    *(search(word) for word in ("zorvathain", "xylophantik", "snorkelbel", "kingfishry")),
    *(
        search(word)
        for word in ('"xylophantic kingfishery"', '-"snorkelbell" relay', "-zorvathian")
    ),
    search("der Wurzelgnom und seine Taler"),
    search("Brombeerheke", explain=True),
    # A word of a hidden note that is close to another one: is it a typo?
    *(search(word) for word in ("doorxbell", "kingfishery", "snorkelbells")),
    # Names: of notes, headings, aliases, and one that a note of the vault has, too
    *(search(name) for name in ("Mirabelow", "Brindlewick", "2031-05-06", "Doorbell", "Deutsch")),
    *(search(f"title:{name}") for name in ("zorvathian", "doorbell", "zorvathien")),
    # Tags and properties, right and mistyped
    *(search("x", tags=[tag]) for tag in ("quibblefrost", "quibblefrst", "electronics", "#zzz")),
    *(search(f"tag:{tag}") for tag in ("quibblefrost", "quiblefrost", "electronics")),
    *(search("x", properties=[one]) for one in ("glimmerprop", "glimerprop", "status=zqactive")),
    *(search(f"prop:{one}") for one in ("glimmerprop=vexillate", "status!=active", "glimmerprpo")),
    # Folders and collections, right and mistyped
    *(search("x", directory_filter=[one]) for one in ("@secret", "@secret/Plans", "Plans")),
    *(search("x", directory_filter=[one]) for one in ("@secert", "@papers/../@secret", "Jurnal")),
    *(search(f"x folder:{one}") for one in ("@secret", "@secret/Plans", "Plans", "@SECRET")),
    *(search("x", collections=[one]) for one in ("secret", "@secret", "SECRET", "secrets", "sek")),
    *(search("x", collections=["papers", "secret"]) for _ in range(1)),
    *(search(f"x collection:{one}") for one in ("secret", "sekret")),
    search("kingfisher -collection:secret"),
    search("x", collections=["*"]),
    *(search(f"x folder:{one}", directory_filter=["Journal"]) for one in ("@secret", "@secert")),
    *(search(f"x -folder:{one}") for one in ("@secret", "@secert", "Plans")),
    # Times: stated days, birthdays, events, files
    search("x", date_range={"from": "2031-01-01"}),
    search("x", date_range={"from": "2025-06-01"}, by_file_time=True),
    *(search(one) for one in ("what happened in May 2031?", "on Oskwald's birthday")),
    *(search(one) for one in ("since the thrimblegast", "what did I do on 6 May 2031?")),
    # Linked notes, equal texts, newer statements
    *(search(one, max_results=20) for one in ("reed relay and battery", "frost flowers")),
    *(search(one, max_results=20) for one in ("boat shed key", "how much do I owe Ada?")),
    search(SHARED_TEXT.strip(), explain=True, max_results=50),
    # Memories
    *(search(one) for one in ("memory of the wumpledollars", "wumpledollar debt", "hoard")),
    # Wrong requests
    search(""),
    search("x", max_results=99),
    Asked("POST", f"{TOOL}search", {"query": "x", "agent": "owner", "X-Ragd-Agent": ""}),
    Asked("POST", f"{TOOL}serch", {"query": "x"}),
)
NOTES = (
    *(note(f"@secret/{path}") for path in SECRET),
    *(note(f"@secret/{path}", raw=1) for path in SECRET),
    *(note(one) for one in ("@secret", "@secret/", "@secret/Plans", "@secret/absent.md")),
    *(note(one) for one in ("@secret/Plans/Zorvathien.md", "Zorvathian", "Zorvathian treaty")),
    *(note(one) for one in ("[[Zorvathian]]", "[[Mirabelow]]", "Mirabelow", "Zorvathien.md")),
    *(note(one) for one in ("Doorbell", "Shed", "Plans/Zorvathian.md", "Deutsch", "broken")),
    *(
        note(one)
        for one in ("@papers/../@secret/Shed.md", "@secret/./Shed.md", "%40secret/Shed.md")
    ),
    note("@secret/Plans/Zorvathian.md", **{"from": 900, "to": 999}),
    note("Projects/Doorbell.md"),
)
OTHERS = (
    Asked("GET", "/v1/status"),
    Asked("POST", f"{TOOL}status", {}),
    Asked("POST", f"{TOOL}status", {"verbose": True}),
    Asked("GET", "/v1/tools"),
    Asked("GET", "/v1/collections"),
    Asked("GET", "/v1/notes/recent"),
    Asked("GET", "/v1/coverage"),
    Asked("GET", "/v1/coverage?depth=9&notes=100"),
    *(
        Asked("GET", f"/v1/coverage?notes=100&folder={quote(one, safe='')}")
        for one in ("@secret", "@secret/Plans", "Plans", "@sacrat", "@vault", "Jurnal", "@papers")
    ),
    Asked("GET", "/v1/memories"),
    Asked("GET", "/v1/absent"),
    Asked("DELETE", "/v1/status"),
    Asked("GET", "/v1/status?absent=1"),
)
MEMORY_STORES = tuple(
    Asked("POST", f"{TOOL}memory_store", {"key": key, "value": "Something.", "source": source})
    for key, source in (
        ("new", "@secret/Plans/Zorvathian.md"),
        ("new", "@secret/absent.md"),
        ("new", "absent.md"),
    )
)
FOR_THE_USER = (
    Asked("GET", "/v1/events"),
    Asked("POST", "/v1/jobs", {"mode": "sync"}),
    Asked("GET", "/v1/jobs/1"),
    Asked("POST", "/v1/jobs/1/cancel", {}),
    Asked("POST", "/v1/pause", {"seconds": 60}),
    Asked("POST", "/v1/resume", {}),
    Asked("DELETE", "/v1/memories/debt"),
    Asked("POST", "/v1/reload", {}),
    Asked("POST", "/v1/stop", {}),
    Asked("GET", "/v1/timeline"),
    Asked("GET", "/v1/folders"),
    Asked("POST", "/v1/folders", {"folder": "Journal", "never": True}),
    Asked("GET", "/v1/state?seq=9"),
    *(
        Asked("POST", "/v1/explain", {"query": "kingfisher", "expect": name})
        for name in ("", "Zorvathian", "@secret/hidden.md", "Shed", "broken")
    ),
)

RULES = {"rules": [{"match": {"agent": "work"}, "collections": ["vault", "papers"]}]}


class SharedHome(Vault):
    """A home with a vault and two collections."""

    def __init__(self, folder: Path, secret: dict[str, str]) -> None:
        self.places = {"papers": folder / "papers", "secret": folder / "secret"}
        for name, notes in (("papers", PAPERS), ("secret", secret)):
            for path, text in notes.items():
                place = self.places[name] / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
        super().__init__(folder, VAULT, **self.settings(access=RULES))
        for root, moment in ((self.root, FILE_TIME), (self.places["papers"], FILE_TIME)):
            _set_times(root, moment)
        _set_times(self.places["secret"], LATER)  # the newest of all

    def settings(self, private: bool = False, **more: Any) -> dict[str, Any]:
        places = {name: {"path": str(place)} for name, place in self.places.items()}
        return {
            "collections": {**places, "secret": {**places["secret"], "private": private}}
        } | more

    def ask(self, asked: Asked, agent: str | None) -> tuple[int, dict[str, Any], str]:
        """The status, the envelope and the raw text of an answer."""
        method, path, body = asked
        answer = request(self.home, method, path, body, WITHIN_S, asker_headers(agent, "direct"))
        return answer.status, check_envelope(answer.body), answer.body.decode().lower()


def _set_times(root: Path, moment: float) -> None:
    for path in root.rglob("*.md"):
        os.utime(path, (moment, moment))


@contextmanager
def served(secret: dict[str, str]) -> Iterator[SharedHome]:
    folder = Path(tempfile.mkdtemp(prefix="ra", dir="/tmp"))
    home = SharedHome(folder, secret)
    try:
        home.start()
        home.index()
        yield home
    finally:
        home.end()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def homes() -> Iterator[tuple[SharedHome, SharedHome]]:
    """One with canaries, and one without."""
    with served(SECRET) as loud, served(DULL) as dull:
        for home, path in ((loud, "Plans/Zorvathian.md"), (dull, "dull.md")):
            memory = {
                "key": "debt",
                "value": "A hoard of wumpledollars.",
                "source": f"@secret/{path}",
            }
            status, envelope, _ = home.ask(Asked("POST", f"{TOOL}memory_store", memory), None)
            assert status == 200, envelope
        # Words for corrections are counted in the background, once somebody searches.
        for home, agent in itertools.product((loud, dull), (None, "work")):
            home.until(functools.partial(_corrects, home, agent))
        yield loud, dull


def _corrects(home: SharedHome, agent: str | None) -> bool:
    _, envelope, _ = home.ask(search("kingfishr"), agent)
    return bool(envelope["data"]["corrections"])


def comparable(envelope: dict[str, Any], home: SharedHome) -> Any:
    """An answer without what differs from home to home and from call to call."""
    volatile = (
        *("query_time_ms", "index_version", "generation", "last_sync", "active_job"),
        *("id", "finished_at", "confirm"),
        # BM25 weighs words by how common they are in the whole index (docs/access.md).
        *("score", "evidence", "parts", "sentences"),
    )

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: strip(one) for name, one in value.items() if name not in volatile}
        if isinstance(value, list):
            return [strip(one) for one in value]
        return value.replace(str(home.folder), "…") if isinstance(value, str) else value

    return strip(envelope)


def assert_no_canary(asked: Asked, text: str) -> None:
    found = [one for one in CANARIES if one in text and one not in asked.text]
    assert not found, (asked, found)


@pytest.mark.parametrize("asked", [*SEARCHES, *NOTES, *OTHERS, *MEMORY_STORES], ids=str)
def test_an_agent_gets_the_same_answer_with_and_without_the_canaries(
    homes: tuple[SharedHome, SharedHome], asked: Asked
) -> None:
    loud, dull = homes
    status, envelope, text = loud.ask(asked, "work")
    assert_no_canary(asked, text)
    dull_status, dull_envelope, _ = dull.ask(asked, "work")
    assert status == dull_status
    assert comparable(envelope, loud) == comparable(dull_envelope, dull)


def test_the_requests_would_find_the_canaries(homes: tuple[SharedHome, SharedHome]) -> None:
    """Without the rule, these requests show what there is: the test above can fail."""
    loud, _ = homes
    seen: set[str] = set()
    for asked in (*SEARCHES, *NOTES, *OTHERS):
        _, _, text = loud.ask(asked, None)
        seen |= {one for one in CANARIES if one in text and one not in asked.text}
    assert set(CANARIES) - seen <= {"plonkbyte", "unseenword", "secret/", "glimmerprop"}


@pytest.mark.parametrize("asked", FOR_THE_USER, ids=str)
def test_what_is_for_the_user_is_refused_for_an_agent(
    homes: tuple[SharedHome, SharedHome], asked: Asked
) -> None:
    loud, _ = homes
    status, envelope, text = loud.ask(asked, "work")
    assert (status, envelope["error"]["code"]) == (403, "SECURITY_VIOLATION")
    assert_no_canary(asked, text)


def test_an_unknown_and_a_forbidden_name_are_refused_alike(
    homes: tuple[SharedHome, SharedHome],
) -> None:
    loud, _ = homes
    for wrong, right in (("@secret", "@sacrat"), ("@secret/Plans", "@sacrat/Pluns")):
        asked = [loud.ask(search("x", directory_filter=[one]), "work") for one in (wrong, right)]
        assert asked[0][1]["error"] == asked[1][1]["error"]
    asked = [loud.ask(search("x", collections=[one]), "work") for one in ("secret", "sacrat")]
    assert asked[0][1]["error"] == asked[1][1]["error"]
    assert asked[0][1]["error"]["code"] == "UNKNOWN_COLLECTION"


def test_the_counts_are_those_of_the_scope(homes: tuple[SharedHome, SharedHome]) -> None:
    loud, _ = homes
    _, mine, _ = loud.ask(Asked("GET", "/v1/status"), None)
    _, theirs, _ = loud.ask(Asked("GET", "/v1/status"), "work")
    assert theirs["data"]["total_docs"] == len(VAULT) + len(PAPERS)
    assert mine["data"]["total_docs"] > theirs["data"]["total_docs"]
    assert theirs["data"]["skipped"] == {"total": 0, "reasons": {}, "files": []}
    assert mine["data"]["skipped"]["total"] >= 1
    assert mine["meta"]["vault_mtime"] > theirs["meta"]["vault_mtime"]
    _, searched, _ = loud.ask(search("kingfisher"), "work")
    assert searched["meta"]["chunks_scanned"] == theirs["data"]["total_chunks"]


def test_a_permitted_agent_and_the_user_find_everything(
    homes: tuple[SharedHome, SharedHome],
) -> None:
    loud, _ = homes
    for agent in (None, "other"):
        _, envelope, _ = loud.ask(search("zorvathian treaty"), agent)
        [first, *_] = envelope["data"]["results"]
        assert first["source_file"] == "@secret/Plans/Zorvathian.md"
        assert first["collection"] == "secret"
        _, envelope, _ = loud.ask(search("wumpledollars"), agent)
        assert [one["key"] for one in envelope["data"]["memories"]] == ["debt"]


def test_a_collection_that_is_unplugged_concerns_only_those_who_may_search_it(
    homes: tuple[SharedHome, SharedHome],
) -> None:
    loud, dull = homes
    away = loud.folder / "away"
    loud.places["secret"].rename(away)
    try:
        for home in homes:
            home.index("sync")
        _, mine, _ = loud.ask(Asked("GET", "/v1/status"), None)
        assert "COLLECTION_NOT_FOUND" in [one["code"] for one in mine["data"]["reasons"]]
        for asked in (*OTHERS, search("kingfisher"), note("Shed"), search("x", collections=["a"])):
            _, theirs, text = loud.ask(asked, "work")
            assert_no_canary(asked, text)
            _, others, _ = dull.ask(asked, "work")
            assert theirs["status"] == others["status"] == "healthy"
            assert comparable(theirs, loud) == comparable(others, dull)
    finally:
        away.rename(loud.places["secret"])
        loud.index("sync")


def test_a_private_collection_is_searched_only_when_it_is_named(
    homes: tuple[SharedHome, SharedHome],
) -> None:
    loud, dull = homes
    for home in homes:
        home.reload(**home.settings(private=True, access={}))
    try:
        named = ("@secret", "secret", "collection")
        for asked in (*SEARCHES, *NOTES):
            if any(one in asked.text for one in named) or "plans/zorv" in asked.text:
                continue
            for agent in (None, "work"):
                status, mine, text = loud.ask(asked, agent)
                assert_no_canary(asked, text)
                dull_status, others, _ = dull.ask(asked, agent)
                assert status == dull_status
                assert comparable(mine, loud) == comparable(others, dull), asked
        for asked in OTHERS:
            if "secret" in asked.text:
                continue  # it names the collection
            _, mine, text = loud.ask(asked, "work")
            assert not [one for one in CANARIES if one in text and one != "@secret"]
            _, others, _ = dull.ask(asked, "work")
            assert comparable(mine, loud) == comparable(others, dull)
        for agent in (None, "work"):
            for asked in (
                search("zorvathian", collections=["secret"]),
                search("collection:secret zorvathian"),
                search("zorvathian", directory_filter=["@secret/Plans"]),
                note("@secret/Plans/Zorvathian.md"),
            ):
                assert "brindlewick" in loud.ask(asked, agent)[2], asked
    finally:
        for home in homes:
            home.reload(**home.settings(access=RULES))
