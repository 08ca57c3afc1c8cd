"""Reads and writes single objects below one prefix, with conditional puts. Synchronous.

Each call has a time-out. It never retries a conditional put by itself: after an answer that was
lost, only the caller can tell whether the object is its own. A put that was refused because there
were too many (429) was not done, so it is repeated: Google's store takes one write of a name in a
second.
"""

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from ragd.clock import iso
from ragd.config.store_settings import StoreOptions
from ragd.errors import StartupError
from ragd.objects.address import ObjectAddress
from ragd.objects.credentials import client_options
from ragd.objects.store_errors import (
    ObjectStoreError,
    code_of_missing,
    is_throttled,
    store_code,
)

TIMEOUT_S = 10.0
DELETED_AT_ONCE = 500
PAUSES_S = (1.0, 2.0)  # after puts that were refused because there were too many


class StoredObject(NamedTuple):
    """The content of an object, and the tag of this version of it."""

    data: bytes
    tag: str
    modified_at: str = ""  # by the clock of the store


class ListedObject(NamedTuple):
    """An object's name below the prefix, its size, and the tag of its version."""

    name: str
    size: int
    tag: str


@cache
def _library() -> Any:
    """obstore, imported on first use: it is an extra."""
    try:
        import obstore
        import obstore.store
    except ImportError:
        raise StartupError(
            "The package `obstore` is missing, which an index in an object store needs.",
            "Run `pipx inject ragd obstore cryptography`, or `pip install 'ragd[cloud]'`.",
        ) from None
    return obstore


class ObjectClient:
    """The objects below one address."""

    def __init__(
        self,
        address: ObjectAddress,
        options: StoreOptions,
        environment: Mapping[str, str] = os.environ,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.address = address
        self._options = options
        self._environment = environment
        self._timeout = f"{int(timeout_s * 1000)}ms"
        self._library = _library()
        self._opened: Any = None

    @property
    def _store(self) -> Any:
        """The library's store. Credentials that cannot be read fail here, and are read again by
        the next call."""
        if self._opened is None:
            stores = self._library.store
            kinds = {"s3": stores.S3Store, "gs": stores.GCSStore, "az": stores.AzureStore}
            self._opened = kinds[self.address.scheme](
                self.address.bucket,
                prefix=self.address.prefix or None,
                client_options={
                    "allow_http": self._options.allow_http,
                    "timeout": self._timeout,
                    "connect_timeout": "5s",
                },
                retry_config={"max_retries": 0},
                **client_options(self.address, self._options, self._environment),
            )
        return self._opened

    def get(self, name: str) -> StoredObject | None:
        """The object; None if there is none."""
        with _translated():
            try:
                found = self._library.get(self._store, name)
                meta = found.meta
                return StoredObject(bytes(found.bytes()), _tag(meta), iso(meta["last_modified"]))
            except FileNotFoundError as why:
                _raise_unless_object_is_missing(why)
                return None

    def create(self, name: str, data: bytes) -> str | None:
        """Write an object that must not exist. Returns its tag; None if it exists."""
        return self._put(name, data, "create")

    def replace(self, name: str, data: bytes, tag: str) -> str | None:
        """Replace the version with this tag. Returns the new tag; None if another version is
        there now."""
        e_tag, _, version = tag.partition("\n")
        known = {"e_tag": e_tag, "version": version}
        return self._put(name, data, {key: value for key, value in known.items() if value})

    def put(self, name: str, data: bytes) -> str:
        """Write an object, whatever is there. Returns its tag."""
        found = self._put(name, data, "overwrite")
        assert found is not None, "only a conditional put can be refused"
        return found

    def _put(self, name: str, data: bytes, mode: Any) -> str | None:
        exceptions = self._library.exceptions
        with _translated():
            try:
                return _tag(self._put_patiently(name, data, mode))
            except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
                return None
            except FileNotFoundError as why:
                _raise_unless_object_is_missing(why)
                if isinstance(mode, dict):
                    return None  # the object is gone
                raise

    def _put_patiently(self, name: str, data: bytes, mode: Any) -> Any:
        for pause_s in (*PAUSES_S, None):
            try:
                return self._library.put(self._store, name, data, mode=mode, use_multipart=False)
            except self._library.exceptions.BaseError as why:
                if pause_s is None or not is_throttled(str(why)):
                    raise
            time.sleep(pause_s)
        raise AssertionError("the last try returns or raises")

    def list_objects(self, prefix: str = "") -> list[ListedObject]:
        """All objects whose names begin with this folder."""
        with _translated():
            batches = self._library.list(self._store, prefix=prefix or None)
            return [
                ListedObject(one["path"], one["size"], one["e_tag"] or "")
                for batch in batches
                for one in batch
            ]

    def list_folders(self) -> list[str]:
        """The names of the folders directly below the address."""
        with _translated():
            found = self._library.list_with_delimiter(self._store)
            return [one.rstrip("/") for one in found["common_prefixes"]]

    def delete(self, names: Iterable[str]) -> None:
        """Delete these objects; some may be gone already."""
        wanted = list(names)
        for start in range(0, len(wanted), DELETED_AT_ONCE):
            self._delete_together(wanted[start : start + DELETED_AT_ONCE])

    def _delete_together(self, names: list[str]) -> None:
        """Some libraries stop at the first object that is gone: the others are deleted singly."""
        with _translated():
            try:
                self._library.delete(self._store, names)
                return
            except FileNotFoundError as why:
                _raise_unless_object_is_missing(why)
        if len(names) > 1:
            for name in names:
                self._delete_together([name])

    def delete_folder(self, prefix: str) -> None:
        """Delete everything in this folder."""
        self.delete(one.name for one in self.list_objects(prefix))


def _tag(meta: Mapping[str, Any]) -> str:
    """The tag of a version. Google's store compares the version, the others the entity tag."""
    return f"{meta['e_tag'] or ''}\n{meta['version'] or ''}"


def _raise_unless_object_is_missing(why: FileNotFoundError) -> None:
    """Raises if it is the bucket that is missing, or if the account may not know what exists."""
    code = code_of_missing(str(why))
    if code is not None:
        raise ObjectStoreError(code) from None


@contextmanager
def _translated() -> Any:
    """Raise a failure of the store as ObjectStoreError. Its message may contain an address, and is
    not repeated."""
    try:
        yield
    except (ObjectStoreError, FileNotFoundError):
        raise
    except Exception as why:
        code = store_code(f"{type(why).__name__} {why}", is_of_a_store=True)
        assert code is not None
        raise ObjectStoreError(code) from None
