"""Every error that ragd can show, declared once: code, status, message, suggestion, exit code.

It does no I/O and imports nothing of ours, so that `ragctl` starts fast with it.
"""

HEALTHY = "healthy"
DEGRADED = "degraded"
UNAVAILABLE = "unavailable"
SEVERITY = {HEALTHY: 0, DEGRADED: 1, UNAVAILABLE: 2}

# While one of these holds, no vectors are made, neither for notes nor for queries.
WITHOUT_VECTORS = (
    *("DIMENSIONS_MISMATCH", "INDEX_MODEL_MISMATCH", "OLLAMA_UNREACHABLE"),
    *("OLLAMA_MODEL_MISSING", "EMBEDDER_UNAVAILABLE"),
)

NO_SUCH_ENDPOINT = (
    "There is no such endpoint."  # ragctl reads this as: the daemon has another version
)

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NOT_RUNNING = 3
EXIT_UNAVAILABLE = 4
EXIT_DEGRADED = 5
EXIT_NOTHING_FOUND = 6
EXIT_ALREADY_RUNNING = 73
EXIT_LOG_IO = 74
EXIT_TIMEOUT = 75
EXIT_PERMISSION = 77
EXIT_CONFIG = 78
EXIT_INTERRUPTED = 130


def worse(one: str, other: str) -> str:
    """The worse of two health states."""
    return one if SEVERITY[one] >= SEVERITY[other] else other


class Kind:
    """What a code means. `status` None: a refusal, which keeps the daemon's current health.

    A plain class: importing `typing` would take an eighth of the start of `ragctl`.
    """

    __slots__ = ("message", "recoverable", "status", "suggestion")

    def __init__(
        self, status: str | None, recoverable: bool, message: str, suggestion: str
    ) -> None:
        self.status = status
        self.recoverable = recoverable
        self.message = message
        self.suggestion = suggestion


