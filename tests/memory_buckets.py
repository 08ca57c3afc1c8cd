"""Object stores in memory, with conditional puts: ragd's own client, without a server."""

from collections.abc import Iterable
from typing import Any

import pytest

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import parse_address
from ragd.objects.object_client import ListedObject, ObjectClient, StoredObject
from ragd.objects.store_errors import ObjectStoreError

ADDRESS = "s3://bucket/notes"


class MemoryBuckets:
    """One store for each address. An address with an endpoint is not in memory."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        reason = "obstore is not installed; it is part of ragd[cloud]"
        self._library = pytest.importorskip("obstore.store", reason=reason)
        self._elsewhere = self._library.S3Store
        self._stores: dict[tuple[str, str | None], Any] = {}
        monkeypatch.setattr("obstore.store.S3Store", self._open)

    def _open(self, bucket: str, *, prefix: str | None = None, **options: Any) -> Any:
        if "endpoint" in options:
            return self._elsewhere(bucket, prefix=prefix, **options)
        return self._stores.setdefault((bucket, prefix), self._library.MemoryStore())

    def client(self, address: str = ADDRESS) -> "MemoryClient":
        return MemoryClient(parse_address(address), StoreOptions(), {})


class MemoryClient(ObjectClient):
    """A client that can be made to fail, and that knows what was written through it."""

    fails: str | None = None  # the code with which each request fails
    fails_to_write: str | None = None  # only those that write

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.written: list[str] = []

    def get(self, name: str) -> StoredObject | None:
        self._may_fail()
        return super().get(name)

    def create(self, name: str, data: bytes) -> str | None:
        self._may_fail(name)
        return super().create(name, data)

    def replace(self, name: str, data: bytes, tag: str) -> str | None:
        self._may_fail(name)
        return super().replace(name, data, tag)

    def put(self, name: str, data: bytes) -> str:
        self._may_fail(name)
        return super().put(name, data)

    def list_objects(self, prefix: str = "") -> list[ListedObject]:
        self._may_fail()
        return super().list_objects(prefix)

    def delete(self, names: Iterable[str]) -> None:
        self._may_fail()
        super().delete(names)

    def names(self, prefix: str = "") -> list[str]:
        """The names of all objects in this folder."""
        return sorted(one.name for one in super().list_objects(prefix))

    def read(self, name: str) -> bytes:
        """The content of an object that must exist."""
        found = super().get(name)
        assert found is not None, name
        return found.data

    def _may_fail(self, name: str | None = None) -> None:
        code = self.fails or (self.fails_to_write if name is not None else None)
        if code is not None:
            raise ObjectStoreError(code)
        if name is not None:
            self.written.append(name)
