"""Makes a running daemon reload its configuration, and prints the result. It starts no daemon."""

from typing import Any

from ragctl.daemon.client import request
from ragctl.daemon.start import print_version_mismatch
from ragctl.failure import Failure, NotRunning
from ragctl.views.render import clean, print_notice
from ragd.paths import Home


def reload_daemon(home: Home) -> dict[str, Any]:
    """Request a reload. Returns the keys applied, those that need a restart, or the error."""
    result: dict[str, Any] = {"running": True, "applied": [], "needs_restart": [], "error": None}
    try:
        answer = request(home, "POST", "/v1/reload")
        print_version_mismatch(answer)
        data = answer.data
    except NotRunning:
        result["running"] = False
    except Failure as refused:
        result["error"] = f"{refused.message} {refused.suggestion}".strip()
    else:
        result["applied"], result["needs_restart"] = data["applied"], data["needs_restart"]
    return result


def print_reload(result: dict[str, Any]) -> None:
    """Print the result on stderr; nothing if no daemon runs."""
    if result["error"]:
        print_notice(
            f"The running daemon keeps its previous configuration: {clean(result['error'])}"
        )
    if result["applied"]:
        print_notice(f"In effect now: {', '.join(result['applied'])}.")
    if result["needs_restart"]:
        print_notice(
            f"Takes effect after a restart: {', '.join(result['needs_restart'])}. "
            "Run `ragctl stop`, then `ragctl start`."
        )
