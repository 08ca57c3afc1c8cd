"""Reads and checks config.json: from its bytes to a valid Config.

It never guesses: an unknown key, a wrong type or an unsafe combination is a ConfigError, and the
daemon does not start. Only `check_folders`, `read_written`, `read` and `load` use the disk; they
write nothing.
"""

# Paths are strings here, as in paths.py: pathlib cannot remove `..` without the disk.
# ruff: noqa: PTH100, PTH111, PTH118, PTH120

import hashlib
import ipaddress
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping

import msgspec

from ragd.config.collection_rules import check_roots, collection_conflicts
from ragd.config.implicit_collections import add_implicit_collections
from ragd.config.schema import SCHEMA_KEY, Config, SchemaAddress
from ragd.config.store_rules import store_conflicts
from ragd.config.validation import (
    JsonObject,
    as_json_value,
    find_problems,
    printable,
    raise_problems,
    read_object,
    without_metadata,
)
from ragd.errors import ConfigError
from ragd.objects.address import is_object_address, parse_address
from ragd.paths import Home, lies_in

__all__ = [
    "MAX_BYTES",
    "Config",
    "check_folders",
    "effective",
    "fingerprint",
    "is_address_external",
    "is_external",
    "load",
    "parse",
    "read",
    "read_written",
    "to_json",
    "vault_id",
]

MAX_BYTES = 1024 * 1024
_EDIT = "Use `ragctl config set KEY VALUE` or `ragctl config unset KEY`, or edit config.json."
_SHAPE = msgspec.inspect.type_info(Config)
_SCHEMA_ADDRESS = msgspec.inspect.type_info(SchemaAddress)
_ADDRESS = re.compile(
    r"https?://"
    r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?:/[a-z0-9._~!$&'()*+,;=:%/-]*)?",
    # ASCII: otherwise IGNORECASE lets a long s (U+017F) pass for an s.
    re.IGNORECASE | re.ASCII,
)


def parse(raw: bytes, folder: str) -> Config:
    """The configuration in `raw`. Relative paths start at `folder`, where config.json is."""
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"The configuration is larger than {MAX_BYTES // 1024} KiB.", _EDIT)
    tree = read_object(raw)
    if SCHEMA_KEY in tree:
        raise_problems(find_problems(_SCHEMA_ADDRESS, tree.pop(SCHEMA_KEY), SCHEMA_KEY), _EDIT)
    raise_problems(find_problems(_SHAPE, tree), _EDIT)
    try:
        config = msgspec.convert(tree, Config)
    except msgspec.ValidationError as unforeseen:  # `find_problems` should have found it
        raise ConfigError(f"The configuration is refused: {unforeseen}.", _EDIT) from None
    raise_problems(_conflicts(config), _EDIT)
    return _resolved(config, os.path.abspath(folder))


def to_json(tree: Mapping[str, object]) -> bytes:
    """config.json for people: two spaces, keys in the order of the reference page."""
    try:
        text = json.dumps(_ordered(_SHAPE, tree), indent=2, ensure_ascii=False, allow_nan=False)
        return f"{text}\n".encode()
    except ValueError:  # JSON has no lone surrogates and no NaN
        raise ConfigError("A value cannot be written as JSON in UTF-8.", _EDIT) from None


def effective(config: Config) -> JsonObject:
    """All values, defaults included, as JSON values."""
    values = as_json_value(msgspec.to_builtins(config))
    assert isinstance(values, dict)
    return values


