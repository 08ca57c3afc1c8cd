"""Requests of the MCP server to the daemon, which is started if it does not run.

All of them stand for the same asker; no argument of a tool can change that.
"""

from typing import Any

from ragctl.daemon.client import Answer
from ragctl.daemon.start import call_daemon, call_daemon_when_ready
from ragctl.mcp.tool_hints import MEMORY_SEARCH, RELATED, SEARCH, reads_only
from ragd.paths import Home

# They need the index, which is not open yet right after the daemon's start.
_NEED_THE_INDEX = (SEARCH, RELATED, MEMORY_SEARCH)


class DaemonCalls:
    """Sends them. `headers` say who asks. `start`: start the daemon if it does not run."""

    def __init__(self, home: Home, headers: dict[str, str], *, start: bool = True) -> None:
        self._start = start
        self._home = home
        self._headers = headers

    def get(self, path: str) -> dict[str, Any]:
        """The data of an answer. Raises Failure if there is none."""
        return call_daemon(
            self._home,
            "GET",
            path,
            start=self._start,
            skip_version_notice=True,
            headers=self._headers,
        ).data

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Answer:
        """The answer of a tool, also if the daemon refuses."""
        send = call_daemon_when_ready if name in _NEED_THE_INDEX else call_daemon
        return send(
            self._home,
            "POST",
            f"/v1/tools/{name}",
            arguments,
            start=self._start,
            skip_version_notice=True,
            # A read that a stopping daemon cut off is repeated; but a token is valid only once.
            idempotent=reads_only(name) and not arguments.get("confirm"),
            headers=self._headers,
        )
