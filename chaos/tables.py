"""The tables of a home, read with lance itself and not through our store. It changes nothing."""

import json
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from chaos.harness import Arena, require
from chaos.vault import Passage, Vault
from ragd.paths import Home

TABLE = "obsidian_chunks.lance"

# In a process of its own, for lance is heavy: a path in, the rows of its table out.
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

Rows = list[tuple[Passage, bytes | None]]


class Tables:
    """Reads one table at a time, for whoever asks."""

    def __init__(self, arena: Arena) -> None:
        self._child = arena.start("-c", READER, json.dumps(Passage._fields))
        self._one_at_a_time = threading.Lock()

    def rows(self, home: Home, generation: str) -> Rows:
        """Every row of this generation's table, with its vector."""
        with self._one_at_a_time:
            lines = self._child.asked(str(Path(home.vectors) / generation / TABLE))
        told = (json.loads(line.removeprefix("ROW ")) for line in lines)
        return [(Passage(*row), bytes.fromhex(v) if v else None) for row, v in told]


def generations(home: Home) -> list[str]:
    """Every folder there, whatever it is: what is left behind has a name too."""
    return sorted(path.name for path in Path(home.vectors).iterdir())


def check_equal(rows: Rows, vault: Vault, vector_of: Callable[[str], bytes] | None) -> None:
    """The rows are the vault's passages: each once, none else, all with the right vector."""
    found = [passage for passage, _ in rows]
    check_once(found)
    expected = vault.passages()
    lacking, ghosts = expected - set(found), set(found) - expected
    require(not lacking and not ghosts, f"lacking {_brief(lacking)}, ghosts {_brief(ghosts)}")
    for passage, vector in rows:
        require(vector is not None, f"no vector: {_brief([passage])}")
        if vector_of is not None:
            right = vector_of(vault.texts[passage.content_hash])
            require(vector == right, f"another text's vector: {_brief([passage])}")


def check_whole(rows: Rows, vault: Vault) -> None:
    """Every note in it is whole, as it is or once was: nobody is served half a note."""
    found = [passage for passage, _ in rows]
    check_once(found)
    notes: dict[str, set[Passage]] = {}
    for passage in found:
        notes.setdefault(passage.source_file, set()).add(passage)
    broken = [name for name, passages in notes.items() if not vault.was(name, frozenset(passages))]
    require(not broken, f"neither as they are nor as they were: {sorted(broken)[:5]}")


def check_once(passages: list[Passage]) -> None:
    ids = [passage.chunk_id for passage in passages]
    require(len(set(ids)) == len(ids), f"{len(ids) - len(set(ids))} passages are there twice")


def _brief(passages: Iterable[Passage]) -> list[str]:
    return sorted(f"{p.source_file}#{p.chunk_index}" for p in passages)[:5]
