"""The paths of everything in one home. It never touches the disk.

A home is the folder with the configuration and everything that ragd writes. Paths are strings,
because importing pathlib is slow.
"""

import os
import sys

# sun_path holds 108 bytes on Linux and 104 on macOS, with the closing NUL.
SOCKET_PATH_MAX = 107 if sys.platform == "linux" else 103


def default_home() -> str:
    """`OBSIDIAN_RAG_HOME`, or the platform's default."""
    named = os.environ.get("OBSIDIAN_RAG_HOME")
    if named:
        return os.path.abspath(os.path.expanduser(named))
    return platform_home()


def platform_home() -> str:
    """The platform's default. It ignores `OBSIDIAN_RAG_HOME`."""
    if sys.platform == "win32":
        place = os.path.join(os.environ.get("APPDATA") or "~", "obsidian-rag")
    else:
        place = "~/.obsidian-rag"
    return os.path.expanduser(place)


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
    def config_lock(self) -> str:
        return self._in("config.lock")

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
    def writer_id(self) -> str:
        """Names this home in an object store."""
        return self._in("writer-id")

    @property
    def mirror_key(self) -> str:
        """The key of the memories in the copy of this home in an object store."""
        return self._in("mirror.key")

    @property
    def tokens(self) -> str:
        return self._in("tokens.json")

    @property
    def agent_notes(self) -> str:
        """The folder of agents' own notes: `memory/AGENT/…`."""
        return self._in("memory")

    @property
    def agent_note_versions(self) -> str:
        """The folder of their earlier contents."""
        return self._in("memory-versions")

    @property
    def bridge(self) -> str:
        """The folder of `ragctl serve`: its lock, and links that are valid once."""
        return self._in("bridge")

    @property
    def log_file(self) -> str:
        return self._in("logs", "ragd.log")

    @property
    def crash_trace(self) -> str:
        return self._in("logs", "crash.txt")

    @property
    def socket(self) -> str:
        """The socket's path: in the home, or in the runtime folder if that would be too long."""
        plain = self._in("ragd.sock")
        return plain if _fits(plain) else self._in_runtime_dir()

    def _in_runtime_dir(self) -> str:
        """In a short private folder: the session's, or ours if it is too long or missing."""
        name = f"{self.fingerprint}.sock"
        session = os.environ.get("XDG_RUNTIME_DIR")
        if session and _fits(place := os.path.join(session, "ragd", name)):
            return place
        return os.path.join("/tmp", f"ragd-{_user()}", name)  # noqa: S108  (checked before use)

    @property
    def pipe(self) -> str:
        """The Windows named pipe of this home."""
        return rf"\\.\pipe\ragd-{self.fingerprint}"

    @property
    def fingerprint(self) -> str:
        """A short name for this home, the same for daemon and client."""
        import hashlib

        return hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]


def with_home_option(text: str, home: Home, default: str) -> str:
    """The text with `--home` in its commands, unless `ragctl` finds this home without it (it finds
    `default`). Commands are in backticks. A command with `--home` or `--help` does not change."""
    if home.root == default:
        return text
    from shlex import quote

    first, *rest = text.split("`ragctl ")
    option = f"--home {quote(home.root)} "
    for command in rest:
        typed = command.partition("`")[0]
        unchanged = typed.startswith("--home") or typed.endswith("--help")
        first += f"`ragctl {'' if unchanged else option}{command}"
    return first


def _fits(path: str) -> bool:
    """Whether a socket can have this path."""
    return len(os.fsencode(path)) <= SOCKET_PATH_MAX


def _user() -> int:
    """The user's number. On Windows it is not needed, because a pipe is used."""
    if sys.platform == "win32":
        number = 0
    else:
        number = os.getuid()
    return number


def lies_in_by_name(inner: str, outer: str) -> bool:
    """Whether one path is, or is inside, the other, by name only."""
    inner, outer = (os.path.normcase(os.path.abspath(path)) for path in (inner, outer))
    return inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep)


def lies_in(inner: str, outer: str) -> bool:
    """Whether one path is, or is inside, the other, after symbolic links.

    By name, and by file identity too: on disks that ignore case, two names can be one folder.
    """
    inner, outer = (os.path.normcase(os.path.realpath(path)) for path in (inner, outer))
    if inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep):
        return True
    try:
        target = os.stat(outer)
    except OSError:
        return False
    while True:
        try:
            facts = os.stat(inner)
        except OSError:
            facts = None
        if facts is not None and facts.st_ino and os.path.samestat(facts, target):
            return True
        parent = os.path.dirname(inner)
        if parent == inner:
            return False
        inner = parent
