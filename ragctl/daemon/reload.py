"""After the configuration changed on disk: what a running daemon made of it. Starts none."""

from typing import Any

from ragctl.daemon.client import request
from ragctl.daemon.start import tell_version
from ragctl.failure import Failure, NotRunning
from ragctl.views.render import clean, note
from ragd.paths import Home


def reload_daemon(home: Home) -> dict[str, Any]:
    """Ask for a reload: what took effect, what waits for a restart, or why nothing did."""
    told: dict[str, Any] = {"running": True, "applied": [], "needs_restart": [], "error": None}
    try:
        answer = request(home, "POST", "/v1/reload")
        tell_version(answer)
        data = answer.data
    except NotRunning:
        told["running"] = False
    except Failure as refused:
        told["error"] = f"{refused.message} {refused.suggestion}".strip()
    else:
        told["applied"], told["needs_restart"] = data["applied"], data["needs_restart"]
    return told


def tell_reload(told: dict[str, Any]) -> None:
    """The same in words, on stderr; nothing where no daemon runs."""
    if told["error"]:
        note(f"The running daemon keeps its former configuration: {clean(told['error'])}")
    if told["applied"]:
        note(f"In force now: {', '.join(told['applied'])}.")
    if told["needs_restart"]:
        note(
            f"Waits for a restart: {', '.join(told['needs_restart'])}. "
            "Run `ragctl stop`, then `ragctl start`."
        )
