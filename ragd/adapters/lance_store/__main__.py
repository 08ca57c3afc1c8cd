"""A look at an index: `python -m ragd.adapters.lance_store FOLDER [GENERATION VERSION]`.

Prints what is wrong as one JSON object, `code` and `where`, both null if it serves. For `ragctl`,
which never loads the native libraries: whatever happens in them happens in here.
"""

import json
import sys
from pathlib import Path

from ragd.adapters.lance_store.checkup import examine


def main(folder: str, generation: str | None = None, expected: str = "0") -> None:
    found = examine(Path(folder), generation, int(expected))
    code, where = (found.code, found.where) if found is not None else (None, None)
    print(json.dumps({"code": code, "where": where}))


if __name__ == "__main__":
    main(*sys.argv[1:])
