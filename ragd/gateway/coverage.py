"""What the index has of each collection and each folder, and which files it could not read.

It has paths and numbers, never text. It reads the catalog and no file. It covers what the asker may
search, for the user everything.
"""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ragd.access.scope import Permits, Scope
from ragd.errors import RagdError
from ragd.folds.catalog import Catalog, Entry
from ragd.folds.times import iso_of_ns
from ragd.gateway.access_control import AccessControl
from ragd.gateway.folder_counts import FolderCount, Tree, count_problems, count_stored, merged
from ragd.gateway.status import first_files
from ragd.guard.live_rules import LiveGuard
from ragd.notes.documents.kinds import kind_of
from ragd.protocol.asker import Asker
from ragd.search.query.close_matches import closest_folder
from ragd.search.query.filters import normalised
from ragd.state.ledger import Ledger
from ragd.vault.collection_paths import VAULT, join_path, split_path
from ragd.vault.containment import contained_path

DEPTH_BY_DEFAULT, DEEPEST = 1, 20
MOST_FOLDERS = 2_000  # in one answer; those with the most notes
MOST_NOTES = 1_000

WHOLE_VAULT = f"@{VAULT}"

Privates = Callable[[], frozenset[str]]  # the names of the private collections


class CoverageRequest(NamedTuple):
    """What to count. `folder`: empty for all collections. `notes`: how many of the notes that are
    directly in it to list, after the path `after`."""

    folder: str = ""
    depth: int = DEPTH_BY_DEFAULT
    notes: int = 0
    after: str = ""


class Coverage:
    """Answers GET /v1/coverage. `includes`, `includes_folder`: whether the configuration allows a
    note or a folder."""

    def __init__(
        self,
        ledger: Ledger,
        access: AccessControl,
        guard: LiveGuard,
        includes: Permits,
        includes_folder: Permits,
        privates: Privates,
    ) -> None:
        self._ledger = ledger
        self._access = access
        self._guard = guard
        self._includes = includes
        self._includes_folder = includes_folder
        self._privates = privates
        self._counting = asyncio.Lock()  # so that two requests do not count the same notes
        self._kept: tuple[object, Tree] | None = None

    async def answer(self, request: CoverageRequest, asker: Asker) -> tuple[dict[str, Any], Scope]:
        """The numbers, and the scope that they cover. Raises RagdError for an unknown folder."""
        if not 0 <= request.depth <= DEEPEST:
            raise _out_of_range("depth", 0, DEEPEST)
        if not 0 <= request.notes <= MOST_NOTES:
            raise _out_of_range("notes", 0, MOST_NOTES)
        wanted = request.folder.strip()
        if wanted and wanted != WHOLE_VAULT:
            wanted = contained_path(wanted)
        scope = self._scope(asker, wanted)
        tree = await self._count(scope)
        top = self._find(wanted, tree, scope, asker) if wanted else None
        listed, left_out, withheld = self._folders(tree, scope, asker, top, request.depth)
        data: dict[str, Any] = {
            "collections": self._collections(tree, scope),
            "folder": None if top is None else _row(*top, tree[top[0]][top[1]]),
            "folders": listed,
            "left_out": left_out,
            **self._problems(scope, asker, top),
        }
        if request.notes:
            data |= await self._notes(request, scope, asker, top)
        if withheld:
            data["withheld"] = withheld
        return data, scope

    def _scope(self, asker: Asker, folder: str) -> Scope:
        if asker.is_owner:
            return self._access.scope_of(asker)
        return self._access.scope_of_note(asker, folder)

    async def _count(self, scope: Scope) -> Tree:
        """The numbers of all folders. Those of the notes are kept until the catalog changes."""
        catalog, names = self._ledger.state.catalog, scope.known
        async with self._counting:
            key = (catalog.changes, names)
            if self._kept is None or self._kept[0] != key:
                files = dict(catalog.files)  # it changes while the thread counts
                self._kept = (key, await asyncio.to_thread(count_stored, files, names))
            stored = self._kept[1]
        waiting = [path for path in catalog.waiting if path not in catalog.skipped]
        return merged(stored, count_problems(catalog.failed, catalog.skipped, waiting, names))

    def _find(self, wanted: str, tree: Tree, scope: Scope, asker: Asker) -> tuple[str, str]:
        """The collection and the folder in it, in any case."""
        if wanted == WHOLE_VAULT and VAULT in scope.names:
            return VAULT, ""
        known = {
            join_path(collection, inner): (collection, inner)
            for collection, inner in self._visible(tree, scope, asker)
        }
        if wanted in known:
            return known[wanted]
        for path, place in known.items():
            if normalised(path) == normalised(wanted):
                return place
        near = closest_folder(wanted, (path for path in known if path))
        raise RagdError(
            "UNKNOWN_DIRECTORY",
            "The parameter `folder` names a directory that is not in the index.",
            f"Did you mean `{near}`?" if near else None,
        )

    def _visible(self, tree: Tree, scope: Scope, asker: Asker) -> Iterator[tuple[str, str]]:
        """The folders that this asker may know, each collection itself among them."""
        for collection, folders in tree.items():
            if collection not in scope.names:
                continue
            for inner in folders:
                path = join_path(collection, inner)
                if asker.is_owner or not inner or self._includes_folder(path):
                    yield collection, inner

    def _collections(self, tree: Tree, scope: Scope) -> list[dict[str, Any]]:
        private = self._privates()
        names = [VAULT, *sorted(scope.known)]
        return [
            {
                "name": name,
                **_numbers(tree.get(name, {}).get("", FolderCount())),
                "private": name in private,
            }
            for name in names
            if name in scope.names
        ]

    def _folders(
        self,
        tree: Tree,
        scope: Scope,
        asker: Asker,
        top: tuple[str, str] | None,
        depth: int,
    ) -> tuple[list[dict[str, Any]], int, int]:
        """The folders below `top`, how many do not fit, and how many are withheld."""
        found: list[tuple[FolderCount, str, str]] = []
        withheld = 0
        for collection, inner in self._visible(tree, scope, asker):
            if not inner or _depth_below(top, collection, inner) not in range(1, depth + 1):
                continue
            if self._guard.withholds(inner, asker):
                withheld += 1
            else:
                found.append((tree[collection][inner], collection, inner))
        if len(found) > MOST_FOLDERS:
            found.sort(key=lambda one: (-one[0].notes, one[1:]))
        shown = sorted(found[:MOST_FOLDERS], key=lambda one: (one[1] != VAULT, one[1], one[2]))
        rows = [_row(collection, inner, counts) for counts, collection, inner in shown]
        return rows, len(found) - len(rows), withheld

    def _problems(self, scope: Scope, asker: Asker, top: tuple[str, str] | None) -> dict[str, Any]:
        """The files below `top` that could not be read or are left out, with the reasons."""
        catalog = self._ledger.state.catalog

        def shown(path: str) -> bool:
            if not scope.includes(path) or not _is_below(top, path, scope.known):
                return False
            return not self._guard.withholds(path, asker)

        failed = {path: code for path, code in catalog.failed.items() if shown(path)}
        skipped = {path: why for path, why in catalog.skipped.items() if shown(path)}
        return {
            "failed": first_files(failed, "code", catalog.failures),
            "skipped": first_files(skipped, "reason"),
        }

    async def _notes(
        self, request: CoverageRequest, scope: Scope, asker: Asker, top: tuple[str, str] | None
    ) -> dict[str, Any]:
        """The notes that are directly in the folder, by path."""
        catalog = self._ledger.state.catalog
        folder = "" if top is None else join_path(*top)
        paths = (*dict(catalog.files), *catalog.failed, *catalog.skipped, *catalog.waiting)
        known = await asyncio.to_thread(_directly_in, paths, folder, request.after)
        shown = [path for path in known if self._may_list(path, scope, asker)]
        listed = shown[: request.notes]
        return {
            "notes": [_note(path, catalog) for path in listed],
            "more": len(shown) - len(listed),
        }

    def _may_list(self, path: str, scope: Scope, asker: Asker) -> bool:
        """Whether this asker may know the note: an agent only what a search can show."""
        if not scope.includes(path) or self._guard.withholds(path, asker):
            return False
        is_searchable = path in self._ledger.state.catalog.files and self._includes(path)
        return asker.is_owner or is_searchable


