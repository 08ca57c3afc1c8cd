"""Ollama's HTTP interface. So far: does it answer? It never uses a proxy or follows a redirect."""

import aiohttp

ANSWER_WITHIN_S = 2.0


async def answers(base_url: str) -> bool:
    """True if an Ollama server answers at this address."""
    limit = aiohttp.ClientTimeout(total=ANSWER_WITHIN_S)
    url = base_url.rstrip("/") + "/api/version"
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, trust_env=False) as session,
            session.get(url, allow_redirects=False) as response,
        ):
            return response.status == 200 and "version" in await response.json()
    except (aiohttp.ClientError, TimeoutError, ValueError, OSError):
        return False
