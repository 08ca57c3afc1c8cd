"""The dependency rule: pure logic does no I/O, and no stage imports the actor of another.

The imports are read from the sources, so imports inside functions count too. A package is a stage
of the pipeline, with its actor and that actor's parts. Only `daemon.py` and
`wiring.py` import actors. Modules that call themselves pure import no clock, disk or asyncio.
`ragctl` imports the wire protocol, the errors and the paths; what works without a daemon may read
the log and the configuration as well.
"""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parent.parent

# A module whose docstring says "Pure" is held to it, too.
PURE = (
    *("ragd.events", "ragd.errors", "ragd.folds", "ragd.notes", "ragd.protocol", "ragd.guard"),
    *("ragd.search.query", "ragd.search.facts", "ragd.search.ranking", "ragd.search.dates"),
    "ragd.search.results",
    *("ragd.vault.containment", "ragd.vault.folder_rules", "ragd.vault.file_patterns"),
    *("ragd.vault.leftover_files", "ragd.vault.move_matching", "ragd.memories.matching"),
    "ragd.vault.collection_paths",
    *("ragd.eventlog.frame", "ragd.close_match", "ragd.access", "ragd.config.contexts"),
)
NOT_PURE = ("ragd.guard.live_rules",)  # follows the configuration while the daemon runs
WORLD = (  # what reaches out of the process, waits, or differs from one call to the next
    *(
        "aiofiles",
        "aiohttp",
        "asyncio",
        "concurrent",
        "ctypes",
        "fcntl",
        "glob",
        "http",
        "importlib",
        "io",
    ),
    *("lance", "lancedb", "logging", "mmap", "multiprocessing", "onnxruntime", "os", "pathlib"),
    *("pyarrow", "random", "rich", "secrets", "select", "selectors", "shutil", "signal", "socket"),
    *("sqlite3", "ssl", "structlog", "subprocess", "tempfile", "threading", "time"),
    *("urllib.error", "urllib.request", "watchfiles"),
)
WORLDLY_CALLS = {"open", "print", "input", "now", "today", "utcnow", "uuid1", "uuid4", "sleep"}
STORE_LIBRARIES = ("lance", "lancedb", "pyarrow")
STORE = "ragd.store.lance"
WIRING = ("ragd.daemon", "ragd.wiring", "ragd.reader_wiring", "ragd.__main__")
ACTORS = (
    *("ragd.config.config_reader", "ragd.state.snapshotter", "ragd.state.sync_result_writer"),
    *("ragd.watch.watcher", "ragd.batch.batcher", "ragd.embed.embedder"),
    *("ragd.state.log_mirror", "ragd.store.index_follower"),
    *("ragd.embed.cache_eviction", "ragd.store.store_writer", "ragd.health.health_monitor"),
    "ragd.gateway.tool_gateway",
)
HEAVY = (*STORE_LIBRARIES, "aiohttp", "numpy", "onnxruntime")
# `ragctl serve` is a web server. Only its own package and its command may reach one.
WEB_SERVER = ("ragctl.bridge", "ragctl.commands.serve")
FORBIDDEN_NAMES = {"util", "helper", "common", "manager", "base", "misc", "core", "service"}
# The system's own service managers: systemd, launchd, the Task Scheduler.
THEIR_OWN_NAMES = {"service_managers", "service_notification"}