CODES: dict[str, Kind] = {
    # Health reasons (docs/architecture.md): each of these is also an error code.
    "OLLAMA_UNREACHABLE": Kind(
        DEGRADED,
        True,
        "Ollama does not respond, so meaning-based search is off.",
        "Start it with `ollama serve`; full-text search still works.",
    ),
    "OLLAMA_MODEL_MISSING": Kind(
        DEGRADED,
        True,
        "Ollama responds but does not have the model, so meaning-based search is off.",
        "Run `ollama pull NAME` with the model's name; full-text search still works.",
    ),
    "DIMENSIONS_MISMATCH": Kind(
        DEGRADED,
        True,
        "`embedding.dimensions` is not the size of the model's vectors, so meaning-based search "
        "is off.",
        "Run `ragctl config unset embedding.dimensions`, then `ragctl stop` and `ragctl start`; "
        "full-text search still works.",
    ),
    "EMBEDDER_UNAVAILABLE": Kind(
        DEGRADED,
        True,
        "The embedded model cannot run, so meaning-based search is off.",
        "Run `ragctl doctor`; full-text search still works.",
    ),
    "VECTORS_PENDING": Kind(
        DEGRADED,
        True,
        "Some passages have no vector yet, so they are found only by their words.",
        "Wait for the embedder to catch up; `ragctl status` shows the progress.",
    ),
    "INDEX_STALE": Kind(
        DEGRADED,
        True,
        "Notes changed a while ago and are not indexed yet.",
        "Run `ragctl sync`.",
    ),
    "WATCH_LOST": Kind(
        DEGRADED,
        True,
        "The vault cannot be watched, so changes are found only by rescans.",
        "Run `ragctl doctor` to see which limit was reached.",
    ),
    "DISK_FULL": Kind(
        DEGRADED,
        True,
        "The disk is full or cannot be written to, so nothing new can be saved.",
        "Free some space, or make the disk writable; ragd then continues automatically. Indexed "
        "notes can still be searched.",
    ),
    "LOG_QUARANTINED": Kind(
        DEGRADED,
        True,
        "A damaged part of the event log was moved aside; what it recorded must be found again.",
        "Run `ragctl index` to read all notes again; the damaged part is kept in events/aside.",
    ),
    "DELETIONS_HELD": Kind(
        DEGRADED,
        True,
        "Many notes disappeared at once, so they are not removed from the index yet.",
        "If you deleted them on purpose, run `ragctl sync --accept-deletions`.",
    ),
    "STARTING": Kind(
        UNAVAILABLE,
        True,
        "The daemon is starting and has not opened the index yet.",
        "Try again in a moment.",
    ),
    "INDEX_NOT_FOUND": Kind(
        UNAVAILABLE,
        True,
        "There is no index with documents in it.",
        "Run `ragctl index` first.",
    ),
    "INDEX_CORRUPTED": Kind(
        UNAVAILABLE,
        True,
        "The index is damaged and cannot be read.",
        "Run `ragctl reindex`; the notes themselves are not affected.",
    ),
    "INDEX_OF_ANOTHER_VAULT": Kind(
        UNAVAILABLE,
        True,
        "The index belongs to another vault and is not used; the configured vault is missing.",
        "Correct the path with `ragctl config set vault_path PATH`, then `ragctl stop` and "
        "`ragctl start`; or restore the configured vault: then its notes are indexed instead.",
    ),
    "INDEX_MODEL_MISMATCH": Kind(
        DEGRADED,
        True,
        "The embedding model is not the one the index was built with, so meaning-based search "
        "is off.",
        "Run `ragctl reindex`, or configure the previous model again; full-text search still "
        "works.",
    ),
    "VAULT_NOT_FOUND": Kind(
        DEGRADED,
        True,
        "The vault's folder is missing or cannot be read.",
        "Mount it, or correct `vault_path` with `ragctl config set vault_path PATH`.",
    ),
    "COLLECTION_NOT_FOUND": Kind(
        DEGRADED,
        True,
        "The folder of a collection is missing or cannot be used.",
        "Mount or restore it; until then its notes stay in the index. If you do not need it any "
        "more, run `ragctl collection remove NAME`.",
    ),
    "VAULT_NOT_RESPONDING": Kind(
        DEGRADED,
        True,
        "The vault does not respond: its disk or its network mount hangs.",
        "Check the mount or the network; ragd continues automatically when the vault responds "
        "again.",
    ),
    "INDEXER_FAILED": Kind(
        DEGRADED,
        True,
        "The last indexing job failed.",
        "Run `ragctl sync` again; `ragctl logs` shows details.",
    ),
    "STORE_UNREACHABLE": Kind(
        DEGRADED,
        True,
        "The object store does not respond, or refuses requests for now.",
        "Check the network, and the address in `ragctl config get vector_store`; ragd continues "
        "automatically when it responds again.",
    ),
    "STORE_DENIED": Kind(
        DEGRADED,
        True,
        "The object store refuses the credentials, or they are missing.",
        "Set them in the environment of the daemon or in the usual credentials file, then run "
        "`ragctl stop` and `ragctl start`.",
    ),
    "STORE_BUCKET_MISSING": Kind(
        DEGRADED,
        True,
        "The bucket or container of the index does not exist.",
        "Create it, or correct the address with `ragctl config set vector_store.path ADDRESS`.",
    ),
    "STORE_FULL": Kind(
        DEGRADED,
        True,
        "The object store has no room left, so nothing new can be saved.",
        "Free some space or raise the quota; ragd then continues automatically.",
    ),
    "STORE_UNSAFE": Kind(
        UNAVAILABLE,
        True,
        "The object store ignores conditions on puts, so two writers could overwrite each other. "
        "It is not used.",
        "Use a store that respects If-None-Match and If-Match, and set its address with `ragctl "
        "config set vector_store.path ADDRESS`.",
    ),
    "INDEX_HELD": Kind(
        UNAVAILABLE,
        True,
        "Another daemon writes the index that is configured here.",
        "Stop that daemon, or make this one a reader with `ragctl config set role reader`, then "
        "`ragctl stop` and `ragctl start`.",
    ),
    # Refusals and answers.
    "READ_ONLY": Kind(
        None,
        False,
        "This machine only reads the index, so it cannot do that.",
        "Do it on the machine that writes the index.",
    ),
    "SECURITY_VIOLATION": Kind(
        None,
        False,
        "The path leads outside the vault.",
        "Use a path inside the vault, relative to its root.",
    ),
    "SENSITIVE_FILTERED": Kind(
        DEGRADED,
        True,
        "Sensitive passages were withheld.",
        "Ask the user, then repeat the call with the confirmation token.",
    ),
    "INVALID_REQUEST": Kind(
        None, False, "The request is not valid.", "Correct the named field and try again."
    ),
    "UNKNOWN_DIRECTORY": Kind(
        None, False, "No such directory in the index.", "Leave the filter out, or correct it."
    ),
    "UNKNOWN_COLLECTION": Kind(
        None, False, "There is no such collection.", "Leave the name out, or correct it."
    ),
    "JOB_NOT_FOUND": Kind(
        None, False, "There is no such job.", "`ragctl status` shows the current one."
    ),
    "APPROVAL_NOT_FOUND": Kind(
        None,
        False,
        "No request with this id waits for approval.",
        "`ragctl approve` lists those that wait; after five minutes the assistant must ask again.",
    ),
    "TOKEN_REFUSED": Kind(
        None,
        False,
        "The token is not known, was revoked or has expired.",
        "`ragctl token list` shows the tokens, `ragctl token create NAME` makes a new one.",
    ),
    "SIGN_IN_NEEDED": Kind(
        None,
        False,
        "This browser is not signed in to the page.",
        "Run `ragctl open`, which opens the page with a link that is valid once.",
    ),
    "TOO_MANY_REQUESTS": Kind(
        None, True, "There were too many requests at once.", "Wait a moment, then try again."
    ),
    "NOT_RUNNING": Kind(UNAVAILABLE, True, "The daemon is not running.", "Run `ragctl start`."),
    "VECTORS_REQUIRED": Kind(
        UNAVAILABLE,
        True,
        'The vectors for this search are not available, and `search.fallback` is "none".',
        "Run `ragctl status` to see why.",
    ),
    "TIMEOUT": Kind(
        DEGRADED,
        True,
        "The request took too long.",
        "Try again. If it keeps happening, run `ragctl doctor`.",
    ),
    "VERSION_MISMATCH": Kind(
        None,
        False,
        "The client and the daemon have different versions.",
        "Run `ragctl stop`, then `ragctl start`.",
    ),
    "INTERNAL": Kind(
        None,
        True,
        "Something went wrong inside the daemon.",
        "Try again; `ragctl logs` shows details.",
    ),
}


