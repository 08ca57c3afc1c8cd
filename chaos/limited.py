"""Runs the daemon where the system lets it watch only a few folders.

`python -m chaos.limited WATCHES --home HOME` sets the limit in a user namespace of its own.
"""

import os
import subprocess
import sys

LIMIT = "/proc/sys/user/max_inotify_watches"
NAMESPACE = ("unshare", "--map-root-user", "sh", "-c")


def is_possible() -> bool:
    """Whether this machine allows user namespaces with their own limit."""
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
