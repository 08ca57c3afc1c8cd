"""The daemon's status as text: health first, then reasons and what to do, then details.

It makes no request.
"""

import json
from typing import Any

from ragctl.views.render import (
    Ink,
    add_home_option,
    ago,
    clean,
    counted,
    format_duration,
    format_elapsed,
    format_table,
    format_until,
    local_time,
    since,
)
from ragd import __version__
from ragd.errors import DEGRADED, HEALTHY, UNAVAILABLE
from ragd.protocol.kind_names import OPTIONAL_KINDS, counts_phrase

_LISTED_MAX = 3
_REASONS_MAX = 5
_VERDICTS = {
    HEALTHY: ("●", "green", "Everything works."),
    DEGRADED: ("▲", "yellow", "Searches work, with limits."),
    UNAVAILABLE: ("✗", "red", "Searches do not work."),
}


def render_status(data: dict[str, Any], ink: Ink) -> str:
    """The whole answer, for a person."""
    blocks = [_verdict(data, ink), *_paused(data.get("paused"), ink)]
    blocks += _needs_restart(data.get("needs_restart"), ink)
    blocks += _config_refused(data.get("config_refused"), ink)
    blocks += [_reason(reason, ink) for reason in data.get("reasons", [])]
    blocks.append(format_table(_details(data, ink), ink))
    return "\n\n".join(blocks)


def _verdict(data: dict[str, Any], ink: Ink) -> str:
    state = str(data.get("plugin_health"))
    sign, colour, sentence = _VERDICTS.get(state, ("▲", "yellow", ""))
    if state == HEALTHY:
        sign, colour, sentence = _healthy_verdict(data)
    head = f"{ink.sign(sign)} {clean(state)}"
    text = ink.wrap(f"{head}  {sentence}".rstrip(), 2)
    return ink.paint(text[: len(head)], colour, "bold") + text[len(head) :]


def _healthy_verdict(data: dict[str, Any]) -> tuple[str, str, str]:
    """Sign, colour and sentence for a healthy daemon, which may still have something to report."""
    sign, colour, sentence = _VERDICTS[HEALTHY]
    if data.get("config_refused"):
        return "▲", "yellow", "Searches work, but config.json is invalid: see below."
    if data.get("needs_restart"):
        return sign, colour, "Searches work; changed settings need a restart."
    if data.get("paused"):
        return sign, colour, "Searches work; syncing is paused."
    if data.get("chunks_pending"):
        return sign, colour, "Everything works; vectors are still being made."
    return sign, colour, sentence


def _paused(paused: dict[str, Any] | None, ink: Ink) -> list[str]:
    if not paused:
        return []
    until = format_until(paused["until"])
    text = f"Syncing is paused {until}: changes are noticed but not indexed."
    arrow = ink.paint(ink.sign("→"), "cyan")
    fix = add_home_option("`ragctl pause resume` ends the pause.")
    return [f"  {ink.wrap(text, 2)}\n  {arrow} {fix}"]


def _needs_restart(keys: list[str] | None, ink: Ink) -> list[str]:
    if not keys:
        return []
    text = f"These changed settings need a restart: {clean(', '.join(keys))}."
    arrow = ink.paint(ink.sign("→"), "cyan")
    fix = add_home_option("Run `ragctl stop`, then `ragctl start`.")
    return [f"  {ink.wrap(text, 2)}\n  {arrow} {fix}"]


def _config_refused(why: str | None, ink: Ink) -> list[str]:
    if not why:
        return []
    text = f"config.json was changed and is invalid; the previous settings apply. {clean(why)}"
    arrow = ink.paint(ink.sign("→"), "cyan")
    fix = add_home_option("Correct it; `ragctl config validate` checks it.")
    return [f"  {ink.wrap(add_home_option(text), 2)}\n  {arrow} {ink.wrap(fix, 4)}"]


