"""In an object store, too, the text of a deleted note leaves every object in time."""

import asyncio
from pathlib import Path

import pytest

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import parse_address
from ragd.objects.credentials import lance_options
from ragd.objects.object_client import ObjectClient
from ragd.objects.writer_lease import WriterLease
from ragd.store.lance import LanceStore
from ragd.store.lance.maintenance import KEEP_S
from ragd.store.lance.object_place import ObjectPlace
from ragd.store.lance.store import CLEAN_EVERY_S
from tests.daemon.virtual_clock import VirtualClock
from tests.object_store.kinds import Server
from tests.store.lance.drafts import bulk, identity, note
from tests.store.lance.lance_files import files_with

WORD = "zyzzyvaquux"
PROMISED_S = 900.0
SECRET = note("Secret.md", f"The word {WORD} is nowhere else.")


def objects_with(client: ObjectClient, folder: Path) -> list[str]:
    """The objects that contain the word, raw or decoded."""
    for one in client.list_objects():
        found = client.get(one.name)
        if found is not None:
            copy = folder / one.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(found.data)
    return files_with(folder, WORD)


@pytest.mark.every_kind
async def test_the_text_of_a_deleted_note_leaves_every_object(
    client: ObjectClient, address: str, server: Server, tmp_path: Path
) -> None:
    options, clock = StoreOptions(endpoint=server.endpoint, allow_http=True), VirtualClock()
    lance = lance_options(parse_address(address), options, server.environment)
    place = ObjectPlace(client, lance, options)
    place.lease = WriterLease(client, "the test", "the test", 600.0)
    await asyncio.to_thread(place.lease.acquire)
    store = LanceStore(place, clock.monotonic)
    index = await store.create(identity())
    await index.replace([*bulk(5), SECRET])
    await index.maintain()
    assert objects_with(client, tmp_path / "before")
    await index.replace([], [SECRET.path])
    deleted_at = clock.monotonic()
    while (await index.maintain()).more:
        pass
    clock.advance(KEEP_S - 10)
    await index.replace([note("Late.md", "Saved shortly before.")])
    done = await index.maintain()
    while clock.monotonic() - deleted_at < KEEP_S:
        assert done.again_s is not None
        clock.advance(done.again_s)
        done = await index.maintain()
    clock.advance(CLEAN_EVERY_S)
    await index.maintain()
    assert objects_with(client, tmp_path / "after") == []
    assert clock.monotonic() - deleted_at <= PROMISED_S
    assert await index.count() == 21
    index.close()
    store.close()
