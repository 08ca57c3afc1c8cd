"""What may be configured about an object store. It opens no connection.

It never repeats an address: it may contain a password. Only the host is safe to show.
"""

from collections.abc import Callable, Iterator

from ragd.config.schema import Config
from ragd.config.validation import printable
from ragd.objects.address import address_problems, is_object_address, parse_address

NO_VAULT = "no-vault"  # the `vault_path` of a reader: a folder that does not exist


def store_conflicts(
    config: Config, host_of: Callable[[str], str | None], is_loopback: Callable[[str], bool]
) -> Iterator[str]:
    """A sentence for each broken rule about an index in an object store."""
    path, options = config.vector_store.path, config.vector_store.options
    vault = config.vector_store.vault
    if vault and (len(vault) != 16 or vault.strip("0123456789abcdef")):
        yield "`vector_store.vault` should be 16 of the digits 0-9 and a-f."
    key = "`vector_store.options.endpoint`"
    host = host_of(options.endpoint) if options.endpoint else None
    if "@" in options.endpoint:
        yield f"{key} must not contain a user name or a password."
    elif options.endpoint and host is None:
        yield f"{key} should be a plain address such as https://s3.example.org."
    elif options.endpoint[:7].lower() == "http://" and not options.allow_http:
        yield f"{key} has no TLS; set `vector_store.options.allow_http` to true to allow that."
    if not is_object_address(path):
        if config.role == "reader":
            yield '`role` "reader" needs a `vector_store.path` such as s3://bucket/prefix.'
        if config.log.mirror:
            yield "`log.mirror` needs a `vector_store.path` such as s3://bucket/prefix."
        return
    wrong = list(address_problems(path, "vector_store.path"))
    yield from wrong
    if wrong or config.role == "reader" or (host is not None and is_loopback(host)):
        return
    where = printable(host or parse_address(path).bucket)
    if config.security.local_only:
        yield (
            f"`vector_store.path` is another machine ({where}), which `security.local_only` "
            "forbids; set it to false to keep the index there."
        )
    elif not config.security.external_confirmed:
        yield (
            f"`vector_store.path` is another machine ({where}); note text would be stored there. "
            "Set `security.external_confirmed` to true if you want that."
        )
