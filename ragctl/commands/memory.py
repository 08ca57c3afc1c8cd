"""`ragctl memory`: what assistants remember, stored facts and their own notes.

It lists and searches them, adds one, or erases one for good. An agent's note has a path such as
`@memory/main/MEMORY.md`.
"""

import argparse
import os
import sys
from typing import Any
from urllib.parse import quote

from ragctl.arguments.vault_paths import relative_to_vault
from ragctl.cli import add_json, one_of, require_arguments
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure
from ragctl.views.excerpts import Highlighter
from ragctl.views.passages import render_passage
from ragctl.views.render import (
    Ink,
    ago,
    clean,
    clean_lines,
    counted,
    emit_bytes,
    emit_json,
    print_notice,
    print_text,
)
from ragd.errors import EXIT_NOTHING_FOUND, EXIT_OK
from ragd.paths import Home
from ragd.protocol.asker import OWNERS_AGENT

EXAMPLES = (
    ("ragctl memory list", "every memory, newest first"),
    (
        "ragctl memory store debt_to_sreenivas 'I owe Sreenivas $70.' People/Sreenivas.md",
        "remember this; searches return it",
    ),
    ("ragctl memory forget debt_to_sreenivas", "erase it; exit 6 if there is no such key"),
    ("ragctl memory search 'Which tea?'", "stored facts, and what agents wrote for themselves"),
    ("ragctl memory forget @memory/main/MEMORY.md", "erase an agent's note and its versions"),
)
_ARGUMENTS = {
    "list": (),
    "search": ("QUESTION",),
    "store": ("KEY", "VALUE", "NOTE"),
    "write": ("NOTE", "TEXT"),
    "earlier": ("NOTE",),
    "forget": ("KEY-OR-NOTE",),
}
_TOOLS = "/v1/tools/obsidian_rag_memory_"
_AGENTS = "@memory/"
_STORE = "/v1/tools/obsidian_rag_memory_store"
_COPY_NOTICE = (
    "The assistant may have its own copy (memory/obsidian-rag.md in its workspace): "
    "check there too."
)


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n" + "\n".join(
        (
            "  list                   show all memories, each with its note",
            "  search QUESTION        find memories, and notes that agents wrote for themselves",
            "  store KEY VALUE NOTE   remember VALUE, from NOTE; replaces an earlier KEY",
            "  write NOTE TEXT        write an agent's note; `-` reads the text from stdin",
            "  earlier NOTE           show the earlier contents of an agent's note",
            "  forget KEY-OR-NOTE     erase a memory or an agent's note from all of ragd's files",
        )
    )
    parser.add_argument("--append", action="store_true", help="with write: add it at the end")
    parser.add_argument("action", metavar="ACTION", type=one_of(*_ARGUMENTS))
    for name in ("key", "value", "note"):
        parser.add_argument(name, metavar=name.upper(), nargs="?")


def run(args: argparse.Namespace) -> int:
    given = [word for word in (args.key, args.value, args.note) if word]
    require_arguments("memory", args.action, _ARGUMENTS[args.action], given)
    match args.action:
        case "list":
            return _list(args.home, args.json)
        case "search":
            return _search(args.home, args.key, args.json)
        case "store":
            return _store(args.home, args.key, args.value, args.note, args.json)
        case "write":
            return _write(args.home, args.key, args.value, args.append, args.json)
        case "earlier":
            return _earlier(args.home, args.key, args.json)
        case _ if args.key.startswith(_AGENTS):
            return _forget_note(args.home, args.key, args.json)
        case _:
            return _forget(args.home, args.key, args.json)


def _list(home: Home, as_json: bool) -> int:
    answer = call_daemon(home, "GET", "/v1/memories", start=True)
    memories = answer.data["memories"]
    if as_json:
        emit_bytes(answer.body)
        return EXIT_OK
    ink = Ink()
    for memory in memories:
        print(f"{_format_memory(memory, ink)}\n")
    print(f"{counted(len(memories), 'memory', 'memories')}.")
    return EXIT_OK


def _format_memory(memory: dict[str, Any], ink: Ink) -> str:
    value = "\n".join(
        f"  {ink.wrap(line, 2)}" for line in clean_lines(memory["value"]).splitlines()
    )
    about = f"{clean(memory['source'])} {ink.sign('·')} {ago(memory['stored_at'])}"
    if memory.get("stale"):
        about += f" {ink.sign('·')} the note has since changed or been removed"
    return f"{ink.paint(clean(memory['key']), 'bold')}\n{value}\n  {ink.paint(about, 'dim')}"