# What works without a daemon, imported only when its command is used.
OFFLINE = (
    *("ragctl.commands.replay", "ragctl.commands.config", "ragctl.commands.init"),
    *("ragctl.commands.context", "ragctl.commands.collection", "ragctl.setup.config_file"),
    *("ragctl.setup.renamed_collection", "ragctl.setup.reader_config", "ragctl.commands.mirror"),
    *("ragctl.commands.doctor", "ragctl.commands.service", "ragctl.doctor", "ragctl.completion"),
    *("ragctl.views.past_state", "ragctl.views.health_history", "ragctl.setup.vault_languages"),
    *("ragctl.service_managers.daemon_command", "ragctl.service_managers.apply_plan"),
)
CLIENT_MAY_USE = (
    *("ragd.runtime.subprocesses", "ragd.errors", "ragd.paths", "ragd.protocol"),
    *("ragd.close_match", "ragd.vault.collection_paths", "ragd.objects.address"),
)
# `init` counts notes and finds their languages as the daemon does, and opens no index.
READS_THE_VAULT = (
    *("ragd.vault.files", "ragd.vault.walk", "ragd.vault.safe_open", "ragd.vault.disk_waits"),
    *("ragd.vault.folder_rules", "ragd.vault.file_patterns", "ragd.vault.leftover_files"),
    *("ragd.vault.note_sample", "ragd.vault.reading_rules"),
    # `doctor` finds out whether an agent's sessions can be read.
    *("ragd.vault.session_database", "ragd.vault.session_files", "ragd.vault.foreign_database"),
)
KNOWS_MODELS = ("ragd.embed.providers.shipped_models", "ragd.embed.providers.model_choice")
OFFLINE_MAY_USE = (
    *(
        "ragd.eventlog",
        "ragd.folds",
        "ragd.state.replay",
        "ragd.state.past_state",
        "ragd.events",
        "ragd.clock",
    ),
    *("ragd.config.load", "ragd.config.keys", "ragd.config.schema", "ragd.config.validation"),
    *("ragd.config.json_schema", "ragd.config.contexts", "ragd.runtime.durable_files"),
    *("ragd.config.collection_rules", "ragd.config.store_rules", "ragd.objects"),
    *("ragd.config.store_settings", "ragd.config.config_lock"),
    *("ragd.health.explanation", "ragd.notes", *READS_THE_VAULT, *KNOWS_MODELS),
)
# Of the stages, ragctl reaches only this, at whatever distance.
STAGES = (
    *("ragd.vault", "ragd.watch", "ragd.batch", "ragd.embed", "ragd.store", "ragd.health"),
    *("ragd.guard", "ragd.search", "ragd.memories", "ragd.gateway"),
)
MAY_REACH = (
    *(*READS_THE_VAULT, *KNOWS_MODELS, "ragd.health.explanation"),
    *("ragd.embed.unit_vectors", "ragd.embed.providers.embedder_port"),  # pure
    "ragd.vault.collection_paths",  # pure
)
QUICK = ("ragctl.__main__", "ragctl.cli", "ragctl.commands.status")
SLOW = (
    *("aiofiles", "aiohttp", "asyncio", "http.client", "lancedb", "msgspec", "orjson", "rich"),
    "structlog",
)


class Import(NamedTuple):
    """One module that another names. Lazy: inside a function."""

    name: str
    lazy: bool


class Module(NamedTuple):
    """A source file, parsed."""

    name: str
    is_package: bool
    tree: ast.Module


def under(name: str, places: Iterable[str]) -> bool:
    return any(name == place or name.startswith(place + ".") for place in places)


def parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


