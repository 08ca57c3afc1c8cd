"""HTTP servers for tests, on a real port."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

ACCEPT_TURNS = 5  # of the event loop, until an accepted connection has a handler (asyncio needs 3)


@asynccontextmanager
async def serving(app: web.Application, port: int = 0, **options: Any) -> AsyncIterator[int]:
    """Serve on this port, or on a free one, during the block.

    A connection that is accepted while the server stops is closed as well: without the wait, the
    runner would not know it yet, and its warning would end a later test.
    """
    runner = web.AppRunner(app, **options)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await site.stop()
        for _ in range(ACCEPT_TURNS):
            await asyncio.sleep(0)
        await runner.cleanup()
