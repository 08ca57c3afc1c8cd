"""Generations in an object store: each is a folder of objects with one table.

A generation exists if its marker object exists. The marker is put with a condition after the table
is complete, and deleted first. `current.json` names the generation that serves, for readers. There
is nothing to sync: a put that was answered is durable.
"""

import msgspec
from msgspec import Struct

from ragd.config.store_settings import StoreOptions
from ragd.errors import RagdError
from ragd.objects.object_client import ObjectClient
from ragd.objects.writer_lease import WriterLease
from ragd.store.lance.index_place import FolderStamp, MakeTable, checked_name
from ragd.store.lance.schema import TABLE

CURRENT = "current.json"
_MARKERS = "generations"
_OTHERS = (_MARKERS, "log", "probe")
_TRIES = 4


class CurrentGeneration(Struct, frozen=True):
    """The content of `current.json`: the generation that serves, and who said so."""

    generation: str
    fence: int = 0


_current = msgspec.json.Decoder(CurrentGeneration)


class ListedSizes:
    """The sizes of a table's objects, listed once."""

    def __init__(self, sizes: dict[str, int]) -> None:
        self._sizes = sizes

    def of_file(self, path: str) -> int | None:
        return self._sizes.get(path)

    def of_folder(self, path: str) -> int | None:
        found = [size for name, size in self._sizes.items() if name.startswith(f"{path}/")]
        return sum(found) if found else None


class ObjectTable:
    """One table. `options` contains secrets: never log it."""

    def __init__(self, client: ObjectClient, generation: str, options: dict[str, str]) -> None:
        self._client = client
        self._generation = generation
        self._folder = f"{generation}/{TABLE}.lance"
        self.uri = f"{client.address.url}/{self._folder}"
        self.options: dict[str, str] | None = options

    def exists(self) -> bool:
        return self._client.get(_marker(self._generation)) is not None

    def make_durable(self) -> None:
        """Every put that was answered is durable."""

    def sizes(self) -> ListedSizes:
        found = self._client.list_objects(self._folder)
        cut = len(self._folder) + 1
        return ListedSizes({one.name[cut:]: one.size for one in found})


class ObjectPlace:
    """All generations below one prefix. Without a lease, nothing can be written."""

    def __init__(
        self,
        client: ObjectClient,
        lance_options: dict[str, str],
        settings: StoreOptions,
        lease: WriterLease | None = None,
    ) -> None:
        self.client = client
        self.address = client.address.url
        self.settings = settings
        self.lease = lease
        self._options = lance_options

    def names(self) -> list[str]:
        found = self.client.list_objects(_MARKERS)
        names = [one.name.removeprefix(f"{_MARKERS}/").removesuffix(".json") for one in found]
        return sorted(names)

    def table(self, generation: str) -> ObjectTable:
        return ObjectTable(self.client, checked_name(generation), self._options)

    def stamp(self, generation: str) -> FolderStamp:
        found = self.client.get(_marker(generation))
        return generation, found.tag if found is not None else 0, 0

    def ensure_writable(self) -> int:
        """The fencing number. Raises RagdError if another daemon may write now."""
        if self.lease is None:
            raise RagdError("READ_ONLY")
        self.lease.ensure()
        return self.lease.fence

    def raise_fence(self, above: int) -> int:
        """A fencing number above this one, which the table has already seen."""
        if self.lease is None:
            raise RagdError("READ_ONLY")
        self.lease.raise_fence(above)
        return self.lease.fence

    def create(self, generation: str, make: MakeTable) -> None:
        self.ensure_writable()
        if self.client.get(_marker(generation)) is not None:
            raise FileExistsError(generation)
        self.client.delete_folder(generation)
        make(self.table(generation))
        fence = self.ensure_writable()
        content = msgspec.json.encode(CurrentGeneration(generation, fence))
        if self.client.create(_marker(generation), content) is None:
            raise FileExistsError(generation)

    def drop(self, generation: str) -> None:
        self.ensure_writable()
        self.client.delete([_marker(checked_name(generation))])
        self.client.delete_folder(generation)

    def remove_temporary_files(self) -> int:
        """Remove the tables that killed processes left half made or half removed."""
        self.ensure_writable()
        known = {*self.names(), *_OTHERS}
        left = [one for one in self.client.list_folders() if one not in known]
        for folder in left:
            self.ensure_writable()
            self.client.delete_folder(folder)
        return len(left)

    def publish(self, generation: str) -> None:
        """Tell readers that this generation serves."""
        for _ in range(_TRIES):
            fence = self.ensure_writable()
            content = msgspec.json.encode(CurrentGeneration(generation, fence))
            found = self.client.get(CURRENT)
            if found is None:
                done = self.client.create(CURRENT, content)
            elif _decode(found.data).fence > fence:
                raise RagdError("INDEX_HELD")
            else:
                done = self.client.replace(CURRENT, content, found.tag)
            if done is not None:
                return
        raise RagdError("INDEX_HELD")

    def read_current(self) -> tuple[str, str] | None:
        """The generation that serves, and the tag of the object that says so; None: none yet."""
        found = self.client.get(CURRENT)
        return None if found is None else (_decode(found.data).generation, found.tag)


def _marker(generation: str) -> str:
    return f"{_MARKERS}/{generation}.json"


def _decode(data: bytes) -> CurrentGeneration:
    try:
        return _current.decode(data)
    except msgspec.MsgspecError:
        raise RagdError(
            "INDEX_CORRUPTED",
            f"The object `{CURRENT}` in the object store is not one of ragd.",
        ) from None