def _out_of_range(name: str, least: int, most: int) -> RagdError:
    return RagdError(
        "INVALID_REQUEST", f"The parameter `{name}` should be a number from {least} to {most}."
    )


def _depth_below(top: tuple[str, str] | None, collection: str, inner: str) -> int:
    """How many steps a folder is below another one, or below its collection; 0 if it is not."""
    if top is None:
        return inner.count("/") + 1
    if collection != top[0] or inner == top[1]:
        return 0
    if not top[1]:
        return inner.count("/") + 1
    return inner[len(top[1]) :].count("/") if inner.startswith(f"{top[1]}/") else 0


def _is_below(top: tuple[str, str] | None, path: str, names: frozenset[str]) -> bool:
    if top is None:
        return True
    collection, inner = split_path(path, names)
    return collection == top[0] and (not top[1] or inner.startswith(f"{top[1]}/"))


def _directly_in(paths: tuple[str, ...], folder: str, after: str) -> list[str]:
    """The paths in this folder and in none below it, sorted, that come after this one."""
    start = f"{folder}/" if folder else ""
    length = len(start)
    found = {
        path
        for path in paths
        if path > after and path.startswith(start) and "/" not in path[length:]
    }
    return sorted(found)


def _row(collection: str, inner: str, counts: FolderCount) -> dict[str, Any]:
    path = join_path(collection, inner) or WHOLE_VAULT
    return {"path": path, "collection": collection, **_numbers(counts)}


def _numbers(counts: FolderCount) -> dict[str, Any]:
    return {
        "notes": counts.notes,
        "passages": counts.passages,
        "vectors": counts.vectors,
        "vectors_missing": counts.lacking,
        "vectors_never": counts.barred,
        "failed": counts.failed,
        "skipped": counts.skipped,
        "waiting": counts.waiting,
        "size_bytes": counts.size_bytes,
        "last_change": iso_of_ns(counts.newest_ns) if counts.newest_ns else None,
    }


def _note(path: str, catalog: Catalog) -> dict[str, Any]:
    entry: Entry | None = catalog.files.get(path)
    state, reason = "indexed", None
    if path in catalog.failed:
        state, reason = "failed", catalog.failures.get(path) or catalog.failed[path]
    elif path in catalog.skipped:
        state, reason = "skipped", catalog.skipped[path]
    elif path in catalog.waiting:
        state = "waiting"
    return {
        "path": path,
        "kind": kind_of(path).name,
        "state": state,
        "reason": reason,
        "passages": entry.chunks if entry else 0,
        "vectors": entry.embedded if entry else 0,
        "size_bytes": entry.size if entry else None,
        "modified": iso_of_ns(entry.mtime_ns) if entry else None,
    }
