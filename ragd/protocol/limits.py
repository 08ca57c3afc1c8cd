"""Limits on requests, for the daemon and the client: results, query, pause, dates.

`tool_schemas.py` enforces them when it decodes a request; `ragctl` checks its options with them. It
imports nothing, so that `ragctl` starts fast.
"""

MAX_RESULTS = 50  # the largest `max_results` of a search
QUERY_MAX_CHARS = 100_000  # a longer query is refused
QUERY_READ_CHARS = 2_000  # only the beginning of a longer query is searched
PAUSE_MAX_S = 30 * 86_400
AGENT_MAX_CHARS = 200
SESSION_MAX_CHARS = 200
CHAT_MAX_CHARS = 50
TOKEN_EXPIRES_MAX_S = 3650 * 86_400

# A day, or a timestamp with or without an offset.
DAY_OR_TIME = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
DAY_OR_TIME_FORMS = "2025-01-31, 2025-01-31T18:30 or 2025-01-31T18:30:00Z (or +02:00)"
