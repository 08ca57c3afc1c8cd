"""Text and colours for people. No colours without a terminal, with NO_COLOR or a dumb terminal.

It sends no request. `clean` makes text from notes and from the daemon safe to print.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from ragctl.views import next_command
from ragd.paths import Home

STYLES = {
    "bold": "1",
    "dim": "2",
    "italic": "3",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}
_SIGNS = {
    "●": "*",
    "○": "-",
    "▲": "!",
    "✗": "x",
    "✓": "+",
    "→": "->",
    "·": "-",
    "…": "...",
    "━": "#",
    "─": ".",
    "│": "|",
    "•": "-",
    "☐": "[ ]",
    "☑": "[x]",
}
_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


class _CurrentHome:
    """The home of this invocation, which printed commands must name."""

    home: Home | None = None


def set_current_home(home: Home | None) -> None:
    """From now on printed commands name this home where needed."""
    _CurrentHome.home = home


def add_home_option(text: str) -> str:
    """The text with `--home` added to its commands where needed."""
    return (
        text if _CurrentHome.home is None else next_command.add_home_option(text, _CurrentHome.home)
    )


def ragctl_command() -> str:
    """The command that calls ragctl for the current home."""
    return "ragctl" if _CurrentHome.home is None else next_command.ragctl_command(_CurrentHome.home)


class Ink:
    """Colours, signs and width of one output stream."""

    def __init__(self, stream: TextIO | None = None) -> None:
        stream = stream or sys.stdout
        # Whether the terminal understands escape codes: colours, overwriting a line.
        self.has_ansi = (
            stream.isatty()
            and os.environ.get("TERM") != "dumb"
            and (sys.platform != "win32" or "WT_SESSION" in os.environ)
        )
        self.colour = self.has_ansi and not os.environ.get("NO_COLOR")
        self._signs = "utf" in (stream.encoding or "").lower()
        self.columns = terminal_columns(stream)
        self.rows = terminal_rows(stream)

    def paint(self, text: str, *styles: str) -> str:
        if not self.colour or not styles or not text:
            return text
        return f"\x1b[{';'.join(STYLES[s] for s in styles)}m{text}\x1b[0m"

    def wrap(self, text: str, indent: int) -> str:
        """The text in lines that fit the terminal; all but the first are indented."""
        lines = [""]
        for word in text.split(" "):
            if self.columns and lines[-1] and indent + len(lines[-1]) + len(word) >= self.columns:
                lines.append("")
            lines[-1] += f" {word}" if lines[-1] else word
        return f"\n{' ' * indent}".join(lines)

    def sign(self, sign: str) -> str:
        """The sign, or its ASCII form if the stream cannot show it."""
        return sign if self._signs else _SIGNS[sign]


def terminal_columns(stream: TextIO) -> int:
    """The width of the terminal; 0 without one, for lines of any length."""
    return _size_of(stream)[0]


def terminal_rows(stream: TextIO) -> int:
    """The height of the terminal; 0 without one."""
    return _size_of(stream)[1]


def _size_of(stream: TextIO) -> tuple[int, int]:
    try:
        columns, rows = os.get_terminal_size(stream.fileno()) if stream.isatty() else (0, 0)
    except (OSError, ValueError, AttributeError):
        return 0, 0
    return columns, rows


def clean(text: object) -> str:
    """The text with control characters escaped, so that a terminal shows them as text."""
    raw = str(text)
    if raw.isprintable():
        return raw
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in raw)


def clean_lines(text: object) -> str:
    """Like `clean`, but keeps line breaks."""
    return "\n".join(clean(line) for line in str(text).splitlines())


def print_failure(message: str, suggestion: str = "") -> None:
    """Print a failure on stderr: the message, then the suggestion."""
    ink = Ink(sys.stderr)
    print(ink.paint("ragctl:", "red"), clean_lines(add_home_option(message)), file=sys.stderr)
    if suggestion:
        print(clean_lines(add_home_option(suggestion)), file=sys.stderr)


def print_failure_json(message: str, suggestion: str, code: str) -> None:
    """Print a failure as one line of JSON, also on stderr: stdout is for answers."""
    texts = {"message": add_home_option(message), "suggestion": add_home_option(suggestion)}
    error = {"code": code or None, **texts}
    print(json.dumps({"error": error}, ensure_ascii=False), file=sys.stderr)


def print_notice(text: str) -> None:
    """Print something that is not the answer on stderr."""
    print(clean_lines(add_home_option(text)), file=sys.stderr)


def print_text(text: str) -> None:
    """Print ragctl's own text on stdout. Note text is printed unchanged, not with this."""
    print(add_home_option(text))


