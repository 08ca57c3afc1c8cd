"""Words and colours for people. Plain where nobody looks: no terminal, NO_COLOR, a dumb one.

It asks nobody and decides nothing. What comes from notes or from the daemon is made safe to print.
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


class _Spoken:
    """Which home this command is about: the commands that it prints are about the same one."""

    home: Home | None = None


def speak_of(home: Home | None) -> None:
    """From now on every command that is printed names this home, where that is needed."""
    _Spoken.home = home


def for_home(text: str) -> str:
    """A text whose commands work as pasted."""
    return text if _Spoken.home is None else next_command.for_home(text, _Spoken.home)


def invoked() -> str:
    """How ragctl is called for the home that this command is about."""
    return "ragctl" if _Spoken.home is None else next_command.invoked(_Spoken.home)


class Ink:
    """How to write on one stream."""

    def __init__(self, stream: TextIO | None = None) -> None:
        stream = stream or sys.stdout
        # Whether the terminal obeys: a line can be written over, and have colours.
        self.obeyed = (
            stream.isatty()
            and os.environ.get("TERM") != "dumb"
            and (sys.platform != "win32" or "WT_SESSION" in os.environ)
        )
        self.colour = self.obeyed and not os.environ.get("NO_COLOR")
        self._signs = "utf" in (stream.encoding or "").lower()
        self.columns = columns_of(stream)
        self.rows = rows_of(stream)

    def paint(self, text: str, *styles: str) -> str:
        if not self.colour or not styles or not text:
            return text
        return f"\x1b[{';'.join(STYLES[s] for s in styles)}m{text}\x1b[0m"

    def wrap(self, text: str, indent: int) -> str:
        """A sentence in lines that fit the terminal, those behind the first indented."""
        lines = [""]
        for word in text.split(" "):
            if self.columns and lines[-1] and indent + len(lines[-1]) + len(word) >= self.columns:
                lines.append("")
            lines[-1] += f" {word}" if lines[-1] else word
        return f"\n{' ' * indent}".join(lines)

    def sign(self, sign: str) -> str:
        """The sign itself, or what stands for it where the stream cannot show it."""
        return sign if self._signs else _SIGNS[sign]


def columns_of(stream: TextIO) -> int:
    """The width of the terminal; 0 where there is none, and lines are as long as they like."""
    return _size_of(stream)[0]


def rows_of(stream: TextIO) -> int:
    """The height of the terminal; 0 where there is none."""
    return _size_of(stream)[1]


def _size_of(stream: TextIO) -> tuple[int, int]:
    try:
        columns, rows = os.get_terminal_size(stream.fileno()) if stream.isatty() else (0, 0)
    except (OSError, ValueError, AttributeError):
        return 0, 0
    return columns, rows


def clean(text: object) -> str:
    """A text from outside without anything that a terminal would obey."""
    words = str(text)
    if words.isprintable():
        return words
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in words)


def clean_lines(text: object) -> str:
    """The same, with its line breaks kept."""
    return "\n".join(clean(line) for line in str(text).splitlines())


def complain(message: str, suggestion: str = "") -> None:
    """A failure, on stderr: the sentence, then the next thing to type."""
    ink = Ink(sys.stderr)
    print(ink.paint("ragctl:", "red"), clean_lines(for_home(message)), file=sys.stderr)
    if suggestion:
        print(clean_lines(for_home(suggestion)), file=sys.stderr)


def complain_json(message: str, suggestion: str, code: str) -> None:
    """The same for a program: one line of JSON, on stderr too, since it is not the answer."""
    texts = {"message": for_home(message), "suggestion": for_home(suggestion)}
    said = {"code": code or None, **texts}
    print(json.dumps({"error": said}, ensure_ascii=False), file=sys.stderr)


def note(text: str) -> None:
    """Something worth knowing that is not the answer, on stderr."""
    print(clean_lines(for_home(text)), file=sys.stderr)


def say(text: str) -> None:
    """Words of ours on stdout. What a note says is printed as it is, and not through here."""
    print(for_home(text))


def emit_json(value: Any) -> None:
    """One value as one line."""
    print(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def emit_bytes(line: bytes) -> None:
    """A line just as it came."""
    sys.stdout.flush()
    sys.stdout.buffer.write(line.rstrip(b"\n") + b"\n")
    sys.stdout.buffer.flush()


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 note`, `3,421 notes`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(size_bytes: int) -> str:
    """`512 B`, `3.4 MB`."""
    number, unit = float(size_bytes), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} B" if unit == "B" else f"{number:.1f} {unit}"


def span(seconds: float) -> str:
    """A length of time in its two largest units."""
    left = max(0, int(seconds))
    parts: list[str] = []
    for unit, size in _UNITS:
        if left >= size:
            parts.append(f"{left // size} {unit}")
            left %= size
    return " ".join(parts[:2]) or "0 s"


def seconds_of(moment: str) -> float | None:
    """A moment as the daemon writes it, in seconds since 1970; None if it is not one."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(moment).timestamp()
    except (TypeError, ValueError):
        return None


def local(moment: str) -> str:
    """The moment on this machine's clock."""
    at = seconds_of(moment)
    return clean(moment) if at is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def local_now() -> str:
    """The time of day on this machine's clock."""
    return time.strftime("%H:%M:%S")


def ago(moment: str) -> str:
    """How long ago, and exactly when."""
    at = seconds_of(moment)
    if at is None:
        return clean(moment)
    passed = time.time() - at
    return f"{span(passed)} ago ({local(moment)})" if passed >= 1 else f"just now ({local(moment)})"


def since(moment: str) -> str:
    """For how long it has been so, and since when exactly."""
    at = seconds_of(moment)
    if at is None:
        return clean(moment)
    passed = time.time() - at
    return f"{f'for {span(passed)}, ' if passed >= 1 else ''}since {local(moment)}"


def in_words_until(moment: str) -> str:
    """Up to when it will be so, and for how much longer."""
    at = seconds_of(moment)
    if at is None:
        return f"until {clean(moment)}"
    left = at - time.time()
    return f"until {local(moment)}{f', for {span(round(left))}' if left >= 1 else ''}"


def rows(pairs: Iterable[tuple[str, str]], ink: Ink) -> str:
    """Names and values, aligned; a pair without a value is left out."""
    kept = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in kept), default=0)
    return "\n".join(
        f"  {ink.paint(name.ljust(width), 'dim')}  {ink.wrap(value, width + 4)}"
        for name, value in kept
    )


def fields(values: dict[str, Any], leave_out: Sequence[str] = ()) -> str:
    """A fact's or a log line's fields in short: `files=3 outcome=complete`."""
    return " ".join(f"{clean(k)}={_short(v)}" for k, v in values.items() if k not in leave_out)


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"[{len(value) or ''}]" if len(value) != 1 else f"[{_short(value[0])}]"
    if isinstance(value, dict):
        return "{" + fields(value) + "}"
    if isinstance(value, str):
        text = clean(value)
        return f'"{text}"' if " " in text or not text else text
    return json.dumps(value)
