"""The routes about tokens: the user makes, lists and revokes them; a holder can look at its own."""

from collections.abc import Callable
from typing import Any

from aiohttp import web

from ragd.access.tokens import AccessToken
from ragd.errors import RagdError
from ragd.gateway.access_control import AccessControl, asker_of
from ragd.gateway.http_server import read_body
from ragd.gateway.token_store import TokenStore
from ragd.gateway.url_parameters import refuse_unknown_parameters
from ragd.protocol.token_requests import parse_token_request

MakeResponse = Callable[[web.Request, object], web.Response]


class TokenRoutes:
    """Handlers. `answer` makes a response with this data."""

    def __init__(self, store: TokenStore, access: AccessControl, answer: MakeResponse) -> None:
        self._store = store
        self._access = access
        self._answer = answer

    async def describe(self, request: web.Request) -> web.StreamResponse:
        """What the token of this request allows."""
        refuse_unknown_parameters(request, ())
        name = asker_of(request).token
        found = next((one for one in await self._store.list_all() if one.name == name), None)
        if found is None:
            raise RagdError("TOKEN_REFUSED", "The request has no token.")
        return self._answer(request, {"token": self._data(found)})

    async def list_all(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ())
        tokens = [self._data(one) for one in await self._store.list_all()]
        return self._answer(request, {"tokens": tokens})

    async def create(self, request: web.Request) -> web.StreamResponse:
        """The only answer that has the secret."""
        wanted = parse_token_request(await read_body(request))
        self._access.require_searchable(wanted.collections)
        made, secret = await self._store.create(wanted)
        return self._answer(request, {"token": self._data(made), "secret": secret})

    async def revoke(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ())
        name = request.match_info["name"]
        return self._answer(request, {"revoked": await self._store.revoke(name), "name": name})

    def _data(self, token: AccessToken) -> dict[str, Any]:
        return {
            "name": token.name,
            "collections": None if token.collections is None else list(token.collections),
            "read_only": token.read_only,
            "sensitive": token.sensitive,
            "created": token.created,
            "expires": token.expires,
            "expired": self._store.is_expired(token),
        }
