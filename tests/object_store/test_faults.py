"""A store that is slow, throttles, refuses, cuts connections or is full; two writers that fight.

What was acknowledged stays, nothing is doubled, and health says what is wrong.
"""

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import parse_address
from ragd.objects.credentials import lance_options
from ragd.store.lance import libraries
from ragd.store.lance.schema import TABLE
from tests.object_store.conftest import NewMachine
from tests.object_store.fault_proxy import Fault, FaultProxy
from tests.object_store.kinds import Server
from tests.object_store.machines import Machine

KILLS = int(os.environ.get("RAGD_STORE_DAEMON_KILLS", "3"))
FIGHT_S = float(os.environ.get("RAGD_STORE_FIGHT_S", "20"))
thorough = pytest.mark.skipif(
    "RAGD_STORE_KILLS" not in os.environ, reason="part of make test-store, because it takes long"
)


def rows_of(address: str, server: Server, machine: Machine) -> "Counter[tuple[str, str]]":
    """How often each passage is in the table that serves, read without ragd."""
    generation = machine.answer("status")["data"]["index"]["generation"]
    options = StoreOptions(endpoint=server.endpoint, allow_http=True)
    dataset = libraries.lance().dataset(
        f"{address}/{generation}/{TABLE}.lance",
        storage_options=lance_options(parse_address(address), options, server.environment),
    )
    found = dataset.scanner(columns=["source_file", "chunk_text"]).to_table().to_pylist()
    return Counter((row["source_file"], row["chunk_text"]) for row in found)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        pytest.param(503, "STORE_UNREACHABLE", id="throttled"),
        pytest.param("cut", "STORE_UNREACHABLE", id="cut", marks=thorough),
        pytest.param(403, "STORE_DENIED", id="denied", marks=thorough),
        pytest.param(507, "STORE_FULL", id="full", marks=thorough),
    ],
)
def test_a_store_that_fails_is_named_and_nothing_is_lost(
    new_machine: NewMachine, proxy: FaultProxy, vault: Path, fault: Fault, code: str
) -> None:
    machine = new_machine("desktop", endpoint=proxy.endpoint)
    machine.run("index")
    proxy.decide = lambda method, path: fault if method in ("PUT", "POST") else "pass"
    (vault / "Kites.md").write_text("The kite festival is on the second Sunday of July.\n")
    machine.wait_for(lambda: code in machine.codes())
    assert machine.found("pear tree")[:1] == ["Garden.md"]  # searches go on
    proxy.decide = lambda method, path: "pass"
    machine.wait_for(lambda: machine.found("kite festival")[:1] == ["Kites.md"])
    machine.wait_for(lambda: machine.codes() == [])


@pytest.mark.every_kind
def test_wrong_credentials_are_said_in_a_sentence(new_machine: NewMachine, server: Server) -> None:
    good = new_machine("desktop")
    bad = Machine(good.home, server.environment | server.wrong)
    bad.run("start")
    try:
        bad.wait_for(lambda: "STORE_DENIED" in bad.codes())
        assert "refuses the credentials" in bad.run("status")
    finally:
        bad.stop()


@thorough
def test_a_slow_store_only_takes_longer(
    new_machine: NewMachine, proxy: FaultProxy, vault: Path
) -> None:
    machine = new_machine("desktop", endpoint=proxy.endpoint, lease_s=30)
    proxy.delay_s = 0.2
    machine.run("index")
    (vault / "Kites.md").write_text("The kite festival is on the second Sunday of July.\n")
    machine.run("sync")
    machine.wait_for(lambda: machine.found("kite festival")[:1] == ["Kites.md"])
    assert machine.codes() == []


@thorough
def test_kills_in_the_middle_of_commits_lose_and_double_nothing(
    new_machine: NewMachine, proxy: FaultProxy, vault: Path, address: str, server: Server
) -> None:
    """Each kill is at a random write request of a sync."""
    machine = new_machine("desktop", endpoint=proxy.endpoint)
    machine.run("index")
    source = random.Random(7)
    for number in range(KILLS):
        left = source.randrange(1, 12)

        def decide(method: str, path: str) -> Fault:
            nonlocal left
            if method in ("PUT", "POST", "DELETE") and "writer.json" not in path:
                left -= 1
                if left == 0:
                    machine.kill()
                    return source.choice(("cut", "cut_answer"))
            return "pass"

        (vault / f"Note {number}.md").write_text(f"Number {number} is about quokkas.\n")
        (vault / "Garden.md").write_text(f"The old pear tree lost branch {number}.\n")
        proxy.decide = decide
        machine.ragctl("sync")
        proxy.decide = lambda method, path: "pass"
        if machine.ragctl("sync").returncode != 0:
            machine.run("sync")
    machine.wait_for(lambda: machine.codes() == [])
    rows = rows_of(address, server, machine)
    assert set(rows.values()) == {1}
    assert {path for path, _ in rows} == {
        *("Journal/2024-02-01.md", "Shopping.md", "Garden.md"),
        *(f"Note {number}.md" for number in range(KILLS)),
    }
    assert ("Garden.md", f"The old pear tree lost branch {KILLS - 1}.") in rows


@thorough
def test_two_writers_that_fight_lose_and_double_nothing(
    new_machine: NewMachine, vault: Path, address: str, server: Server
) -> None:
    """Both are killed and started again and again. Only one may write at a time."""
    machines = [new_machine("desktop"), new_machine("laptop")]
    machines[0].run("index")
    source, written = random.Random(11), 0
    # The code is the same for each kind: the others fight for two of ten minutes.
    deadline = time.monotonic() + (FIGHT_S if server.scheme == "s3" else FIGHT_S / 5)
    while time.monotonic() < deadline:
        (vault / f"Note {written}.md").write_text(f"Number {written} is about quokkas.\n")
        written += 1
        chosen = source.choice(machines)
        chosen.run("start")
        if source.random() < 0.4:
            chosen.kill()
    machines[1].stop()
    machines[1].kill()
    machines[0].run("start")
    machines[0].wait_for(lambda: "INDEX_HELD" not in machines[0].codes())
    machines[0].run("sync")
    machines[0].wait_for(lambda: machines[0].codes() == [])
    rows = rows_of(address, server, machines[0])
    assert set(rows.values()) == {1}
    assert len({path for path, _ in rows}) == 3 + written
