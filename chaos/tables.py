"""The tables of a home, read with lance and not through our store. It changes nothing."""

import json
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from chaos.harness import Arena, require
from chaos.vault import TableRow, Vault
from ragd.paths import Home

TABLE = "obsidian_chunks.lance"

# Runs in a process of its own because lance is heavy: a path in, the rows of its table out.
READER = """
import json, lance, struct, sys
columns = json.loads(sys.argv[1])
for line in sys.stdin:
    rows = lance.dataset(line.strip()).to_table(columns=[*columns, "vector"]).to_pylist()
    for row in rows:
        v = row.pop("vector")
        vector = None if v is None else struct.pack(f"<{len(v)}f", *v).hex()
        print("ROW", json.dumps([list(row.values()), vector]))
    print("END", flush=True)
"""

Rows = list[tuple[TableRow, bytes | None]]


class Tables:
    """Reads one table at a time. Safe to share between threads."""

    def __init__(self, arena: Arena) -> None:
        self._child = arena.start("-c", READER, json.dumps(TableRow._fields))
        self._one_at_a_time = threading.Lock()

    def rows(self, home: Home, generation: str) -> Rows:
        """Every row of this generation's table, with its vector."""
        with self._one_at_a_time:
            lines = self._child.request(str(Path(home.vectors) / generation / TABLE))
        rows = (json.loads(line.removeprefix("ROW ")) for line in lines)
        return [(TableRow(*row), bytes.fromhex(v) if v else None) for row, v in rows]


def generations(home: Home) -> list[str]:
    """Every folder in the index directory, leftovers included."""
    return sorted(path.name for path in Path(home.vectors).iterdir())


def check_equal(rows: Rows, vault: Vault, vector_of: Callable[[str], bytes] | None) -> None:
    """The rows are exactly the vault's passages, each once and with the right vector."""
    found = [passage for passage, _ in rows]
    check_no_duplicates(found)
    expected = vault.expected_rows()
    missing, extra = expected - set(found), set(found) - expected
    require(
        not missing and not extra, f"missing {_brief(missing)}, not in the vault {_brief(extra)}"
    )
    for passage, vector in rows:
        require(vector is not None, f"no vector: {_brief([passage])}")
        if vector_of is not None:
            right = vector_of(vault.texts[passage.content_hash])
            require(vector == right, f"another text's vector: {_brief([passage])}")


def check_notes_complete(rows: Rows, vault: Vault) -> None:
    """Every note in the table is complete, in its current version or an earlier one."""
    found = [passage for passage, _ in rows]
    check_no_duplicates(found)
    notes: dict[str, set[TableRow]] = {}
    for passage in found:
        notes.setdefault(passage.source_file, set()).add(passage)
    broken = [
        name for name, passages in notes.items() if not vault.has_had(name, frozenset(passages))
    ]
    require(not broken, f"no version of these notes has these rows: {sorted(broken)[:5]}")


def check_no_duplicates(passages: list[TableRow]) -> None:
    ids = [passage.chunk_id for passage in passages]
    require(len(set(ids)) == len(ids), f"{len(ids) - len(set(ids))} rows are duplicates")


def _brief(passages: Iterable[TableRow]) -> list[str]:
    return sorted(f"{p.source_file}#{p.chunk_index}" for p in passages)[:5]
