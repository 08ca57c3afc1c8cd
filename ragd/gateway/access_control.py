"""Decides what a request may be answered from: by who asks, and by what the request names.

It is asked once for each request. It reads the configuration in force and looks nothing up.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from aiohttp import web

from ragd.access.permissions import is_alone, permitted
from ragd.access.scope import (
    Permits,
    Scope,
    default_scope,
    full_scope,
    private_names,
    requested_scope,
    scope_with_paths,
)
from ragd.access.search_scope import search_scope
from ragd.close_match import closest
from ragd.config.live_settings import Settings
from ragd.errors import RagdError
from ragd.gateway.http_server import Handler
from ragd.protocol.asker import (
    AGENT_HEADER,
    ASSISTANT_HEADER,
    CHAT_HEADER,
    OWNER,
    SESSION_HEADER,
    TOKEN_HEADER,
    Asker,
    read_asker,
)
from ragd.protocol.tool_schemas import SearchRequest
from ragd.state.ledger import Ledger
from ragd.vault.collection_paths import MEMORY, VAULT, collection_of, group_of


def asker_of(request: web.BaseRequest) -> Asker:
    """Who sends this request. Raises RagdError for headers that are not valid."""
    if TOKEN_HEADER in request.headers:
        return _asker_with_token(request)
    names = (AGENT_HEADER, CHAT_HEADER, SESSION_HEADER, ASSISTANT_HEADER)
    return read_asker(*(_header(request, name) for name in names))


def asker_of_refused(request: web.BaseRequest | None) -> Asker:
    """The same for a request that is refused; an agent without a name if it is not known."""
    try:
        return asker_of(request) if request is not None else Asker()
    except RagdError:
        return Asker()


TOKEN_ASKER = web.RequestKey("token_asker", Asker)
"""Who the token of a request stands for: the token gate has found out."""


def _asker_with_token(request: web.BaseRequest) -> Asker:
    found = request.get(TOKEN_ASKER)
    if not isinstance(found, Asker):
        raise RagdError("TOKEN_REFUSED")  # it was not accepted: never the user's own request
    return found


def for_owner(handler: Handler) -> Handler:
    """The handler of an endpoint that is not for agents."""
    return _only_for(lambda asker: asker.is_owner, handler)


def for_person(handler: Handler) -> Handler:
    """The handler of an endpoint for the user's own consent: not for agents, and not for an
    assistant with the user's access."""
    return _only_for(lambda asker: asker.is_person, handler)


def _only_for(permits: Callable[[Asker], bool], handler: Handler) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        if not permits(asker_of(request)):
            raise RagdError(
                "SECURITY_VIOLATION",
                "Only the user can do this, not an agent.",
                "Use one of the tools that `GET /v1/tools` lists.",
            )
        return await handler(request)

    return handle


def _header(request: web.BaseRequest, name: str) -> str | None:
    values = request.headers.getall(name, [])
    if len(values) > 1:
        raise RagdError("INVALID_REQUEST", f"The header `{name}` is sent more than once.")
    return values[0] if values else None


class AccessControl:
    """The scopes of requests, by the configuration in force."""

    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        self._settings = settings
        self._ledger = ledger

    def scope_of(self, asker: Asker) -> Scope:
        """What an answer covers that names no collection. For the user that is everything; an
        agent gets nothing of a private collection that it does not name."""
        config = self._settings.current
        if asker.is_owner:
            scope = full_scope(config, asker)
            return Scope(scope.names | self._leaving(), scope.known | self._leaving())
        return self._with_leaving(default_scope(config, asker))

    def scope_of_search(self, asker: Asker, request: SearchRequest) -> Scope:
        """What a search covers. Raises RagdError for a collection that is not permitted."""
        return self._with_leaving(search_scope(self._settings.current, asker, request))

    def scope_of_list(self, asker: Asker) -> Scope:
        """What a list of notes covers: the same as a search that names no collection."""
        return self._with_leaving(default_scope(self._settings.current, asker))

    def scope_of_note(self, asker: Asker, path: str) -> Scope:
        """Where a note is looked for: its path names its collection."""
        config = self._settings.current
        scope = scope_with_paths(config, asker, default_scope(config, asker), [path])
        return self._with_leaving(scope)

    def scope_of_refused(self, request: web.BaseRequest | None) -> Scope:
        """What a refusal may report, also for a request whose headers are not valid."""
        return self.scope_of(asker_of_refused(request))

    def _leaving(self) -> frozenset[str]:
        """Collections that are not configured any more, but still have notes in the index."""
        catalog = self._ledger.state.catalog
        return frozenset(catalog.collections) - self._settings.current.collections.keys()

    def _with_leaving(self, scope: Scope) -> Scope:
        """The scope, which knows these collections too, and does not have them."""
        return Scope(scope.names, scope.known | self._leaving())

    def scope_of_memory(self, asker: Asker) -> Scope:
        """The collections of the asker's own notes; none if there are none."""
        config = self._settings.current
        names = permitted(config, asker)
        own = frozenset(name for name in names if group_of(name) == MEMORY)
        return self._with_leaving(Scope(own, frozenset(config.collections)))

    def permits_memory(self, asker: Asker) -> Permits | None:
        """Which stored facts this asker finds when it names no collection, by their source; None:
        all. For an agent none of a private collection, except its own."""
        scope = self.scope_of(asker)
        own = (name for name in permitted(self._settings.current, asker) if group_of(name))
        return self.permits_source(Scope(scope.names.union(own), scope.known), asker)

    def permits_forgetting(self, asker: Asker) -> Permits | None:
        """Which stored facts this asker may erase, by their source; None: all. It knows their keys,
        so it may erase what it stored from a private collection, too."""
        config = self._settings.current
        return self.permits_source(self._with_leaving(full_scope(config, asker)), asker)

    def permits_source(self, scope: Scope, asker: Asker) -> Permits | None:
        """Whether a memory with this source is in scope; None: every memory is. In a chat with
        other people none is.

        A memory stays when its collection is removed. So a source that looks like one of a
        collection is a note of the vault only if the index has that note.
        """
        if not is_alone(asker):
            return lambda source: False
        if scope.is_everything:
            return None
        files = self._ledger.state.catalog.files

        def permits(source: str) -> bool:
            collection = collection_of(source, scope.known)
            if collection == VAULT and source.startswith("@") and source not in files:
                return False
            return collection in scope.names

        return permits

    def require_known(self, names: Iterable[str]) -> None:
        """Raises RagdError if the user's own request names an unknown collection."""
        known = {VAULT, *self._settings.current.collections}
        for name in names:
            if name not in known:
                near = closest(name, sorted(known))
                raise RagdError(
                    "UNKNOWN_COLLECTION",
                    f"There is no collection `{name}`.",
                    f"Did you mean `{near}`?"
                    if near
                    else "`ragctl collection list` shows the names.",
                )

    def require_searchable(self, names: Sequence[str]) -> None:
        """Raises RagdError if one of these is not a collection, or a group of them."""
        requested_scope(self._settings.current, OWNER, names)

    def collections(self, asker: Asker) -> list[dict[str, Any]]:
        """The collections that this asker may search, the vault first."""
        config, contexts = self._settings.current, self._settings.contexts
        names = full_scope(config, asker).names
        private = private_names(config)
        return [
            {"name": name, "context": contexts.of_collection(name), "private": name in private}
            for name in (VAULT, *config.collections)
            if name in names
        ]
