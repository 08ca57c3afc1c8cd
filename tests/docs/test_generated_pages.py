"""The generated pages are up to date and complete."""

import ast
import json
import re
from pathlib import Path

import pytest
from msgspec import Struct

from pages import all as house
from pages import deviations, event_catalogue, vocabulary
from pages.recorders import recorders
from ragd.config.keys import dotted_keys
from ragd.config.load import parse
from ragd.config.schema import AccessMatch, CollectionSettings
from ragd.events import EVENT_TYPES, TAGS
from ragd.folds import State

ROOT = Path(__file__).parents[2]
PAGES = house.pages()


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_the_code_says_now(name: str) -> None:
    now = (house.DOCS / name).read_text(encoding="utf-8")
    assert now == PAGES[name], f"docs/{name} is out of date: run `make docs`"


# The catalogue


def test_every_fact_is_in_the_catalogue_and_nothing_else() -> None:
    page = PAGES["events.md"]
    assert re.findall(r"^### (\w+)$", page, re.M) == [tag for tag in TAGS if tag != "unknown"]


def handled_in_the_sources() -> dict[str, set[str]]:
    """By the name of a fact: the modules of ragd/folds whose HANDLERS or CHANGED_BY name it. Read
    from the sources, so that the page is not compared with itself."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "ragd" / "folds").glob("*.py"):
        for node in ast.parse(path.read_bytes()).body:
            target: ast.expr | None = node.target if isinstance(node, ast.AnnAssign) else None
            if isinstance(node, ast.Assign):
                (target,) = node.targets
            if isinstance(target, ast.Name) and target.id in ("HANDLERS", "CHANGED_BY"):
                assert isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
                named = node.value.keys if isinstance(node.value, ast.Dict) else [node.value]
                for one in named:
                    for name in ast.walk(one):  # type: ignore[arg-type]
                        if isinstance(name, ast.Name):
                            # `catalog_scans` is a part of the catalog's fold.
                            fold = path.stem.removesuffix("_scans")
                            found.setdefault(name.id, set()).add(fold)
    return found


def test_the_catalogue_names_every_fold_of_every_fact() -> None:
    handled = handled_in_the_sources()
    assert handled["SyncPaused"] == {"pause"}
    assert handled["JobFinished"] == {"catalog", "health", "jobs", "sync_result"}
    page = PAGES["events.md"]
    said = re.findall(
        r"^### (\w+)\n.*?^Recorded by: .*?(?:Folded into: (.*?)|Not folded)\.", page, re.M | re.S
    )
    assert len(said) == len(EVENT_TYPES) - 1
    names = {kind.__struct_config__.tag: kind.__name__ for kind in EVENT_TYPES}
    for tag, folds in said:
        listed = set(folds.split(", ")) if folds else set()
        assert listed == handled.get(names[tag], set()), tag


def test_every_part_of_the_state_is_a_fold_that_the_catalogue_knows() -> None:
    folds = {name for names in handled_in_the_sources().values() for name in names}
    parts = {name for name in State.__struct_fields__ if isinstance(getattr(State(), name), Struct)}
    assert folds == parts - {"parts"}
    assert set(event_catalogue.folds()) == folds


def test_every_field_of_every_fact_has_a_meaning() -> None:
    """If this fails: add a short comment to the field in ragd/events/."""
    written = vocabulary.read_all(ROOT / "ragd" / "events")
    mute = [
        f"{kind.__name__}.{name}"
        for kind in event_catalogue.known()
        for name, _, _, meaning in event_catalogue.fields_of(kind, written)
        if not meaning
    ]
    assert mute == []


def test_comments_beside_and_above_a_field_are_its_meaning() -> None:
    source = '''
# Lighthouse

class LampLit(Fact):
    """The lamp
    was lit."""
    colour: str = "white"  # seen from the sea
    # how far it is seen,
    # in miles
    reach: int
    keeper: str
'''
    assert vocabulary.read(source)["LampLit"] == vocabulary.Written(
        "Lighthouse",
        "The lamp was lit.",
        {"colour": "seen from the sea", "reach": "how far it is seen, in miles", "keeper": ""},
    )


def test_who_records_a_fact_is_found_in_the_sources(tmp_path: Path) -> None:
    package = tmp_path / "boat"
    package.mkdir()
    (package / "steering.py").write_text(
        'from boat.charts import plan\nNAME = "pilot"\nsay(Turned())\n'
    )
    (package / "anchor.py").write_text("from boat.steering import NAME\nsay(Turned(), Moored())\n")
    (package / "charts.py").write_text("def plan(): return Planned()\n")
    (package / "loose.py").write_text("Sunk()\n")
    (package / "__init__.py").write_text('BOAT_COOK = "boat_cook"\n')
    (package / "galley.py").write_text("from boat import BOAT_COOK\nsay(Cooked())\n")
    facts = ["Turned", "Moored", "Planned", "Sunk", "Cooked"]
    assert recorders(package, facts) == {
        "Turned": ["pilot"],
        "Moored": ["pilot"],
        "Planned": ["pilot"],
        "Sunk": [],
        "Cooked": ["boat_cook"],
    }


def test_only_actors_and_the_daemon_record() -> None:
    """A name that no module uses would be a mistake in the page or in the code."""
    signed = {
        node.value.value
        for path in (ROOT / "ragd").rglob("*.py")
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and ast.unparse(node.targets[0]) in ("NAME", "STORE_WRITER")
    } | {"daemon"}
    page = PAGES["events.md"]
    rows = re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \| ([^|]+) \|", page, re.M)
    assert len(rows) == len(EVENT_TYPES) - 1
    for tag, actors in rows:
        assert {name.replace(" ", "_") for name in actors.split(", ")} <= signed, tag


# The configuration


def test_every_key_has_its_row() -> None:
    page = re.sub(r"^### .*?(?=^## )", "", PAGES["configuration.md"], flags=re.M | re.S)
    assert re.findall(r"^\| `([\w.]+)` \|", page, re.M) == [key.name for key in dotted_keys()]


def test_every_key_of_a_collection_and_of_a_rule_has_its_row() -> None:
    inner = re.findall(r"^### .*?(?=^## )", PAGES["configuration.md"], re.M | re.S)
    listed = [re.findall(r"^\| `([\w.]+)` \|", part, re.M) for part in inner]
    rule = [f"match.{name}" for name in AccessMatch.__struct_fields__] + ["collections"]
    assert listed == [list(CollectionSettings.__struct_fields__), rule]


def test_the_configurations_on_the_page_are_accepted() -> None:
    page = PAGES["configuration.md"]
    shown = re.findall(r"^    (\{.*\})$", page, re.M)
    assert len(shown) == 2
    for example in shown:
        parse(json.dumps(json.loads(example)).encode(), "/home/of/ragd")


# What goes beyond the contract


def test_the_page_of_deviations_has_a_place_for_each_list_and_says_all_of_it() -> None:
    page = PAGES["deviations.md"]
    made = dict(re.findall(r"<!-- made: (\w+) -->\n(.*?)\n<!-- end -->", page, re.S))
    assert set(made) == {"result", "status", "codes", "columns", "keys"}
    assert "`stale`" in made["result"] and "`score`" not in made["result"]
    assert "`reasons`" in made["status"] and "`total_docs`" not in made["status"]
    assert "`TIMEOUT`" in made["codes"] and "`INDEX_CORRUPTED`" not in made["codes"]
    assert "`content_hash`" in made["columns"] and "`chunk_id`" not in made["columns"]
    keys = set(re.findall(r"^- `([\w.]+)`", made["keys"], re.M))
    assert keys == {key.name for key in dotted_keys()} - deviations.KEYS
    assert {key.name for key in dotted_keys()} > deviations.KEYS


def test_every_row_of_deviations_has_three_cells() -> None:
    rows = re.findall(r"^\|.*\|$", PAGES["deviations.md"], re.M)
    assert len(rows) > 50
    assert {len(re.split(r"(?<!\\)\|", row)) for row in rows} == {5}
