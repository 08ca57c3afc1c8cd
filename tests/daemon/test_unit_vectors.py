"""A long page is found by the part that fits the question: a real daemon, the embedded model."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ragd.embed.embedding_cache import EmbeddingCache
from ragd.embed.unit_vectors import units_of, vector_of
from tests.daemon.searches import ParsedAnswer, Vault, serve_vault

QUESTION = "a drowsy kitten near a heater"
ONE_PART = "Journal/2024-03-02.md"  # one paragraph of three answers
VAGUE = "Journal/2024-02-11.md"  # all of it is about sleep, and nothing answers
SHORT = "Journal/2024-01-05.md"
NOTES = {
    ONE_PART: "The quarterly figures were late again, so the whole team stayed until eight. Marta "
    "presented the new budget, and nobody could explain why travel had doubled. After "
    "lunch we argued about the roadmap: two releases before the summer, or one large one "
    "in the autumn. I wrote the minutes and sent them round. The printer on the third "
    "floor is still broken, and the supplier wants a purchase order before anyone comes "
    "to look at it. The lift is out of order as well.\n\nOur cat has given up her basket. "
    "These days the cat curls up on the windowsill above the radiator, and there she "
    "sleeps and snores until dusk. At night she moves to the armchair, purrs for a while "
    "and goes back to sleep, with her paws over her nose. If somebody sits there already, "
    "she climbs on the lap, turns around twice and dozes off at once. Only the sound of "
    "her bowl wakes her up.\n\nThen I paid the electricity bill and cancelled the old "
    "phone contract, which took three calls and a letter. The tax form is due in May, and "
    "the adviser needs the receipts of the last two years, sorted by month. On the way "
    "back I bought stamps, envelopes and a lamp for the desk, and returned the drill to "
    "the neighbours. The bank has moved to another street and closes at four now, so the "
    "cheque has to wait until Monday.\n",
    VAGUE: "Slept badly. The bed is too soft, the street is too loud, and the neighbours came home "
    "at three. I moved to the sofa, then back to the bedroom, and read until the birds began. "
    "Tomorrow I will buy earplugs and a firmer mattress, and there will be no coffee after lunch. "
    "My sister swears by warm milk, my father by a walk around the block, and the doctor by "
    "getting up at the same hour every day, on Sundays too. I dozed off in the tram and missed my "
    "stop.\n\nThe book says that a bedroom should be dark, cool and quiet, and that nobody "
    "should look at a screen after ten. It also says that a nap in the afternoon is fine if it "
    "is short. I tried both. The room was dark and cool, and I lay there and listened to the "
    "pipes. A herd of elephants lives upstairs, or a child with new shoes. Around five I gave "
    "up, made tea, and watched the street lamps go out one after the other.\n\nAt work I yawned "
    "through two meetings, and Tom asked whether I was ill. In the evening I went to bed at nine "
    "with a hot water bottle and a dull novel. It helped: page four is all that I remember. If "
    "this goes on, I will write to the author and thank him, and buy everything else that he has "
    "written, for the bedside table.\n",
    SHORT: "The animal needs some rest, says the vet.\n",
}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_vault(NOTES) as found:
        yield found


def evidence(vault: Vault) -> dict[str, dict[str, Any]]:
    """The evidence for each note, from an answer by words and meaning."""

    def hybrid() -> ParsedAnswer | None:
        asked = vault.search(QUESTION, explain=True)
        return asked if asked.meta["retrieval"] == "hybrid" else None

    results = vault.until(hybrid).results  # the embedder may be starting, or busy
    return {found["source_file"]: found["evidence"] for found in results}


def test_one_fitting_part_counts_more_than_a_vague_whole(vault: Vault) -> None:
    found = evidence(vault)
    files = list(found)
    assert files.index(ONE_PART) < files.index(VAGUE)
    assert found[ONE_PART]["bm25"] is None and found[VAGUE]["bm25"] is None
    assert found[ONE_PART]["cosine"] < found[VAGUE]["cosine"]  # by the whole page it would lose
    assert found[ONE_PART]["unit_cosine"] > found[VAGUE]["unit_cosine"]


def test_units_are_kept_with_the_vectors_that_are_paid_for(vault: Vault) -> None:
    before = evidence(vault)
    assert vault.index("reindex")["outcome"] == "complete"
    assert evidence(vault) == before


def test_vectors_that_an_earlier_version_paid_for_are_used_as_they_are(vault: Vault) -> None:
    before = evidence(vault)
    vault.end()
    asyncio.run(_without_units(Path(vault.home.embedding_cache)))
    vault.start()
    assert vault.index("reindex")["outcome"] == "complete"
    found = evidence(vault)
    assert {path: told["unit_cosine"] for path, told in found.items()} == dict.fromkeys(found)
    assert found[ONE_PART]["cosine"] == pytest.approx(before[ONE_PART]["cosine"])


async def _without_units(path: Path) -> None:
    """Make the cache as it was before there were units."""
    with closing(sqlite3.connect(path)) as connection:
        known = connection.execute("SELECT space, content_hash, vector FROM vectors").fetchall()
    assert any(units_of(vector) for _, _, vector in known)
    cache = EmbeddingCache(path)
    for space, content_hash, vector in known:
        await cache.put_many(space, {content_hash: vector_of(vector)})
    await cache.close()
