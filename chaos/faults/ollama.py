"""Ollama that fails in every way it can, and comes back. Meanwhile full text answers and says why;
what is saved is found by its words at once, and by its meaning when the provider is back."""

import time
from collections.abc import Callable
from typing import NamedTuple

from chaos.harness import require
from chaos.provider import DIMENSIONS, MODEL, Fault, Handler
from chaos.resident import Resident

UNREACHABLE = "OLLAMA_UNREACHABLE"
SLOW_S = 2.5  # longer than a search waits for its vector
FLAPS = 12


class Case(NamedTuple):
    """How it fails, and what the daemon calls that; None: a search is late, nothing more."""

    name: str
    fault: Fault | None
    code: str | None = UNREACHABLE


def hang(handler: Handler) -> bool:
    handler.provider.released.wait()
    handler.close_connection = True
    return True


def fail(handler: Handler) -> bool:
    handler.answer({"error": "llama runner process has terminated: signal: killed"}, 500)
    return True


def cut(handler: Handler) -> bool:
    handler.say(b'{"embeddings":[[0.1,', promised=5000)
    handler.close_connection = True
    return True


def babble(handler: Handler) -> bool:
    handler.say(b'{"embeddings": [[1, 2,, "version"')
    return True


def be_slow(handler: Handler) -> bool:
    handler.provider.released.wait(SLOW_S)
    return False


def resize(handler: Handler) -> bool:
    rows = [[0.5] * (DIMENSIONS + 1) for _ in handler.texts]
    handler.answer({"model": MODEL, "embeddings": rows})
    return True


def not_numbers(handler: Handler) -> bool:
    rows = ",".join(["[" + ",".join(["NaN"] * DIMENSIONS) + "]"] * len(handler.texts))
    handler.say(f'{{"model":"{MODEL}","embeddings":[{rows}]}}'.encode())
    return True


def refuse_numbers(handler: Handler) -> bool:
    handler.answer({"error": "failed to encode response: json: unsupported value: NaN"}, 500)
    return True


def when_embedding(fault: Fault) -> Fault:
    """Only what it is there for goes wrong; a look at it finds nothing."""
    return lambda handler: bool(handler.texts) and fault(handler)


CASES = (
    Case("refused", None),
    Case("hanging", hang),
    Case("500", fail),
    Case("500 for vectors", when_embedding(fail)),
    Case("slow", when_embedding(be_slow), None),
    Case("cut", cut),
    Case("cut vectors", when_embedding(cut)),
    Case("invalid JSON", babble),
    Case("invalid vectors", when_embedding(babble)),
    Case("wrong dimensions", when_embedding(resize), "DIMENSIONS_MISMATCH"),
    Case("NaN", when_embedding(not_numbers)),
    Case("NaN refused", when_embedding(refuse_numbers)),
)


def suffer(resident: Resident, case: Case) -> None:
    """From healthy through the fault to healthy."""
    if case.fault is None:
        resident.provider.go_away()
    resident.provider.fault = case.fault
    note = resident.save()
    answer = resident.until_found(note)
    if case.code is None:
        require(answer.retrieval == "full_text", f"{case.name}: {answer}")
        require(answer.code == "TIMEOUT", f"{case.name}: {answer}")
    else:
        resident.until_reason(case.code)
        answer = resident.search(note.word)
        require(note.path in answer.files, f"{case.name}: {answer}")
        require(answer.retrieval == "full_text", f"{case.name}: {answer}")
        require(answer.code == case.code, f"{case.name}: {answer}")
    require(answer.status == "degraded", f"{case.name}: {answer}")
    resident.provider.come_back()
    resident.settle()
    answer = resident.search(note.word)
    require((answer.status, answer.retrieval) == ("healthy", "hybrid"), f"{case.name}: {answer}")


def flap(resident: Resident, tick: Callable[[float], None] = time.sleep) -> None:
    """Up and down for minutes of the daemon's time; notes are saved all the while."""
    seq = resident.status()["log"]["seq"]
    rng = resident.arena.rng
    for _ in range(FLAPS):
        resident.provider.go_away()
        resident.write_another()
        tick(rng.uniform(0.05, 0.5))
        resident.provider.come_back()
        tick(rng.uniform(0.05, 0.5))
    said = resident.settle()
    facts = said["log"]["seq"] - seq
    require(facts < 60 * FLAPS, f"{facts} facts for {FLAPS} flaps")