class Graph:
    """The imports between the packages below one folder."""

    def __init__(self, root: Path, packages: Iterable[str] = ("ragd", "ragctl")) -> None:
        files = sorted(path for package in packages for path in (root / package).rglob("*.py"))
        found = [self._parse(root, path) for path in files]
        self.modules = {module.name: module for module in found}
        self.imports = {module.name: self._imports(module) for module in found}

    @staticmethod
    def _parse(root: Path, path: Path) -> Module:
        relative = path.relative_to(root)
        is_package = path.name == "__init__.py"
        parts = relative.parent.parts if is_package else relative.with_suffix("").parts
        return Module(".".join(parts), is_package, ast.parse(path.read_bytes(), str(path)))

    def _imports(self, module: Module) -> set[Import]:
        found: set[Import] = set()

        def visit(node: ast.AST, lazy: bool) -> None:
            if isinstance(node, ast.Import):
                found.update(Import(alias.name, lazy) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                place = self._place(module, node)
                names = {f"{place}.{alias.name}" for alias in node.names}
                inside = names & self.modules.keys()
                found.update(Import(name, lazy) for name in inside or {place})
                found.add(Import(place, lazy))
            inner = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                visit(child, inner)

        visit(module.tree, False)
        return found

    @staticmethod
    def _place(module: Module, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        here = module.name.split(".") if module.is_package else module.name.split(".")[:-1]
        base = here[: len(here) - node.level + 1]
        return ".".join([*base, *([node.module] if node.module else [])])

    def direct(self, name: str, *, lazy: bool = True) -> set[str]:
        """All modules that a module imports, and (as in Python) their packages."""
        named = {i.name for i in self.imports[name] if lazy or not i.lazy}
        return named | {parent for one in named for parent in parents(one)}

    def reach(self, name: str, *, lazy: bool = True) -> set[str]:
        """All modules that a module imports, directly or indirectly."""
        seen: set[str] = set()
        todo = {name, *parents(name)}
        while todo:
            one = todo.pop()
            seen.add(one)
            if one in self.modules:
                todo |= self.direct(one, lazy=lazy) - seen
        return seen - {name}

    def is_pure(self, name: str) -> bool:
        module = self.modules[name]
        if module.is_package and not self.imports[name]:
            return True
        said = ast.get_docstring(module.tree) or ""
        if under(name, NOT_PURE):
            return False
        return under(name, PURE) or re.search(r"\bPure[.;:]", said) is not None

    def is_empty(self, name: str) -> bool:
        """A package whose __init__.py is empty."""
        module = self.modules.get(name)
        return module is not None and module.is_package and not self.imports[name]

    def calls(self, name: str) -> set[str]:
        found: set[str] = set()
        for node in ast.walk(self.modules[name].tree):
            if isinstance(node, ast.Call):
                what = node.func
                found.add(what.id if isinstance(what, ast.Name) else getattr(what, "attr", ""))
        return found


# The rules. Each gives a sentence for every offence.


def impurities(graph: Graph) -> Iterator[str]:
    for name in filter(graph.is_pure, graph.modules):
        for other in graph.direct(name):
            if under(other, WORLD):
                yield f"{name} is pure and imports {other}"
            if other in graph.modules and not graph.is_pure(other):
                yield f"{name} is pure and imports {other}, which is not"
        for call in graph.calls(name) & WORLDLY_CALLS:
            yield f"{name} is pure and calls {call}()"


def wrong_ways(graph: Graph) -> Iterator[str]:
    """Only the wiring imports actors, and nothing imports the wiring."""
    for name in graph.modules:
        if not under(name, ["ragd"]) or under(name, WIRING):
            continue
        for one in graph.reach(name):
            if under(one, WIRING):
                yield f"{name} reaches {one}"
            if under(one, ACTORS) and name not in ACTORS:
                yield f"{name} reaches the actor {one}"
            if under(one, ACTORS) and name in ACTORS and one != name:
                yield f"the actor {name} reaches the actor {one}"


def store_leaks(graph: Graph) -> Iterator[str]:
    for name in graph.modules:
        if not under(name, [STORE]):
            leaks = (one for one in graph.direct(name) if under(one, STORE_LIBRARIES))
            yield from (f"{name} imports {one}" for one in leaks)


def client_burdens(graph: Graph) -> Iterator[str]:
    """Forbidden modules that ragctl imports, directly or indirectly."""
    kept_out = (*HEAVY, *WIRING, *ACTORS, *STAGES)
    for name in graph.modules:
        if under(name, ["ragctl"]):
            allowed = ("aiohttp",) if under(name, WEB_SERVER) else ()
            for one in graph.reach(name):
                if under(one, allowed):
                    continue
                if under(one, kept_out) and not (under(one, MAY_REACH) or graph.is_empty(one)):
                    yield f"{name} reaches {one}"


def client_liberties(graph: Graph) -> Iterator[str]:
    """Modules of ragd that a part of ragctl imports without being allowed to."""
    for name in graph.modules:
        if not under(name, ["ragctl"]):
            continue
        offline = under(name, OFFLINE)
        allowed = (*CLIENT_MAY_USE, *OFFLINE_MAY_USE) if offline else CLIENT_MAY_USE
        for one in graph.direct(name):
            if under(one, ["ragd"]) and not (under(one, allowed) or graph.is_empty(one)):
                yield f"{name} imports {one}"
        for one in graph.direct(name, lazy=False):
            if not offline and under(one, OFFLINE):
                yield f"{name} imports {one} at once"


def client_delays(graph: Graph) -> Iterator[str]:
    for name in QUICK:
        if name in graph.modules:
            slow = (one for one in graph.reach(name, lazy=False) if under(one, SLOW))
            yield from (f"{name} loads {one}" for one in slow)


def bad_names(graph: Graph) -> Iterator[str]:
    for name in graph.modules:
        parts = name.split(".")
        if under(name, ["ragctl.commands"]):
            parts = parts[:2]  # a command is called what is typed
        for part in set(parts) - THEIR_OWN_NAMES:
            if FORBIDDEN_NAMES & {part, part.removesuffix("s"), *part.split("_")}:
                yield f"{name}: name it by what it is"


Rule = Callable[[Graph], Iterable[str]]
RULES: tuple[Rule, ...] = (
    *(impurities, wrong_ways, store_leaks),
    *(client_burdens, client_liberties, client_delays, bad_names),
)


@cache
def house() -> Graph:
    return Graph(ROOT)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps_the_rule(rule: Rule) -> None:
    assert sorted(rule(house())) == []


def test_the_sources_are_seen_at_all() -> None:
    graph = house()
    assert "ragd.eventlog.frame" in graph.direct("ragd.folds.parts") | graph.direct("ragd.folds")
    assert "msgspec" in graph.reach("ragd.folds.health")
    assert graph.is_pure("ragd.folds.health")
    assert not graph.is_pure("ragd.state.ledger")


def test_every_module_that_a_rule_names_is_there() -> None:
    named = {*PURE, *NOT_PURE, *WIRING, *ACTORS, *OFFLINE, *CLIENT_MAY_USE, *OFFLINE_MAY_USE}
    named |= {*STAGES, *MAY_REACH, *QUICK, *WEB_SERVER, STORE}
    assert sorted(named - house().modules.keys()) == []


def test_the_wiring_starts_every_actor() -> None:
    known = set().union(*(house().direct(one) for one in WIRING))
    assert sorted(set(ACTORS) - known) == []


# The guard is guarded: each of these breaks one rule.

OFFENCES = {
    "a clock in a fold": (impurities, {"ragd/folds/x.py": "import time"}),
    "a late clock in a fold": (impurities, {"ragd/folds/x.py": "def f():\n import time"}),
    "a file in a parser": (impurities, {"ragd/notes/x.py": "def f(p):\n return open(p)"}),
    "the time of day in a date": (
        impurities,
        {"ragd/notes/x.py": "from datetime import date\ndef f():\n return date.today()"},
    ),
    "a file of the vault in a filter": (
        impurities,
        {"ragd/search/query/x.py": "from ragd.vault import y", "ragd/vault/y.py": "import os"},
    ),
    "a broken promise": (impurities, {"ragd/x.py": '"""Adds up. Pure."""\nimport socket'}),
    "a relative way out": (
        impurities,
        {"ragd/notes/x.py": "from ..vault import y", "ragd/vault/y.py": "import os"},
    ),
    "a part that knows another stage's actor": (
        wrong_ways,
        {"ragd/vault/x.py": "import ragd.watch.watcher", "ragd/watch/watcher.py": ""},
    ),
    "a part that knows its own actor": (
        wrong_ways,
        {"ragd/watch/x.py": "from ragd.watch import watcher", "ragd/watch/watcher.py": ""},
    ),
    "two actors that meet at a third place": (
        wrong_ways,
        {
            "ragd/watch/watcher.py": "from ragd.vault import meeting",
            "ragd/vault/meeting.py": "def f():\n from ragd.batch import batcher",
            "ragd/batch/batcher.py": "",
        },
    ),
    "an actor that knows the daemon": (
        wrong_ways,
        {"ragd/watch/watcher.py": "from ragd.daemon import run", "ragd/daemon.py": ""},
    ),
    "lancedb outside the store": (store_leaks, {"ragd/x.py": "def f():\n import lancedb.query"}),
    "a client with numpy": (
        client_burdens,
        {"ragctl/x.py": "from ragd import y", "ragd/y.py": "def f():\n import numpy"},
    ),
    "a client with a stage": (
        client_burdens,
        {"ragctl/commands/doctor.py": "import ragd.store.y", "ragd/store/y.py": ""},
    ),
    "a client with a stage that is not empty": (
        client_burdens,
        {"ragctl/x.py": "import ragd.vault", "ragd/vault/__init__.py": "import json"},
    ),
    "a command that reads the log": (
        client_liberties,
        {"ragctl/commands/search.py": "def f():\n from ragd.eventlog import segment as scan"},
    ),
    "a dispatcher that loads doctor": (
        client_liberties,
        {"ragctl/cli.py": "from ragctl.commands import doctor", "ragctl/commands/doctor.py": ""},
    ),
    "a slow start": (
        client_delays,
        {"ragctl/__main__.py": "import ragctl.cli", "ragctl/cli.py": "import http.client"},
    ),
    "a module for everything": (bad_names, {"ragd/utils.py": ""}),
    "a base of things": (bad_names, {"ragd/store_base.py": ""}),
}


@pytest.mark.parametrize("what", OFFENCES)
def test_the_guard_notices(tmp_path: Path, what: str) -> None:
    rule, files = OFFENCES[what]
    for name, source in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    assert list(rule(Graph(tmp_path)))


@pytest.mark.parametrize("module", QUICK)
def test_a_quick_command_loads_nothing_slow(module: str) -> None:
    if module not in house().modules:
        pytest.skip(f"{module} is not written yet")

    def loaded(*names: str) -> set[str]:
        script = f"import json, sys, {', '.join(names)}; print(json.dumps(list(sys.modules)))"
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            capture_output=True,
            check=True,
            timeout=PATIENCE_S,
        )
        return set(json.loads(done.stdout))

    assert module in (now := loaded(module))
    assert sorted(one for one in now - loaded("os") if one in SLOW) == []


def test_no_two_classes_have_the_same_name() -> None:
    places: dict[str, list[str]] = {}
    for path in (*(ROOT / "ragd").rglob("*.py"), *(ROOT / "ragctl").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert len(places) > 200
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}