class RagdError(Exception):
    """A failure that a person can act on: a stable code, a message, a suggestion, an exit code."""

    exit_code = EXIT_FAILED

    def __init__(
        self,
        code: str,
        message: str | None = None,
        suggestion: str | None = None,
    ) -> None:
        kind = CODES[code]
        self.code = code
        self.kind = kind
        self.message = message or kind.message
        self.suggestion = suggestion or kind.suggestion
        super().__init__(self.message)


class StartupError(Exception):
    """The daemon cannot start: a message, the next step, and the exit code that says why."""

    exit_code = EXIT_FAILED

    def __init__(self, message: str, suggestion: str = "") -> None:
        self.message = message
        self.suggestion = suggestion
        super().__init__(f"{message} {suggestion}".strip())


class ConfigError(StartupError):
    """The configuration is missing, malformed or refused."""

    exit_code = EXIT_CONFIG


class AlreadyRunning(StartupError):
    """Another daemon holds the lock of this home."""

    exit_code = EXIT_ALREADY_RUNNING


class PermissionRefused(StartupError):
    """A file or folder belongs to another user, or is not what it should be."""

    exit_code = EXIT_PERMISSION


class LogUnreadable(StartupError):
    """The event log was written by a newer version than this one."""

    exit_code = EXIT_CONFIG


class LogFailed(StartupError):
    """The event log's disk failed; nothing more can be recorded on that handle."""

    exit_code = EXIT_LOG_IO
