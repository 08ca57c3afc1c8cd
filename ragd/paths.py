"""Where everything of one home lies. It never touches the disk; strings, since pathlib is slow.

A home is the folder that holds the configuration and all that ragd writes (its data directory).
"""

import os
import sys

# sun_path holds 108 bytes on Linux and 104 on macOS, with the closing NUL.
SOCKET_PATH_MAX = 107 if sys.platform == "linux" else 103


def default_home() -> str:
    """`OBSIDIAN_RAG_HOME`, else the platform's place."""
    named = os.environ.get("OBSIDIAN_RAG_HOME")
    if named:
        return os.path.abspath(os.path.expanduser(named))
    if sys.platform == "win32":
        appdata = os.environ.get("APPDATA") or os.path.expanduser("~")
        return os.path.join(appdata, "obsidian-rag")
    return os.path.expanduser("~/.obsidian-rag")


class Home:
    """The names inside one home."""

    __slots__ = ("root",)

    def __init__(self, root: str | None = None) -> None:
        self.root = os.path.abspath(os.path.expanduser(root)) if root else default_home()

    def __repr__(self) -> str:
        return f"Home({self.root!r})"

    def _in(self, *names: str) -> str:
        return os.path.join(self.root, *names)

    @property
    def config(self) -> str:
        return self._in("config.json")

    @property
    def lock(self) -> str:
        return self._in("ragd.lock")

    @property
    def events(self) -> str:
        return self._in("events")

    @property
    def snapshots(self) -> str:
        return self._in("snapshots")

    @property
    def sync_result(self) -> str:
        return self._in("sync-result.json")

    @property
    def vectors(self) -> str:
        return self._in("vectors.lance")

    @property
    def embedding_cache(self) -> str:
        return self._in("embeddings.sqlite")

    @property
    def memories(self) -> str:
        return self._in("memories.sqlite")

    @property
    def memory_secret(self) -> str:
        return self._in("memories.key")

    @property
    def log_file(self) -> str:
        return self._in("logs", "ragd.log")

    @property
    def socket(self) -> str:
        """The socket's path: in the home, or in the runtime folder where that would be too long."""
        plain = self._in("ragd.sock")
        if len(os.fsencode(plain)) <= SOCKET_PATH_MAX:
            return plain
        return os.path.join(self.runtime_dir, f"{self.fingerprint}.sock")

    @property
    def runtime_dir(self) -> str:
        """A short private folder for the socket of a home whose own path is too long."""
        base = os.environ.get("XDG_RUNTIME_DIR")
        if base:
            return os.path.join(base, "ragd")
        return os.path.join("/tmp", f"ragd-{os.getuid()}")  # noqa: S108  (checked before use)

    @property
    def pipe(self) -> str:
        """The Windows named pipe of this home."""
        return rf"\\.\pipe\ragd-{self.fingerprint}"

    @property
    def fingerprint(self) -> str:
        """A short name for this home, the same for daemon and client."""
        import hashlib

        return hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
