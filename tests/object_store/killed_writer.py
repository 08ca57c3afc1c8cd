"""A writer on an object store that runs until it is killed: `ADDRESS ENDPOINT SEED`.

It holds the lease as a daemon does, and prints what it has done. A killed writer of the same home
is replaced at once.
"""

import os
import random
import sys

from ragd.config.store_settings import StoreOptions
from ragd.objects.writer_lease import WriterLease
from ragd.store.lance import maintenance
from ragd.store.lance.object_place import ObjectPlace
from ragd.store.lance.places import open_place
from ragd.store.lance.writer import TableWriter
from tests.store.lance.drafts import note, vectors_of
from tests.store.lance.killed_writer import NOTES, draft

GENERATION = "01A"


def main(address: str, endpoint: str, seed: int) -> None:
    place = open_place(address, StoreOptions(endpoint=endpoint, allow_http=True))
    assert isinstance(place, ObjectPlace)
    holder = os.environ.get("HOLDER", "one home")
    place.lease = WriterLease(place.client, holder, holder, 6.0)
    place.lease.acquire()
    writer = TableWriter(place.table(GENERATION))
    writer.take_over(place.raise_fence(writer.fence))
    source, revision = random.Random(seed), seed * 1_000
    print("ready", flush=True)
    while True:
        revision += 1
        chosen = source.sample(range(NOTES), source.randint(1, 4))
        files = [note(f"n{number}.md", *draft(number, revision)) for number in chosen]
        place.ensure_writable()
        writer.replace(files, [])
        print("stored", revision, *chosen, flush=True)
        if source.random() < 0.5:
            place.ensure_writable()
            filled = len(writer.fill(vectors_of(files)).found)
            print("filled", filled, flush=True)
        if source.random() < 0.2:
            place.ensure_writable()
            maintenance.compact(writer)
            maintenance.remove_old_versions(writer, 0)
            print("tidied", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
