"""Ollama fails in every possible way and recovers. Meanwhile full text answers with the reason;
a saved note is found by its words at once, and by its meaning when the provider is back."""

import time
from collections.abc import Callable
from typing import NamedTuple

from chaos.harness import require
from chaos.managed_daemon import ManagedDaemon
from chaos.provider import DIMENSIONS, MODEL, Fault, Handler

UNREACHABLE = "OLLAMA_UNREACHABLE"
SLOW_S = 2.5  # longer than a search waits for its vector
FLAPS = 12


class ProviderFault(NamedTuple):
    """A fault and the code it is reported as; None: only searches time out."""

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


def cut_off(handler: Handler) -> bool:
    handler.send_bytes(b'{"embeddings":[[0.1,', promised=5000)
    handler.close_connection = True
    return True


def send_invalid_json(handler: Handler) -> bool:
    handler.send_bytes(b'{"embeddings": [[1, 2,, "version"')
    return True


def delay(handler: Handler) -> bool:
    handler.provider.released.wait(SLOW_S)
    return False


def send_wrong_dimensions(handler: Handler) -> bool:
    rows = [[0.5] * (DIMENSIONS + 1) for _ in handler.texts]
    handler.answer({"model": MODEL, "embeddings": rows})
    return True


def send_nan(handler: Handler) -> bool:
    rows = ",".join(["[" + ",".join(["NaN"] * DIMENSIONS) + "]"] * len(handler.texts))
    handler.send_bytes(f'{{"model":"{MODEL}","embeddings":[{rows}]}}'.encode())
    return True


def refuse_nan(handler: Handler) -> bool:
    handler.answer({"error": "failed to encode response: json: unsupported value: NaN"}, 500)
    return True


def when_embedding(fault: Fault) -> Fault:
    """The fault applies to requests for vectors only; probes succeed."""
    return lambda handler: bool(handler.texts) and fault(handler)


CASES = (
    ProviderFault("refused", None),
    ProviderFault("hanging", hang),
    ProviderFault("500", fail),
    ProviderFault("500 for vectors", when_embedding(fail)),
    ProviderFault("slow", when_embedding(delay), None),
    ProviderFault("cut", cut_off),
    ProviderFault("cut vectors", when_embedding(cut_off)),
    ProviderFault("invalid JSON", send_invalid_json),
    ProviderFault("invalid vectors", when_embedding(send_invalid_json)),
    ProviderFault("wrong dimensions", when_embedding(send_wrong_dimensions), "DIMENSIONS_MISMATCH"),
    ProviderFault("NaN", when_embedding(send_nan)),
    ProviderFault("NaN refused", when_embedding(refuse_nan)),
)


def run_case(daemon: ManagedDaemon, case: ProviderFault) -> None:
    """Begin the fault, check the answers, end it, and wait until it is healthy."""
    if case.fault is None:
        daemon.provider.go_offline()
    daemon.provider.fault = case.fault
    note = daemon.save()
    answer = daemon.wait_until_found(note)
    if case.code is None:
        require(answer.retrieval == "full_text", f"{case.name}: {answer}")
        require(answer.code == "TIMEOUT", f"{case.name}: {answer}")
    else:
        daemon.wait_for_reason(case.code)
        answer = daemon.search(note.word)
        require(note.path in answer.files, f"{case.name}: {answer}")
        require(answer.retrieval == "full_text", f"{case.name}: {answer}")
        require(answer.code == case.code, f"{case.name}: {answer}")
    require(answer.status == "degraded", f"{case.name}: {answer}")
    daemon.provider.go_online()
    daemon.settle()
    answer = daemon.search(note.word)
    require((answer.status, answer.retrieval) == ("healthy", "hybrid"), f"{case.name}: {answer}")


def flap(daemon: ManagedDaemon, tick: Callable[[float], None] = time.sleep) -> None:
    """Ollama goes up and down for minutes of the daemon's time while notes are saved."""
    seq = daemon.status()["log"]["seq"]
    rng = daemon.arena.rng
    for _ in range(FLAPS):
        daemon.provider.go_offline()
        daemon.write_note()
        tick(rng.uniform(0.05, 0.5))
        daemon.provider.go_online()
        tick(rng.uniform(0.05, 0.5))
    said = daemon.settle()
    facts = said["log"]["seq"] - seq
    require(facts < 60 * FLAPS, f"{facts} facts for {FLAPS} flaps")