def fingerprint(config: Config) -> str:
    """Twelve hex digits, the same for the same settings, however they are written."""
    canonical = json.dumps(effective(config), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def vault_id(config: Config) -> str:
    """The vault's id in the identity of an index. The path cannot be derived from it."""
    if config.vector_store.vault:
        return config.vector_store.vault
    return hashlib.sha256(os.fsencode(config.vault_path)).hexdigest()[:16]


def is_external(config: Config) -> bool:
    """True if embedding sends text to another machine."""
    return config.embedding.provider != "embedded" and is_address_external(config)


def is_address_external(config: Config) -> bool:
    """True if Ollama's address is another machine, even if Ollama is not configured: an index made
    with it still needs its vectors."""
    host = _host(config.embedding.base_url)
    return not (host and _is_loopback(host))


def check_folders(
    config: Config, home_root: str, lies_in: Callable[[str, str], bool] = lies_in
) -> None:
    """Refuse folders that overlap: ragd must not index its own files, nor write among notes."""
    home, vault, vectors = Home(home_root), config.vault_path, config.vector_store.path
    if is_object_address(vectors):
        vectors = home.vectors
    own = [home.events, home.snapshots, os.path.dirname(home.log_file)]
    if lies_in(home.root, vault):
        raise ConfigError(
            f"ragd's own folder {home.root} is inside the vault {vault}.",
            "Choose another folder with --home or OBSIDIAN_RAG_HOME, or another `vault_path`.",
        )
    if lies_in(vectors, vault):
        raise ConfigError(
            "`vector_store.path` is inside the vault.", "Leave it out, or choose another folder."
        )
    if any(lies_in(vault, place) for place in (*own, home.vectors, vectors)):
        raise ConfigError(
            f"`vault_path` is inside a folder that ragd writes: {vault}.",
            "Correct it with `ragctl config set vault_path PATH`.",
        )
    files = (home.config, home.lock, home.sync_result)
    if lies_in(home.root, vectors) or any(lies_in(vectors, place) for place in (*own, *files)):
        raise ConfigError(
            "`vector_store.path` is used for other files of ragd.",
            "Leave it out, or choose a folder of its own.",
        )
    check_roots(config, home.root, lies_in)


def load(home: Home) -> Config:
    """The configuration of `home`. A missing vault is not an error here, but a health reason."""
    config = read(home)
    check_folders(config, home.root)
    return config


def read(home: Home) -> Config:
    """The same without checking the folders that it names: one of them may hang.

    It has a collection for each agent whose folder exists. Their parent may hang, too.
    """
    return add_implicit_collections(read_written(home), home)


def read_written(home: Home) -> Config:
    """The configuration as it is in the file, without the collections that ragd adds itself."""
    try:
        return parse(_read(home.config), home.root)
    except FileNotFoundError:
        raise ConfigError(
            f"No configuration at {home.config}.", "Run `ragctl init PATH-TO-YOUR-VAULT`."
        ) from None
    except OSError as failure:
        raise ConfigError(
            f"{home.config} cannot be read: {failure.strerror}.", "Check its owner and its mode."
        ) from None
    except ConfigError as refused:
        raise ConfigError(f"{home.config}: {refused.message}", refused.suggestion) from None


def _conflicts(config: Config) -> Iterator[str]:
    """A sentence for each broken rule about several keys, or about the content of a text."""
    yield from _address_conflicts(config)
    if config.indexing.chunk_overlap >= config.indexing.chunk_size:
        yield "`indexing.chunk_overlap` must be smaller than `indexing.chunk_size`."
    if config.search.vector_weight == config.search.text_weight == 0:
        yield "`search.vector_weight` and `search.text_weight` must not both be 0."
    for name in ("deny_dirs", "allow_dirs"):
        for place, directory in enumerate(getattr(config.indexing, name)):
            if _escapes(directory):
                yield (
                    f"`indexing.{name}[{place}]` should be a folder inside the vault, "
                    "relative to it, without `..`."
                )
    for key, path in (
        ("vault_path", config.vault_path),
        ("vector_store.path", config.vector_store.path),
        ("sessions.path", config.sessions.path),
    ):
        if os.path.expanduser(path).startswith("~"):
            yield f"`{key}` starts with `~`, but that user does not exist; write the whole path."
    yield from store_conflicts(config, _host, _is_loopback)
    yield from collection_conflicts(config, _escapes)


def _address_conflicts(config: Config) -> Iterator[str]:
    """Never repeats the address: it may contain a password. Only the host is safe to show."""
    url, key = config.embedding.base_url, "`embedding.base_url`"
    host = _host(url)
    if "@" in url:
        yield f"{key} must not contain a user name or a password."
    elif "?" in url or "#" in url:
        yield f"{key} must not contain a query or a fragment (`?` or `#`)."
    elif host is None:
        yield f"{key} should be a plain address such as http://localhost:11434."
    elif _is_loopback(host):
        return
    elif config.security.local_only:
        yield (
            f"{key} is another machine ({printable(host)}), which `security.local_only` forbids; "
            "use localhost, 127.0.0.1 or [::1]."
        )
    elif not config.security.external_confirmed:
        yield (
            f"{key} is another machine ({printable(host)}); note text would be sent there. "
            "Set `security.external_confirmed` to true if you want that."
        )


def _host(url: str) -> str | None:
    """The host of a plain http address. One expression decides, so that no two parsers disagree."""
    match = _ADDRESS.fullmatch(url)
    if match is None or not 0 < int(match["port"] or 80) < 65536:
        return None
    return match["host"].strip("[]").lower()


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_loopback
    return address == ipaddress.IPv6Address("::1")


def _escapes(directory: str) -> bool:
    parts = [part.strip() for part in re.split(r"[/\\]", directory)]
    rooted = parts[0] in ("", "~") or re.match("[A-Za-z]:", directory) is not None
    return rooted or ".." in parts or not any(part not in ("", ".") for part in parts)


def _resolved(config: Config, folder: str) -> Config:
    def absolute(path: str) -> str:
        return os.path.abspath(os.path.join(folder, os.path.expanduser(path)))

    def tidy(directories: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            "/".join(part for part in name.replace(os.sep, "/").split("/") if part not in ("", "."))
            for name in directories
        )

    def place(path: str) -> str:
        return parse_address(path).url if is_object_address(path) else absolute(path)

    change = msgspec.structs.replace
    return change(
        config,
        vault_path=absolute(config.vault_path),
        vector_store=change(
            config.vector_store, path=place(config.vector_store.path or "vectors.lance")
        ),
        sessions=change(config.sessions, path=absolute(config.sessions.path)),
        embedding=change(config.embedding, base_url=config.embedding.base_url.rstrip("/")),
        indexing=change(
            config.indexing,
            deny_dirs=tidy(config.indexing.deny_dirs),
            allow_dirs=tidy(config.indexing.allow_dirs),
        ),
        collections={
            name: change(
                one,
                path=absolute(one.path),
                deny_dirs=tidy(one.deny_dirs),
                allow_dirs=tidy(one.allow_dirs),
            )
            for name, one in config.collections.items()
        },
    )


def _ordered(shape: msgspec.inspect.Type, value: object) -> object:
    shape = without_metadata(shape)
    if not isinstance(shape, msgspec.inspect.StructType) or not isinstance(value, Mapping):
        return value
    types = {field.encode_name: field.type for field in shape.fields}
    known = {name: _ordered(types[name], value[name]) for name in types if name in value}
    first = {name: value[name] for name in (SCHEMA_KEY,) if name in value}
    return first | known | {name: value[name] for name in sorted(value) if name not in types}


def _read(path: str) -> bytes:
    # Without O_NONBLOCK, a FIFO with this name would block the start.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ConfigError("It is not a regular file.", "Move it away.")
        with open(handle, "rb", closefd=False) as file:
            return file.read(MAX_BYTES + 1)
    finally:
        os.close(handle)