def _reason(reason: dict[str, Any], ink: Ink) -> str:
    colour = "red" if reason.get("state") == UNAVAILABLE else "yellow"
    code = clean(reason.get("code"))
    head = ink.wrap(f"{code}  {since(reason['since'])}" if reason.get("since") else code, 2)
    message, suggestion = (
        add_home_option(clean(reason.get(key))) for key in ("message", "suggestion")
    )
    return "\n".join(
        [
            f"  {ink.paint(code, colour)}{ink.paint(head[len(code) :], 'dim')}",
            f"  {ink.wrap(message, 2)}",
            f"  {ink.paint(ink.sign('→'), 'cyan')} {ink.wrap(suggestion, 4)}",
        ]
    )


def _details(data: dict[str, Any], ink: Ink) -> list[tuple[str, str]]:
    crashed = [a for a in data.get("actors", []) if a.get("crashes") or a["state"] != "running"]
    return [
        ("vault", _vault(data, ink)),
        *_collections(data.get("collections") or [], ink),
        *(("left out", line) for line in _templates(data.get("vault") or {})),
        *(("left out", line) for line in not_included(data.get("not_included") or {})),
        ("notes", _notes(data)),
        *_kinds(data.get("kinds") or {}),
        *(("", line) for line in being_read(data.get("documents_waiting") or {})),
        *_files("skipped", data.get("skipped")),
        *_files("failed", data.get("failed")),
        ("index", _index(data, ink)),
        *_code(data),
        ("", _new_index(data.get("building"), data.get("active_job"))),
        ("provider", _provider(data, ink)),
        *_passed_over(data),
        *_language_hint(data),
        ("last sync", ago(data["last_sync"]) if data.get("last_sync") else "never"),
        ("job", _job(data)),
        *(("actor", _actor(actor)) for actor in crashed),
        ("log", _log(data.get("log") or {})),
        ("daemon", _daemon(data, ink)),
    ]


def _vault(data: dict[str, Any], ink: Ink) -> str:
    vault = data.get("vault") or {}
    path = clean(vault.get("path", ""))
    if vault.get("found") is False:
        return f"{path}  {ink.paint('missing or not readable', 'red')}"
    if any(reason.get("code") == "VAULT_NOT_RESPONDING" for reason in data.get("reasons") or ()):
        return f"{path}  {ink.paint('does not respond', 'red')}"
    if not vault.get("found"):
        return f"{path}  (not checked yet)"
    if vault.get("watch") == "polling":
        return f"{path}  (checked every few seconds: the system cannot watch it)"
    return path


def _collections(collections: list[dict[str, Any]], ink: Ink) -> list[tuple[str, str]]:
    """One line for each collection; nothing if there is only the vault."""
    if len(collections) < 2:
        return []
    from ragctl.views.collections import describe_collection

    dot = f" {ink.sign('·')} "
    return [
        (
            "vault has" if one["name"] == "vault" else f"@{clean(one['name'])}",
            dot.join(describe_collection(one, ink)),
        )
        for one in collections
    ]


def _templates(vault: dict[str, Any]) -> list[str]:
    """Each template folder that is not indexed; the last line has the command that indexes them."""
    lines = [
        f"{clean(one['path'])}, a template folder with {counted(one['notes'], 'note')}"
        for one in vault.get("templates") or []
    ]
    if lines:
        lines[-1] += add_home_option("; `ragctl config set indexing.templates index` indexes them")
    return lines


def _notes(data: dict[str, Any]) -> str:
    chunks, embedded = data.get("total_chunks", 0), data.get("chunks_embedded", 0)
    what = "file" if len(data.get("kinds") or {}) > 1 else "note"
    text = f"{counted(data.get('total_docs', 0), what)}, {counted(chunks, 'passage')}"
    withheld = data.get("chunks_withheld", 0)
    if embedded + withheld < chunks and not _makes_vectors(data.get("active_job")):
        text += f", {chunks - embedded - withheld:,} of them without a vector yet"
    if withheld:
        text += f", {withheld:,} kept without a vector as sensitive"
    if data.get("unindexed_files"):
        text += f"; {counted(data['unindexed_files'], 'file')} waiting"
    return text