def _store(home: Home, key: str, value: str, source: str, as_json: bool) -> int:
    body = {"key": key, "value": value, "source": relative_to_vault(home, source)}
    answer = call_daemon(home, "POST", _STORE, body, start=True)
    try:
        stored = answer.data["key"]
    except Failure as refused:
        if "`source`" not in refused.message:
            raise
        raise Failure(
            f"{source} is not a note in the vault.",
            "Give its path inside the vault, as `ragctl search` shows it.",
            refused.exit_code,
            code=refused.code,
        ) from None
    if as_json:
        emit_bytes(answer.body)
    else:
        print(f"Remembered: {clean(stored)}")
    return EXIT_OK


def _forget(home: Home, key: str, as_json: bool) -> int:
    # Dots are escaped too: a key of only dots would be read as a parent folder.
    target = "/v1/memories/" + quote(key, safe="", errors="replace").replace(".", "%2E")
    answer = call_daemon(home, "DELETE", target, start=True)
    forgotten = answer.data["forgotten"]
    if as_json:
        emit_bytes(answer.body)
    elif forgotten:
        print(f"Forgotten: {clean(answer.data['key'])}")
    if forgotten:
        print_notice(_COPY_NOTICE)
        return EXIT_OK
    print_notice(f"There is no memory `{key}`.\n`ragctl memory list` shows all memories.")
    return EXIT_NOTHING_FOUND


# Agents' notes


def _search(home: Home, question: str, as_json: bool) -> int:
    answer = call_daemon(home, "POST", f"{_TOOLS}search", {"query": question}, start=True)
    data = answer.data
    if as_json:
        emit_bytes(answer.body)
    else:
        ink, highlighter = Ink(), Highlighter(question)
        blocks = [_format_memory(memory, ink) for memory in data["memories"]]
        for number, note in enumerate(data["notes"], 1):
            if "chunk_text" in note:
                blocks.append(render_passage(number, note, highlighter, ink))
            else:  # without a question, the newest notes are listed
                blocks.append(clean(note["source_file"]))
        print_text("\n\n".join(blocks) or "Nothing found.")
    return EXIT_OK if data["memories"] or data["notes"] else EXIT_NOTHING_FOUND


def _write(home: Home, path: str, text: str, append: bool, as_json: bool) -> int:
    text = sys.stdin.read() if text == "-" else text
    body = {"path": path, "text": text, "append": append}
    answer = call_daemon(home, "POST", f"{_TOOLS}write", body, start=True)
    written = answer.data["path"]
    if as_json:
        emit_bytes(answer.body)
    else:
        print(f"Written: {clean(written)}")
    return EXIT_OK


def _forget_note(home: Home, path: str, as_json: bool) -> int:
    answer = call_daemon(home, "POST", f"{_TOOLS}forget", {"path": path}, start=True)
    forgotten = answer.data["forgotten"]
    if as_json:
        emit_bytes(answer.body)
    elif forgotten:
        print(f"Forgotten: {clean(answer.data['path'])}")
    if forgotten:
        if answer.data["searchable"]:
            print_notice("It leaves the index in a moment.")
        return EXIT_OK
    print_notice(f"There is no note {clean(path)}.")
    return EXIT_NOTHING_FOUND


def _earlier(home: Home, path: str, as_json: bool) -> int:
    """Read from the disk: the files are the user's own, and no daemon is needed."""
    named = path.removeprefix(_AGENTS) if path.startswith(_AGENTS) else f"{OWNERS_AGENT}/{path}"
    inner = os.path.normpath(named).split(os.sep)
    folder = os.path.join(home.agent_note_versions, *inner)
    names = [] if ".." in inner else _version_names(folder)
    if not names:
        print_notice(f"There are no earlier contents of {clean(path)}.")
        return EXIT_NOTHING_FOUND
    found = []
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            found.append({"version": int(name.removesuffix(".md")), "text": file.read()})
    if as_json:
        emit_json({"path": path, "earlier": found})
        return EXIT_OK
    ink = Ink()
    for one in found:
        head = ink.paint(f"version {one['version']}", "bold")
        print_text(f"{head}\n{clean_lines(str(one['text']))}\n")
    return EXIT_OK


def _version_names(folder: str) -> list[str]:
    """The files in it, newest first. A folder of notes has only folders."""
    try:
        with os.scandir(folder) as entries:
            return sorted(
                (
                    one.name
                    for one in entries
                    if one.is_file() and one.name.removesuffix(".md").isdecimal()
                ),
                reverse=True,
            )
    except OSError:
        return []
