"""The short form of `python -m chaos --only mix`, and tests that its checks find errors."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaos.harness import Arena, Broken
from chaos.mix import plan, prober, run_round, verdict
from chaos.mix.listener import ReceivedFact
from chaos.mix.plan import Step
from chaos.mix.planned_vault import HIDING
from chaos.mix.prober import Observation
from chaos.mix.world import World, is_in_folder
from chaos.provider import Provider
from chaos.tables import Tables
from chaos.vault import TableRow, rows_of

# The first has every kind of operation and documents; most kinds are in each of the others. They
# begin while an index is being built, with an index, and with an empty vault.
SEEDS = (3048, 5770, 1612)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 and Unix sockets")


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_catalog_the_table_and_the_vault_agree_after_a_random_mix(seed: int) -> None:
    with Arena(seed) as arena:
        tally = run_round(seed, Tables(arena))
    assert tally["mix: rounds in which all agreed"] == 1
    assert tally["mix: searches meanwhile"] > 0


def test_the_same_seed_gives_the_same_operations() -> None:
    assert plan.make_round(7) == plan.make_round(7)
    assert plan.make_round(7).steps != plan.make_round(8).steps


def test_every_kind_of_operation_is_in_the_mix_and_is_ended_again() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(60):
        steps = [step.kind for step in plan.make_round(seed).steps]
        kinds.update(steps)
        assert steps.count("kill") == steps.count("start")
        assert steps.count("fault") == steps.count("provider works")
        assert steps.count("pause") == steps.count("resume")
        assert steps.count("unplug") == steps.count("plug in")
        assert _are_edits(steps), "nothing is asked of a daemon that was killed"
    assert set(World.ACTIONS) | {"compare"} == set(kinds)


def _are_edits(steps: list[str]) -> bool:
    """Whether only edits and faults happen between a kill and a start."""
    while "kill" in steps:
        start = steps.index("start")
        down = steps[steps.index("kill") + 1 : start]
        if set(down) & {"ask", "cancel", "pause", "resume", "change model", "compare", "kill"}:
            return False
        steps = steps[start + 1 :]
    return True


# Without a daemon: each check fails when it should


@pytest.fixture
def world() -> Iterator[World]:
    with Arena(1) as arena, Provider() as provider:
        notes = {"a.md": b"# A\n\nmark0001qx\n", "Private/b.md": b"# B\n\nmark0002qx\n"}
        round_ = plan.make_round(1)._replace(notes=notes)
        yield World(arena, round_, provider)


def served(path: str, asked: str = "search mark0001qx") -> Observation:
    return Observation(asked, 2e9, 2e9 + 1, frozenset({path}))


def started_and_finished(at: float, path: str) -> list[ReceivedFact]:
    facts = ({"type": "job_started"}, {"type": "file_skipped", "path": path})
    both = [*facts, {"type": "job_finished"}]
    return [ReceivedFact(seq, at + seq, fact) for seq, fact in enumerate(both, 1)]


def test_a_note_that_is_there_may_be_served(world: World) -> None:
    prober.check([served("a.md")], world, [])


def test_a_deleted_note_must_not_be_served(world: World) -> None:
    world.do(Step("delete", path="a.md"))
    with pytest.raises(Broken, match="did not exist"):
        prober.check([served("a.md")], world, [])


def test_a_moved_note_must_not_be_served_under_its_old_path(world: World) -> None:
    world.do(Step("move folder", path="Private", to="Other"))
    prober.check([served("Other/b.md")], world, [])
    with pytest.raises(Broken, match="did not exist"):
        prober.check([served("Private/b.md")], world, [])


def test_a_note_in_a_denied_folder_must_not_be_served(world: World) -> None:
    world.do(Step("deny", path="Private"))
    world.denials = [(0.0, 1.0, ("Private",))]
    with pytest.raises(Broken, match="denied folder"):
        prober.check([served("Private/b.md")], world, [])


def test_a_hidden_note_may_be_served_until_a_job_has_read_it(world: World) -> None:
    world.do(Step("write", path="a.md", data=HIDING + world.notes["a.md"]))
    hidden_at = world.history["a.md"][-1].ended
    prober.check([served("a.md")], world, started_and_finished(hidden_at - 100, "a.md"))
    with pytest.raises(Broken, match="a job had read that"):
        prober.check([served("a.md")], world, started_and_finished(hidden_at, "a.md"))
    with pytest.raises(Broken, match="was hidden"):
        prober.check([served("a.md", "read a.md")], world, [])


def test_rows_that_are_not_the_vaults_are_noticed(world: World) -> None:
    expected = verdict.Expected(world)
    right: list[tuple[TableRow, bytes | None]] = [
        (row, world.provider.vector_of(expected.texts[row.content_hash]))
        for rows in expected.rows.values()
        for row in rows
    ]
    ghost, texts = rows_of("c.md", b"# C\n\nmark0003qx\n")
    vectors = [world.provider.vector_of(text) for text in texts.values()]
    (first, vector), *rest = right
    compare = verdict.table_differences
    assert compare(world, expected, right) == []
    assert "not in the table" in compare(world, expected, rest)[0]
    assert "no vector" in compare(world, expected, [(first, None), *rest])[0]
    assert (
        "another text" in compare(world, expected, [(first, b"0" * len(vector or b"")), *rest])[0]
    )
    assert "duplicates" in compare(world, expected, [*right, right[0]])[0]
    assert "should not be" in compare(world, expected, [*right, (ghost[0], vectors[0])])[0]


def test_a_note_of_a_removed_collection_must_not_be_served(world: World) -> None:
    added = Step("add collection", path="c1", to="folder", files=(("@c1/a.md", b"mark0009qx"),))
    world.do(added)
    prober.check([served("@c1/a.md")], world, [])
    world.do(Step("remove collection", path="c1"))
    with pytest.raises(Broken, match="did not exist"):
        prober.check([served("@c1/a.md")], world, [])


def test_a_renamed_collection_must_not_be_served_under_its_old_name(world: World) -> None:
    world.do(Step("add collection", path="c1", to="folder", files=(("@c1/a.md", b"mark0009qx"),)))
    world.do(Step("rename collection", path="c1", to="c2"))
    assert set(verdict.Expected(world).rows) == {"a.md", "Private/b.md", "@c2/a.md"}
    with pytest.raises(Broken, match="did not exist"):
        prober.check([served("@c1/a.md")], world, [])


def test_a_deletion_before_a_collection_was_unplugged_may_not_be_known(world: World) -> None:
    files = (("@c1/a.md", b"mark0009qx"), ("@c1/b.md", b"mark0010qx"))
    world.do(Step("add collection", path="c1", to="folder", files=files))
    world.do(Step("delete", path="@c1/a.md"))
    world.do(Step("unplug", path="folder", how="moved away"))
    prober.check([served("@c1/a.md")], world, [])
    with pytest.raises(Broken, match="did not exist"):
        prober.check([served("@c1/never.md")], world, [])
    world.do(Step("plug in", path="folder"))
    world.away = [away._replace(ended=1.0) for away in world.away]
    with pytest.raises(Broken, match="did not exist"):
        prober.check([served("@c1/a.md")], world, [])


def test_a_note_that_an_unplugged_collection_lost_is_noticed(world: World) -> None:
    world.do(Step("add collection", path="c1", to="folder", files=(("@c1/a.md", b"mark0009qx"),)))
    world.do(Step("unplug", path="folder", how="empty mount point"))
    world.unplugged["folder"] = frozenset({"@c1/a.md"})  # as if it had been indexed
    with pytest.raises(Broken, match="lost from the unplugged"):
        world.do(Step("plug in", path="folder"))


def test_files_that_the_plan_knows_nothing_of_are_noticed(world: World) -> None:
    Path(world.vault, "stranger.md").write_text("# Stranger\n")
    with pytest.raises(Broken, match="lost track"):
        verdict.Expected(world)


@pytest.mark.parametrize(
    ("path", "folders", "denied"),
    [
        ("Private/a.md", ("Private",), True),
        ("Other/Private/a.md", ("Private",), True),
        ("Projects/Deep/a.md", ("Projects/Deep",), True),
        ("Projects/a.md", ("Projects/Deep",), False),
        ("Private.md", ("Private",), False),
        ("@work/Private/a.md", ("Private",), False),
    ],
)
def test_denied_folders_are_judged_as_the_daemon_does(
    path: str, folders: tuple[str, ...], denied: bool
) -> None:
    assert is_in_folder(path, folders) is denied
