"""`ragctl mirror`: takes over an index from a machine that is gone, or shows the key for that.

`restore` writes to this home only. It changes nothing in the object store: the daemon that is
started afterwards takes over the writing.
"""

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragctl.cli import add_json, one_of
from ragctl.commands.init import resolve_vault
from ragctl.failure import Failure, UsageError
from ragctl.views.render import clean, counted, emit_json, print_text
from ragd.config import load as configuration
from ragd.config.store_settings import StoreOptions
from ragd.errors import EXIT_OK, RagdError
from ragd.objects import log_copy
from ragd.objects.address import parse_address
from ragd.objects.object_client import ObjectClient
from ragd.objects.sealed_bytes import WrongKey, parse_key, unseal
from ragd.paths import Home
from ragd.runtime.durable_files import private_directory, replace_file

EXAMPLES = (
    ("ragctl mirror key", "print the key of the memories in the copy; keep it elsewhere"),
    (
        "ragctl mirror restore s3://bucket/notes ~/Notes --key key.txt",
        "continue on this machine, from the copy in the object store",
    ),
)


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("action", metavar="ACTION", type=one_of("key", "restore"))
    parser.add_argument("address", metavar="ADDRESS", nargs="?", help="of the index")
    parser.add_argument("vault", metavar="VAULT", nargs="?", help="the vault's folder here")
    parser.add_argument("--key", metavar="FILE", help="a file with the key of the memories")
    parser.add_argument("--endpoint", metavar="URL", default="", help="where the object store is")
    parser.add_argument("--region", metavar="NAME", default="", help="the region of the bucket")


def run(args: argparse.Namespace) -> int:
    home: Home = args.home
    if args.action == "key":
        return _show_key(home, as_json=args.json)
    if args.address is None or args.vault is None:
        raise UsageError(
            "`restore` needs an address and a vault.", "See `ragctl mirror --help` for an example."
        )
    try:
        return _restore(home, args)
    except RagdError as why:
        raise Failure(why.message, why.suggestion) from None
    except log_copy.NoCopy:
        raise Failure(
            "There is no copy of a log at this address.",
            "It is made if `log.mirror` is true on the machine that writes the index.",
        ) from None


def _show_key(home: Home, *, as_json: bool) -> int:
    try:
        key = parse_key(Path(home.mirror_key).read_text("ascii"))
    except (OSError, ValueError):
        raise Failure(
            "This home has no key yet.",
            "It is made with the first copy: run `ragctl config set log.mirror true`, then `ragctl "
            "stop` and `ragctl start`.",
        ) from None
    if as_json:
        emit_json({"key": key.hex()})
    else:
        print(key.hex())
    return EXIT_OK


def _restore(home: Home, args: argparse.Namespace) -> int:
    if os.path.lexists(home.config) or any(map(os.path.lexists, _restored_names(home))):
        raise Failure(
            f"{home.root} is in use already.",
            "Choose an empty home: `ragctl --home FOLDER mirror restore …`.",
        )
    vault = resolve_vault(args.vault)
    allow_http = args.endpoint.lower().startswith("http://")
    store = StoreOptions(endpoint=args.endpoint, region=args.region, allow_http=allow_http)
    try:
        client = ObjectClient(parse_address(args.address), store)
    except ValueError:
        raise UsageError("The address should be one such as s3://bucket/prefix.") from None
    copy = log_copy.read_current(client)
    key = _read_key(args.key)
    prefix = f"{log_copy.FOLDER}/{copy.holder}"
    settings = _adapted_config(client, f"{prefix}/{log_copy.CONFIG}", copy, vault, args)
    configuration.check_folders(configuration.parse(settings, home.root), home.root)
    private_directory(Path(home.root))
    with _all_or_nothing(home) as partial:
        memories = _restore_memories(client, f"{prefix}/{log_copy.MEMORIES}", key, partial)
        files = log_copy.restore_log(client, copy, partial)
        replace_file(Path(partial.config), settings)
    result = {"config": home.config, "vault": vault, "files": files, "memories": memories}
    if args.json:
        emit_json(result)
        return EXIT_OK
    print(f"{counted(files, 'file')} of the log restored to {clean(home.root)}.")
    if not memories:
        print_text("Memories are not restored: give the key with `--key FILE`.")
    print_text(
        "Next: `ragctl start`. It writes the index as soon as the other machine has been silent "
        "for long enough."
    )
    return EXIT_OK


def _restored_names(home: Home) -> list[str]:
    """What a copy may have, besides the configuration."""
    memories = [home.memories, f"{home.memories}-wal", home.memory_secret, home.agent_notes]
    return [home.events, home.snapshots, home.mirror_key, *memories]


@contextmanager
def _all_or_nothing(home: Home) -> Iterator[Home]:
    """A home to write to. If the block succeeds, its files move to `home`, the configuration last;
    else nothing is left of them, so that the same command can be run again."""
    folder = Path(tempfile.mkdtemp(prefix=".restoring-", dir=home.root))
    moved: list[Path] = []
    try:
        yield Home(str(folder))
        for path in sorted(folder.iterdir(), key=lambda one: one.name == "config.json"):
            target = Path(home.root) / path.name
            path.rename(target)
            moved.append(target)
    except BaseException:
        for path in moved:
            path.rename(folder / path.name)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read_key(path: str | None) -> bytes | None:
    if path is None:
        return None
    try:
        return parse_key(Path(path).read_text("ascii"))
    except (OSError, ValueError):
        raise Failure(f"{path} has no key.", "`ragctl mirror key` prints one.") from None


def _restore_memories(client: ObjectClient, name: str, key: bytes | None, home: Home) -> bool:
    if key is None:
        return False
    found = client.get(name)
    if found is None:
        return False
    try:
        log_copy.unpack_memories(home, unseal(found.data, key))
    except WrongKey:
        raise Failure(
            "The key is not the one of this copy: nothing was restored.",
            "Use the key that `ragctl mirror key` printed on the other machine.",
        ) from None
    replace_file(Path(home.mirror_key), key.hex().encode() + b"\n")
    return True


def _adapted_config(
    client: ObjectClient,
    name: str,
    copy: log_copy.CurrentCopy,
    vault: str,
    args: argparse.Namespace,
) -> bytes:
    """The other machine's settings, with this machine's vault."""
    found = client.get(name)
    tree = json.loads(found.data) if found is not None else {}
    store = dict(tree.get("vector_store", {}))
    store |= {"path": args.address, "vault": copy.vault}
    if args.endpoint or args.region:
        store["options"] = dict(store.get("options", {})) | {
            name: value
            for name, value in {
                "endpoint": args.endpoint,
                "region": args.region,
                "allow_http": args.endpoint.lower().startswith("http://"),
            }.items()
            if value
        }
    tree |= {"vault_path": vault, "vector_store": store}
    return configuration.to_json(tree)
