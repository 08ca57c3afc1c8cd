"""`ragctl memory`: lists memories, stores one, or erases one for good."""

import argparse
from typing import Any
from urllib.parse import quote

from ragctl.arguments.vault_paths import relative_to_vault
from ragctl.cli import add_json, one_of, require_arguments
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure
from ragctl.views.render import Ink, ago, clean, clean_lines, counted, emit_bytes, print_notice
from ragd.errors import EXIT_NOTHING_FOUND, EXIT_OK
from ragd.paths import Home

EXAMPLES = (
    ("ragctl memory list", "every memory, newest first"),
    (
        "ragctl memory store debt_to_sreenivas 'I owe Sreenivas $70.' People/Sreenivas.md",
        "remember this; searches return it",
    ),
    ("ragctl memory forget debt_to_sreenivas", "erase it; exit 6 if there is no such key"),
)
_ARGUMENTS = {"list": (), "store": ("KEY", "VALUE", "NOTE"), "forget": ("KEY",)}
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
            "  store KEY VALUE NOTE   remember VALUE, from NOTE; replaces an earlier KEY",
            "  forget KEY             erase a memory from all of ragd's files",
        )
    )
    parser.add_argument("action", metavar="ACTION", type=one_of(*_ARGUMENTS))
    for name in ("key", "value", "note"):
        parser.add_argument(name, metavar=name.upper(), nargs="?")


def run(args: argparse.Namespace) -> int:
    given = [word for word in (args.key, args.value, args.note) if word]
    require_arguments("memory", args.action, _ARGUMENTS[args.action], given)
    match args.action:
        case "list":
            return _list(args.home, args.json)
        case "store":
            return _store(args.home, args.key, args.value, args.note, args.json)
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
