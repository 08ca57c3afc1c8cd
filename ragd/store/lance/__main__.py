"""Checks an index: `python -m ragd.store.lance FOLDER [GENERATION VERSION [VAULT]]`.

Prints what is wrong as one JSON object, `code` and `where`, both null if it serves. A crash of the
native libraries ends only this process, not the one that started it.
"""

import json
import os
import sys

from ragd.objects.store_errors import ObjectStoreError
from ragd.runtime.process_exit import exit_before_teardown
from ragd.runtime.worker_pipes import exit_with_stdin
from ragd.store.lance.checkup import IndexDefect, examine
from ragd.store.lance.places import open_place_of_parent


def main(folder: str, generation: str | None = None, expected: str = "0", vault: str = "") -> None:
    if os.environ.get("RAGD_EXIT_WHEN_STDIN_CLOSES"):
        exit_with_stdin()
    try:
        found = examine(open_place_of_parent(folder), generation, int(expected), vault)
    except ObjectStoreError as why:
        found = IndexDefect(why.code, "store")
    code, where = (found.code, found.where) if found is not None else (None, None)
    print(json.dumps({"code": code, "where": where}))
    exit_before_teardown(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
