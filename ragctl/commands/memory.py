"""`ragctl memory`: what was told to be remembered, one more thing, and forgetting it for good."""

import argparse
from typing import Any
from urllib.parse import quote

from ragctl.arguments.vault_paths import within_vault
from ragctl.cli import add_json, one_of
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure, UsageError
from ragctl.views.render import Ink, ago, clean, clean_lines, counted, emit_bytes, print_notice
from ragd.errors import EXIT_NOTHING_FOUND, EXIT_OK
from ragd.paths import Home

EXAMPLES = (
    ("ragctl memory list", "every memory, newest first"),
    (
        "ragctl memory store debt_to_sreenivas 'I owe Sreenivas $70.' People/Sreenivas.md",
        "remember this; searches bring it back",
    ),
    ("ragctl memory forget debt_to_sreenivas", "erase one; exit 6 if there is none of that key"),
)
_ARGUMENTS = {"list": (), "store": ("KEY", "VALUE", "NOTE"), "forget": ("KEY",)}
_STORE = "/v1/tools/obsidian_rag_memory_store"
_COPY = (
    "The assistant may have a copy of its own (memory/obsidian-rag.md in its workspace): "
    "look there too."
)


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n" + "\n".join(
        (
            "  list                   what is remembered, and from which note",
            "  store KEY VALUE NOTE   remember this of that note, in place of what KEY named",
            "  forget KEY             erase a memory from every file of ragd's",
        )
    )
    parser.add_argument("action", metavar="ACTION", type=one_of(*_ARGUMENTS))
    for name in ("key", "value", "note"):
        parser.add_argument(name, metavar=name.upper(), nargs="?")


def run(args: argparse.Namespace) -> int:
    wanted = _ARGUMENTS[args.action]
    given = [word for word in (args.key, args.value, args.note) if word is not None]
    if len(given) != len(wanted) or "" in given:
        shape = " ".join(("ragctl memory", args.action, *wanted))
        raise UsageError(f"It should be `{shape}`.", "See `ragctl memory --help`.")
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
        print(f"{_described(memory, ink)}\n")
    print(f"{counted(len(memories), 'memory', 'memories')}.")
    return EXIT_OK


def _described(memory: dict[str, Any], ink: Ink) -> str:
    value = "\n".join(
        f"  {ink.wrap(line, 2)}" for line in clean_lines(memory["value"]).splitlines()
    )
    about = f"{clean(memory['source'])} {ink.sign('·')} {ago(memory['stored_at'])}"
    if memory.get("stale"):
        about += f" {ink.sign('·')} the note has changed or is gone since"
    return f"{ink.paint(clean(memory['key']), 'bold')}\n{value}\n  {ink.paint(about, 'dim')}"


def _store(home: Home, key: str, value: str, source: str, as_json: bool) -> int:
    body = {"key": key, "value": value, "source": within_vault(home, source)}
    answer = call_daemon(home, "POST", _STORE, body, start=True)
    try:
        stored = answer.data["key"]
    except Failure as refused:
        if "`source`" not in refused.message:
            raise
        raise Failure(
            f"{source} is no note of the vault.",
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
    # A dot is escaped as well: a key of dots only would be read as a step up.
    target = "/v1/memories/" + quote(key, safe="", errors="replace").replace(".", "%2E")
    answer = call_daemon(home, "DELETE", target, start=True)
    forgotten = answer.data["forgotten"]
    if as_json:
        emit_bytes(answer.body)
    elif forgotten:
        print(f"Forgotten: {clean(answer.data['key'])}")
    if forgotten:
        print_notice(_COPY)
        return EXIT_OK
    print_notice(f"There is no memory `{key}`.\n`ragctl memory list` shows what there is.")
    return EXIT_NOTHING_FOUND
