"""Search results as text for people: passages, memories, warnings, the next command.

It sends no request and prints nothing.
"""

import re
from typing import Any

from ragctl.views.excerpts import INDENT, LINES, Highlighter, cell_width
from ragctl.views.passages import explanation_lines, quote_word, render_passage, show_command
from ragctl.views.render import Ink, add_home_option, clean, counted, format_until, ragctl_command

Data = dict[str, Any]

BEST_LINES = 8  # of the first passage
GOOD_LINES = 5  # of a further passage that is likely to answer
GOOD_SCORE = 0.5
POOR_SCORE = 0.1

_CODE_MARK = re.compile(r"\[code(?:: [^\],]{1,30})?, \d{1,9} lines?\]")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def render_search_results(
    question: str,
    envelope: Data,
    ink: Ink,
    *,
    full: bool = False,
    paused: Data | None = None,
    is_filtered: bool = False,
) -> str:
    """The whole answer. `paused`: the pause of syncing; None if it is not paused. `is_filtered`:
    the request limits the notes."""
    data = envelope["data"]
    results = data["results"]
    above = _warning(envelope, ink) + _expected(data, ink) + _interpretation(data, ink)
    if results or data.get("memories") or data.get("withheld"):
        above += _hint(data, ink)
    if results and data.get("answered") is False:
        above.append(ink.paint("Nothing answers this. Nearest:", "bold"))
    elif results and data.get("unsure"):
        above.append(ink.paint("Perhaps none of these answers it:", "bold"))
    below = [_memory(memory, ink) for memory in data.get("memories", [])]
    if data.get("withheld"):
        below.append(_withheld(data))
    elif not results and not data.get("memories"):
        below.append(_nothing_found(data, is_filtered))
    below += _unindexed_warning((envelope.get("meta") or {}).get("unindexed_files", 0), ink, paused)
    if results and not full:
        below.append(ink.paint(_read_on(results), "dim"))
    if suggestion := data.get("memory_suggestion"):
        below.append(_suggestion(suggestion, ink))
    highlighter = Highlighter(" ".join([question, *_corrected_words(data)]))
    return "\n\n".join(
        [*above, *_render_passages(results, highlighter, ink, full, [*above, *below]), *below]
    )


def _render_passages(
    results: list[Data], highlighter: Highlighter, ink: Ink, full: bool, others: list[str]
) -> list[str]:
    """All passages. If the terminal is too low, they get fewer lines, the first at least three."""
    results = _with_each_context_once(results)
    if full:
        return [render_passage(n, one, highlighter, ink, None) for n, one in enumerate(results, 1)]
    shown: list[str] = []
    for most in range(BEST_LINES, 0, -1):
        shown = [
            render_passage(n, one, highlighter, ink, _lines_of(n, float(one["score"]), most))
            for n, one in enumerate(results, 1)
        ]
        rows = sum(_count_rows(block, ink.columns) + 1 for block in (*shown, *others))
        if not ink.rows or rows < ink.rows:
            break
    return shown


def _lines_of(number: int, score: float, most: int) -> int:
    """How many lines of a passage are shown: the likelier it answers, the more."""
    if number == 1:
        return max(LINES, most)
    wanted = GOOD_LINES if score >= GOOD_SCORE else LINES if score >= POOR_SCORE else 1
    return min(wanted, most)


def _with_each_context_once(results: list[Data]) -> list[Data]:
    """The results; a context that an earlier one shows is left out."""
    shown: set[Any] = set()
    found = []
    for result in results:
        context = result.get("context")
        found.append({**result, "context": None} if context in shown else result)
        shown.add(context)
    return found


