"""The index, which is actually read, and the libraries that read and write it."""

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

from ragctl.doctor.checks import Finding, fail, no_configuration, ok
from ragctl.doctor.checks.known_state import read_settings, replay_state
from ragctl.views.render import counted
from ragd.config.load import vault_id
from ragd.errors import CODES
from ragd.objects.address import is_object_address
from ragd.objects.child_options import options_for_child
from ragd.paths import Home
from ragd.runtime import subprocesses

PROBE_WITHIN_S = 50.0
DAMAGED = "INDEX_CORRUPTED"


def probe(home: Home) -> Finding:
    """Read rows, search both ways, and use each scalar index. Counting rows would prove nothing.

    A crash of the native libraries would end ragctl too, so a child process reads.
    """
    settings = read_settings(home)
    if settings is None:
        return no_configuration()
    folder = settings.vector_store.path
    catalog = replay_state(home).catalog
    is_remote = is_object_address(folder)
    if catalog.index is None and not is_remote and not _has_content(folder):
        return ok("none yet; `ragctl index` creates it")
    more = options_for_child(settings.vector_store.options) if is_remote else {}
    known: list[str] = []
    if catalog.index is not None:
        vault = vault_id(settings) if settings.role == "writer" else ""
        known = [catalog.index.generation, str(catalog.table_version), vault]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ragd.store.lance", folder, *known],
            env=subprocesses.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_WITHIN_S,
        )
        crashed = subprocesses.has_crashed(done.returncode)
        result = {"code": DAMAGED, "where": "crash"} if crashed else json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return fail(
            f"it could not be read within {PROBE_WITHIN_S:g} s", "Is its disk slow or not mounted?"
        )
    except ValueError:
        return fail(
            f"the process that reads it ended with code {done.returncode} and no result",
            "Check `libraries` above; if that is ok, report this.",
        )
    return _judge(result, catalog.documents)


def _judge(result: dict[str, str | None], documents: int) -> Finding:
    if result["code"] is None:
        return ok(f"{counted(documents, 'note')}; its rows and indexes can be read")
    if result["code"] is not None and result["code"].startswith("STORE_"):
        kind = CODES[result["code"]]
        return fail(kind.message.rstrip("."), kind.suggestion)
    if result["code"] == "INDEX_NOT_FOUND" and not documents:
        return ok("empty; `ragctl index` reads the notes")
    if result["code"] == "INDEX_NOT_FOUND":
        return fail(
            "it is missing: its folder was removed or moved away",
            "Run `ragctl index`, which reads all notes again; or put the folder back.",
        )
    if result["code"] == "INDEX_OF_ANOTHER_VAULT":
        return fail("it belongs to another vault", CODES["INDEX_OF_ANOTHER_VAULT"].suggestion)
    return fail(
        f"it is damaged ({result['where']})",
        "Run `ragctl reindex`; the notes themselves are not affected.",
    )


def _has_content(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except FileNotFoundError:
        return False


def libraries(home: Home) -> Finding:
    """lance reads and writes the index."""
    try:
        return ok(f"lance {version('pylance')}")
    except PackageNotFoundError as why:
        return fail(f"{why.name} is not installed", "Install ragd again.")