def _kinds(kinds: dict[str, int]) -> list[tuple[str, str]]:
    """How many files of each kind the index has, if there are several kinds."""
    return [("", clean(counts_phrase(kinds.items())))] if len(kinds) > 1 else []


def being_read(waiting: dict[str, int]) -> list[str]:
    """That documents are still being read; notes do not wait for them."""
    if not waiting:
        return []
    verb = "is" if sum(waiting.values()) == 1 else "are"
    return [f"{clean(counts_phrase(waiting.items()))} {verb} still being read"]


def not_included(data: dict[str, Any]) -> list[str]:
    """The files of known kinds that no pattern includes, and the command that includes them."""
    found: dict[bool, dict[str, int]] = {True: {}, False: {}}
    for kind, files in (data.get("kinds") or {}).items():
        found[kind in OPTIONAL_KINDS][kind] = files
    lines = []
    if kinds := found[False]:
        value = clean(json.dumps(data.get("patterns"), ensure_ascii=False))
        command = f"`ragctl config set indexing.file_patterns '{value}'`"
        lines.append(add_home_option(f"{_not_read(kinds)}; {command} includes them"))
    if kinds := found[True]:
        lines.append(
            f"{_not_read(kinds)}: indexing.file_patterns has no pattern for such files, as '*.png' "
            "(to read their text: `pipx inject ragd rapidocr==3.10.0`, or in a clone "
            "`pip install '.[ocr]'`)"
        )
    return lines


def _not_read(kinds: dict[str, int]) -> str:
    verb = "is" if sum(kinds.values()) == 1 else "are"
    return f"{clean(counts_phrase(kinds.items()))} {verb} not read"


def _files(name: str, listed: dict[str, Any] | None) -> list[tuple[str, str]]:
    """How many files are not in the index, for each reason, and the first few of them."""
    if not listed or not listed.get("total"):
        return []
    reasons = listed.get("reasons") or {}
    lines = [counted(listed["total"], "file")]
    if len(reasons) > 1:
        lines += [f"{count:,}: {clean(why)}" for why, count in list(reasons.items())[:_REASONS_MAX]]
    files = listed.get("files", [])[:_LISTED_MAX]
    lines += [f"{clean(f['path'])} ({clean(f.get('reason') or f.get('code'))})" for f in files]
    more = listed["total"] - len(files)
    if more:
        lines.append(f"and {more:,} more (--json lists them)")
    return [(name if i == 0 else "", line) for i, line in enumerate(lines)]


def _index(data: dict[str, Any], ink: Ink) -> str:
    index = data.get("index")
    if not index:
        return "none yet"
    language = f"{clean(index['language'])}, " if index.get("language") else ""
    space = f"{language}{index['dimensions']} dimensions, {clean(index['provider'])}"
    generation = f"{ink.sign('·')} generation {clean(index['generation'])}"
    return f"{clean(index['model'])} ({space}) {generation}"


def _code(data: dict[str, Any]) -> list[tuple[str, str]]:
    """Whether code blocks are in the index, and what a reindex would change."""
    index = data.get("index") or {}
    if not index.get("code_blocks"):
        return []
    shown = "indexed" if index["code_blocks"] == "keep" else "left out of passages"
    percent = (data.get("vault") or {}).get("code_percent")
    sample = f" ({percent} % of the text of a sample of notes)" if percent is not None else ""
    lines = [("code", f"{shown}{sample}")]
    if hint := index.get("code_hint"):
        lines.append(("", clean(add_home_option(f"{hint['message']} {hint['suggestion']}"))))
    return lines


def _new_index(new: dict[str, Any] | None, job: dict[str, Any] | None) -> str:
    """The progress of the index that will replace the current one."""
    if not new:
        return ""
    text = f"new index being built: {counted(new['total_chunks'], 'passage')}"
    return text if _makes_vectors(job) else f"{text}, {new['chunks_embedded']:,} with a vector"