def _count_rows(block: str, columns: int) -> int:
    """How many terminal rows a text takes; a long line takes several."""
    lines = _COLOURS.sub("", block).split("\n")
    return sum(max(1, -(-sum(map(cell_width, line)) // max(1, columns))) for line in lines)


def _warning(envelope: Data, ink: Ink) -> list[str]:
    error = envelope.get("error")
    if not error:
        return []
    sign = ink.paint(f"{ink.sign('▲')} {clean(envelope['status'])}", "yellow", "bold")
    message = f"{sign}  {ink.wrap(add_home_option(clean(error['message'])), 2)}"
    arrow, suggestion = (
        ink.paint(ink.sign("→"), "cyan"),
        add_home_option(clean(error["suggestion"])),
    )
    return [f"{message}\n  {arrow} {suggestion}"]


def _corrected_words(data: Data) -> list[str]:
    """The words that replaced those that no note contains."""
    return [str(word) for one in data.get("corrections") or [] for word in one["used"]]


def _interpretation(data: Data, ink: Ink) -> list[str]:
    """How the daemon interpreted the question, as one block of lines."""
    lines = []
    for one in data.get("corrections") or []:
        used = " or ".join(clean(word) for word in one["used"])
        lines.append(f'No note has the word "{clean(one["word"])}". Searched for: {used}.')
    understood = data.get("understood") or {}
    for name, text in (
        ("Understood", _format_time_phrases(understood.get("time"))),
        ("Filters", _format_filters(understood.get("filters"))),
    ):
        if text:
            lines.append(f"{name}: {text}.")
    return [ink.paint("\n".join(lines), "dim")] if lines else []


def _hint_lines(data: Data) -> list[str]:
    return [add_home_option(clean(line)) for line in str(data.get("hint") or "").splitlines()]


def _hint(data: Data, ink: Ink) -> list[str]:
    """Why results are missing, above those that were found."""
    lines = [ink.wrap(f"{ink.sign('▲')} {line}", 2) for line in _hint_lines(data)]
    return [ink.paint("\n".join(lines), "yellow")] if lines else []


def _nothing_found(data: Data, is_filtered: bool) -> str:
    lines = _hint_lines(data)
    if not lines:
        fewer = " or fewer filters" if is_filtered else ""
        return f"Nothing found. Try other words{fewer}."
    return "\n".join(["Nothing found.", *lines])


def _format_time_phrases(time: Data | None) -> str:
    """Each time phrase with its days."""
    phrases = []
    for phrase in (time or {}).get("phrases") or ():
        days = [
            f"until {d['to']}" if d["from"] is None else _format_days(d) for d in phrase["days"]
        ]
        each = " of every year" if phrase["every_year"] else ""
        phrases.append(clean(f'"{phrase["words"]}" means {", ".join(days)}{each}'))
    return "; ".join(phrases)


def _format_days(days: Data) -> str:
    return str(days["to"]) if days["from"] == days["to"] else f"{days['from']} to {days['to']}"


def _format_filters(value: Any) -> str:
    if isinstance(value, dict):
        parts = [
            f"{name} {_format_filters(one)}" for name, one in value.items() if _format_filters(one)
        ]
        return ", ".join(parts)
    if isinstance(value, list):
        return ", ".join(part for one in value if (part := _format_filters(one)))
    return clean(value) if value else ""


def _memory(memory: Data, ink: Ink) -> str:
    key, source = clean(memory["key"]), clean(memory["source"])
    value = " ".join(clean(memory["value"]).split())
    return f"Remembered: {ink.paint(key, 'bold')}  {ink.paint(source, 'cyan')}\n{INDENT}{value}"


def _expected(data: Data, ink: Ink) -> list[str]:
    """Where the expected note fell out, and what its best passage has."""
    note = data.get("expected")
    if not note:
        return []
    name = ink.paint(clean(note.get("path") or "The expected note"), "bold")
    lines = [ink.wrap(f"{name}: {add_home_option(clean(note['reason']))}", 2)]
    lines += [f"  {clean(path)}" for path in note.get("candidates") or ()]
    lines += [f"  {ink.paint(line, 'dim')}" for line in explanation_lines(note, ink)]
    if suggestion := note.get("suggestion"):
        lines.append(f"  {ink.paint(ink.sign('→'), 'cyan')} {add_home_option(clean(suggestion))}")
    return ["\n".join(lines)]


def _withheld(data: Data) -> str:
    what = counted(int(data["withheld"]), "sensitive passage")
    again = f"the same command with `--confirm {clean(data['confirm'])}`"
    return f"{what} withheld. To see what was withheld, type {again} within five minutes."


def _unindexed_warning(notes: int, ink: Ink, paused: Data | None) -> list[str]:
    """A warning if changed notes are not in the index yet."""
    if not notes:
        return []
    many = f"{counted(notes, 'new or changed note')} {'is' if notes == 1 else 'are'}"
    text = f"{ink.sign('▲')} {many} not in the index yet: search again in a moment."
    if paused is not None:
        until = format_until(str(paused["until"]))
        text = (
            f"{ink.sign('▲')} {many} not in the index: syncing is paused {until}. "
            f"{add_home_option('`ragctl pause resume` ends the pause.')}"
        )
    return [ink.paint(ink.wrap(text, 2), "yellow")]


def _read_on(results: list[Data]) -> str:
    """The command that shows the first note. Where code was left out, it shows the code as well."""
    with_code = next((one for one in results if _CODE_MARK.search(one["chunk_text"])), None)
    if with_code is results[0]:
        return f"Read on, with the code: {show_command(results[0])}"
    lines = [f"Read on: {show_command(results[0])}"]
    if with_code is not None:
        lines.append(f"With the code: {show_command(with_code)}")
    return "\n".join(lines)


def _suggestion(suggestion: Data, ink: Ink) -> str:
    words = [" ".join(clean(suggestion[name]).split()) for name in ("key", "value", "source")]
    ends = ["--"] if any(word.startswith("-") for word in words) else []
    typed = " ".join((f"{ragctl_command()} memory store", *ends, *map(quote_word, words)))
    return ink.paint(f"Worth remembering?\n{INDENT}{typed}", "dim")