def emit_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    print(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def emit_bytes(line: bytes) -> None:
    """Print a line exactly as received."""
    sys.stdout.flush()
    sys.stdout.buffer.write(line.rstrip(b"\n") + b"\n")
    sys.stdout.buffer.flush()


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 note`, `3,421 notes`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def format_size(size_bytes: int) -> str:
    """`512 B`, `3.4 MB`."""
    number, unit = float(size_bytes), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} B" if unit == "B" else f"{number:.1f} {unit}"


def format_duration(seconds: float) -> str:
    """A duration in its two largest units: `2 h 5 min`."""
    left = max(0, int(seconds))
    parts: list[str] = []
    for unit, length in _UNITS:
        if left >= length:
            parts.append(f"{left // length} {unit}")
            left %= length
    return " ".join(parts[:2]) or "0 s"


def format_elapsed(seconds: float) -> str:
    """A duration, with tenths of a second below ten seconds."""
    return format_duration(seconds) if seconds >= 10 else f"{seconds:.1f} s"


def unix_seconds(moment: str) -> float | None:
    """A timestamp of the daemon in seconds since 1970; None if it is not a timestamp."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(moment).timestamp()
    except (TypeError, ValueError):
        return None


def local_time(moment: str) -> str:
    """The timestamp in local time."""
    at = unix_seconds(moment)
    return clean(moment) if at is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def local_clock() -> str:
    """The time of day, local."""
    return time.strftime("%H:%M:%S")


def ago(moment: str) -> str:
    """`3 min 2 s ago (2030-01-01 12:00:00)`."""
    at = unix_seconds(moment)
    if at is None:
        return clean(moment)
    passed = time.time() - at
    return (
        f"{format_duration(passed)} ago ({local_time(moment)})"
        if passed >= 1
        else f"just now ({local_time(moment)})"
    )


def since(moment: str) -> str:
    """`for 3 min 2 s, since 2030-01-01 12:00:00`."""
    at = unix_seconds(moment)
    if at is None:
        return clean(moment)
    passed = time.time() - at
    return f"{f'for {format_duration(passed)}, ' if passed >= 1 else ''}since {local_time(moment)}"


def format_until(moment: str) -> str:
    """`until 2030-01-01 12:00:00, for 3 min 2 s`."""
    at = unix_seconds(moment)
    if at is None:
        return f"until {clean(moment)}"
    left = at - time.time()
    return (
        f"until {local_time(moment)}{f', for {format_duration(round(left))}' if left >= 1 else ''}"
    )


def format_table(pairs: Iterable[tuple[str, str]], ink: Ink) -> str:
    """Names and values in two columns; pairs with an empty value are left out."""
    kept = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in kept), default=0)
    return "\n".join(
        f"  {ink.paint(name.ljust(width), 'dim')}  {ink.wrap(value, width + 4)}"
        for name, value in kept
    )


def format_fields(values: dict[str, Any], leave_out: Sequence[str] = ()) -> str:
    """The fields of a fact or a log line: `files=3 outcome=complete`."""
    return " ".join(f"{clean(k)}={_short(v)}" for k, v in values.items() if k not in leave_out)


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"[{len(value) or ''}]" if len(value) != 1 else f"[{_short(value[0])}]"
    if isinstance(value, dict):
        return "{" + format_fields(value) + "}"
    if isinstance(value, str):
        text = clean(value)
        return f'"{text}"' if " " in text or not text else text
    return json.dumps(value)