def _makes_vectors(job: dict[str, Any] | None) -> bool:
    """Whether the row of the job counts the vectors. It also counts those that are not stored yet,
    so another row with the stored ones would contradict it."""
    return job is not None and job.get("phase") == "vectors"


def _provider(data: dict[str, Any], ink: Ink) -> str:
    ollama = clean(data.get("ollama_status", "unknown"))
    if ollama == "down" and (data.get("index") or {}).get("provider") == "embedded":
        ollama = "down (not needed)"
    return f"{clean(data.get('provider', ''))} {ink.sign('·')} Ollama {ollama}"


def _language_hint(data: dict[str, Any]) -> list[tuple[str, str]]:
    """That another embedded model fits the notes better, and the command for it."""
    hint = (data.get("index") or {}).get("language_hint")
    return (
        [("", clean(hint["message"])), ("", clean(add_home_option(hint["suggestion"])))]
        if hint
        else []
    )


def _passed_over(data: dict[str, Any]) -> list[tuple[str, str]]:
    """Why the index uses the embedded model and not Ollama."""
    why = (data.get("index") or {}).get("passed_over")
    if not why:
        return []
    lines = [("", clean(why["message"]))]
    if why["code"] != "OLLAMA_UNREACHABLE":  # many users do not want Ollama
        lines.append(("", clean(why["suggestion"])))
    return lines


def _job(data: dict[str, Any]) -> str:
    job = data.get("active_job")
    if job:
        return _running_job(job, data.get("time_left"))
    last = data.get("last_job")
    if not last:
        return "none yet"
    last_one = f"the last ({clean(last['mode'])}) was {clean(last.get('outcome'))}"
    return f"none; {last_one}, {ago(last['finished_at'])}{_durations(last)}"


def _running_job(job: dict[str, Any], left: str | None) -> str:
    """`left`: the estimated time left; only --watch has one."""
    phase, share = str(job.get("phase", "")), f"{float(job.get('progress') or 0):.0%}"
    if phase == "vectors":
        counts = f"{job.get('current', 0):,} of {counted(job.get('total', 0), 'vector')}"
        share = f"{share} ({counts}){f', about {left} left' if left else ''}"
        phase = "making vectors"
    return f"{clean(job['mode'])} {clean(phase)}, {share} ({clean(job['id'])})"


def _durations(last: dict[str, Any]) -> str:
    """How long the job's text and vectors took."""
    text, total = last.get("text_ms"), last.get("duration_ms", 0)
    if text is None or not total:
        return ""
    if total == text:
        return f"; it took {format_elapsed(total / 1000)}"
    return f"; text took {format_elapsed(text / 1000)}, with vectors {format_elapsed(total / 1000)}"


def _actor(actor: dict[str, Any]) -> str:
    text = f"{clean(actor['name'])} {clean(actor['state'])}"
    crash = actor.get("last_crash")
    if not crash:
        return text
    where = f"{clean(crash['exception'])} at {clean(crash['location'])}"
    return f"{text}, {counted(actor['crashes'], 'crash', 'crashes')}; {where}, {ago(crash['at'])}"


def _log(log: dict[str, Any]) -> str:
    text = f"{counted(log.get('seq', 0), 'fact')}"
    if log.get("oldest_seq", 1) > 1:
        text += f", kept from {log['oldest_seq']:,} on"
    if log.get("unknown_events"):
        text += f", {log['unknown_events']:,} of a type unknown to this version"
    if log.get("full_since"):
        text += f"; disk full since {local_time(log['full_since'])}"
    return text


def _daemon(data: dict[str, Any], ink: Ink) -> str:
    dot = ink.sign("·")
    up, version = format_duration(data.get("uptime_s", 0)), clean(data.get("version"))
    if version != __version__:
        version += f" (ragctl is {__version__})"
    return f"pid {data.get('pid')} {dot} version {version} {dot} up {up}"
