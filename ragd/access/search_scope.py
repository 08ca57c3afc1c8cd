"""The scope of a search request: from its field `collections`, and from its question. Pure.

The question may name collections, too: `collection:papers`, `-collection:papers`, or a folder such
as `folder:@papers/2024`.
"""

from ragd.access.permissions import permitted
from ragd.access.scope import (
    Scope,
    default_scope,
    requested_scope,
    scope_with_paths,
    without,
)
from ragd.config.schema import Config
from ragd.errors import RagdError
from ragd.protocol.asker import Asker
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search.query import query_language


def search_scope(config: Config, asker: Asker, request: SearchRequest) -> Scope:
    """The collections that a search covers. Raises RagdError for a name that is unknown or not
    permitted, and if nothing is left to search."""
    terms = query_language.parse(request.query).terms
    named = [term for term in terms if term.kind == "collection"]
    wanted = request.collections or [term.text for term in named if not term.negated]
    unwanted = [term.text for term in named if term.negated]
    if wanted:
        scope = requested_scope(config, asker, wanted)
    else:
        folders = [term.text for term in terms if term.kind == "folder" and not term.negated]
        paths = (*request.directory_filter, *folders)
        scope = scope_with_paths(config, asker, default_scope(config, asker), paths)
    if unwanted:
        requested_scope(config, asker, unwanted)  # an unknown name is refused here, too
        scope = without(scope, unwanted)
    if not scope.names:
        raise _nothing_to_search(bool(permitted(config, asker)))
    return scope


def _nothing_to_search(may_search: bool) -> RagdError:
    if not may_search:
        return RagdError(
            "SECURITY_VIOLATION",
            "This agent may not search any collection in this chat.",
            "The user can change that: `access` in ragd's configuration.",
        )
    return RagdError(
        "INVALID_REQUEST",
        "No collection is left to search: private ones are searched only when they are named.",
        "Name one in the field `collections`.",
    )
