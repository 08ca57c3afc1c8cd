"""Places a golden home, as its version left it, in a folder of a test."""

import json
import re
import tarfile
from pathlib import Path
from typing import Any

from ragd.config.load import vault_id
from ragd.config.schema import Config
from ragd.paths import Home

HERE = Path(__file__).parent
_VAULT = re.compile(rb'(?<="vault":")[0-9a-f]{16}(?=")')


def place_home(version: str, folder: Path, **settings: Any) -> Home:
    """Unpack the home and its vault. Two things become those of the new place: the vault's path in
    the configuration, and its hash in the index, which has the same length. No other byte does."""
    with tarfile.open(HERE / f"home-{version}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    home, vault = Home(str(folder / "home")), folder / "vault"
    Path(home.root).chmod(0o700)
    Path(home.config).write_text(json.dumps({"vault_path": str(vault), **settings}))
    own_id = vault_id(Config(vault_path=str(vault))).encode()
    replaced = 0
    for file in filter(Path.is_file, Path(home.vectors).rglob("*")):
        data, count = _VAULT.subn(own_id, file.read_bytes())
        if count:
            file.write_bytes(data)
            replaced += count
    assert replaced, "an index holds the hash of its vault's path"
    return home


def old_answers(folder: Path) -> dict[str, list[str]]:
    """The files that the old version found for each question, the best first."""
    answers: dict[str, list[str]] = json.loads((folder / "answers.json").read_text())
    return answers
