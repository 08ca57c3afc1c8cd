"""Makes a golden home with the version that comes first in PYTHONPATH, and keeps it as one file.

Golden homes are never made again: they represent the homes on users' disks. `home-0.1.0.tar.gz` was
made by the last version that knew one vault of Markdown only:

    git worktree add --detach /tmp/old 2512e71
    PYTHONPATH=/tmp/old python tests/golden/make_home.py 0.1.0

It holds the vault, the home without its logs and locks, and what that version answered. The home
names its vault by a hash of the path, so `tests/golden/old_home.py` replaces that.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LEFT_OUT = ("logs", "ragd.lock", "ragd.sock", "memories.sqlite")
WITHIN_S = 60.0
MODIFIED_AT = 1_760_000_000  # of every note, so that a copy has the same times

# The old daemon takes a snapshot only after very many records.
WITH_SNAPSHOTS = """
import ragd.eventlog.snapshot as snapshots, runpy
snapshots.EVERY_RECORDS = 10
runpy.run_module("ragd", run_name="__main__")
"""

NOTES = {
    "Journal/2025-10-03.md": "# Friday\n\nThe ferry to Ålesund left at seven. We paid 40 kroner for"
    " two, and the coffee was free.\n\n## Evening\n\nTove told us about the lighthouse keeper who"
    " painted the rocks white. #travel\n",
    "Journal/2025-10-06.md": "---\ntags: [health]\n---\n# Monday\n\nSlept badly again, four hours."
    " The doctor suggests walking before breakfast.\n",
    "Projects/Boat.md": "---\nstatus: active\naliases: [Dinghy]\n---\n# Boat\n\nReplace the cleats"
    " and oil the oars. The varnish is in the shed, see [[Shed list]].\n\n## Costs\n\nCleats 240"
    " kroner, varnish 310 kroner.\n",
    "Shed list.md": "# Shed list\n\n- varnish, two tins\n- sandpaper, 120 and 240\n- the blue rope"
    ' for the [[Boat]]\n\n```python\nprint("a label for every shelf")\n```\n',
    "Crème brûlée.md": "# Crème brûlée\n\nSix egg yolks, half a litre of cream, one vanilla pod."
    " Bake in a water bath for forty minutes. #recipe\n",
    "private.md": "---\nrag: false\n---\nThe hidden word is quokka.\n",
    "paper.pdf": "%PDF-1.4\nThat version did not read it.\n",
    "@ideas/raft.md": "# Raft\n\nA folder of a vault may begin with an at sign. Barrels float"
    " well.\n",
}
QUESTIONS = (
    "when did the ferry to Ålesund leave?",
    "how much did the cleats cost",
    "how long to bake crème brûlée",
    "what did the doctor suggest",
    "what floats well",
)


def run(home: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "ragctl", "--home", str(home), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def files_found(home: Path, question: str) -> list[str]:
    said: dict[str, Any] = json.loads(run(home, "search", question, "--json"))
    return [one["source_file"] for one in said.get("data", said)["results"]]


def write_vault(vault: Path) -> None:
    for path, text in NOTES.items():
        file = vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (MODIFIED_AT, MODIFIED_AT))


def run_with_snapshots(home: Path) -> None:
    """One more run of the daemon, which writes a snapshot."""
    command = [sys.executable, "-c", WITH_SNAPSHOTS, "--home", str(home)]
    with subprocess.Popen(command) as daemon:
        end = time.monotonic() + WITHIN_S
        while not list(home.glob("snapshots/*")):
            assert time.monotonic() < end
            time.sleep(0.1)
        run(home, "wait", "--for", "idle")
        run(home, "stop")
        daemon.wait(WITHIN_S)


def main() -> int:
    target = HERE / f"home-{sys.argv[1]}.tar.gz"
    if target.exists():
        print(f"{target} is there: golden homes are not made again.")
        return 1
    folder = Path(tempfile.mkdtemp(prefix="golden"))
    home, vault = folder / "home", folder / "vault"
    write_vault(vault)
    run(home, "init", str(vault))
    run(home, "index")
    run(home, "wait", "--for", "idle")
    answers = {question: files_found(home, question) for question in QUESTIONS}
    run(home, "stop")
    run_with_snapshots(home)
    (folder / "answers.json").write_text(json.dumps(answers, ensure_ascii=False, indent=1))
    (home / "config.json").write_text("{}")  # it has nothing but the vault's path
    for name in LEFT_OUT:
        shutil.rmtree(home / name) if (home / name).is_dir() else (home / name).unlink(True)
    with tarfile.open(target, "w:gz") as archive:
        for name in ("home", "vault", "answers.json"):
            archive.add(folder / name, name, filter=_without_owner)
    print(f"{target.stat().st_size} bytes in {target}")
    shutil.rmtree(folder)
    return 0


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    sys.exit(main())
