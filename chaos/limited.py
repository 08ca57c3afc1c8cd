"""The daemon where the system lets it watch only so many folders.

`python -m chaos.limited WATCHES --home HOME`: a namespace of its own has a limit of its own.
"""

import os
import subprocess
import sys

LIMIT = "/proc/sys/user/max_inotify_watches"
NAMESPACE = ("unshare", "--map-root-user", "sh", "-c")


def is_possible() -> bool:
    """Whether this machine has namespaces with a limit of their own."""
    tried = [*NAMESPACE, f"echo 5 > {LIMIT}"]
    try:
        return subprocess.run(tried, capture_output=True, timeout=10).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    watches, *rest = sys.argv[1:]
    begin = f'echo {int(watches)} > {LIMIT} && exec "$@"'
    command = [*NAMESPACE, begin, "sh", sys.executable, "-m", "ragd", *rest]
    os.execvp(command[0], command)
