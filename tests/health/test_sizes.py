"""`embedding.dimensions` and Ollama's model: taken from the model, or both sizes are named."""

import json
from typing import Any

import pytest

from chaos.provider import DIMENSIONS
from chaos.resident import Resident, codes
from ragd.embed.providers import local_model
from tests.health.conftest import Reside
from tests.health.ragctl import said as printed
from tests.health.ragctl import typed, without_home

WRONG = 1024
BOTH = (f"`embedding.dimensions` is {WRONG}", f"vectors of {DIMENSIONS} numbers")
WAYS_OUT = (
    "`ragctl config unset embedding.dimensions`",
    f"`ragctl config set embedding.dimensions {DIMENSIONS}`",
)


def configure(resident: Resident, **embedding: Any) -> None:
    """What is None is not set."""
    whole = {**resident.provider.settings, **embedding}
    resident.house.configure(embedding={k: v for k, v in whole.items() if v is not None})


def names_both(resident: Resident, text: str) -> bool:
    return all(words in without_home(resident, text) for words in (*BOTH, *WAYS_OUT))


def check(resident: Resident, name: str) -> dict[str, str]:
    checks = json.loads(typed(resident, "doctor", "--json").stdout)["checks"]
    [found] = [one for one in checks if one["name"] == name]
    return dict(found)


def assert_steady(resident: Resident) -> None:
    """Health does not change while nothing else does."""
    told = ("health_changed", "dependency_lost", "dependency_recovered")
    before, looks = resident.facts(*told), resident.provider.looks
    resident.until(lambda _: resident.provider.looks >= looks + 30, "some more probes")
    assert resident.facts(*told) == before


def test_without_a_configured_size_the_models_own_is_used(newcomer: Resident) -> None:
    configure(newcomer, dimensions=None)
    newcomer.start()
    newcomer.index()
    index = newcomer.status()["index"]
    assert (index["dimensions"], index["digest"]) == (DIMENSIONS, newcomer.provider.digest)
    assert newcomer.search("river stone").retrieval == "hybrid"
    assert check(newcomer, "provider")["verdict"] == "ok"


def test_a_wrong_size_is_named_by_everyone_and_the_advice_helps(newcomer: Resident) -> None:
    configure(newcomer, dimensions=WRONG)
    newcomer.start()
    job = typed(newcomer, "index")
    assert job.returncode == 1, "text is stored, and vectors are missing"
    assert names_both(newcomer, printed(newcomer, job)), job.stderr
    said = newcomer.until(lambda said: codes(said) == ["DIMENSIONS_MISMATCH"], "the one reason")
    [reason] = said["reasons"]
    assert names_both(newcomer, f"{reason['message']} {reason['suggestion']}")
    assert names_both(newcomer, printed(newcomer, typed(newcomer, "status")))
    found = check(newcomer, "provider")
    assert found["verdict"] == "fail"
    assert names_both(newcomer, f"{found['message']} {found['fix']}")
    answer = newcomer.search("river stone")
    assert (answer.code, answer.retrieval) == ("DIMENSIONS_MISMATCH", "full_text")
    assert answer.files
    assert names_both(newcomer, json.dumps(answer.envelope["error"], ensure_ascii=False))
    assert_steady(newcomer)
    again = typed(newcomer, "reindex")
    assert again.returncode == 2 and names_both(newcomer, printed(newcomer, again)), again.stderr
    assert "ragctl reindex" not in printed(newcomer, again)
    assert typed(newcomer, "config", "unset", "embedding.dimensions").returncode == 0
    newcomer.stop()
    newcomer.start()
    newcomer.settle()  # its vectors are made without being asked for
    assert newcomer.status()["index"]["dimensions"] == DIMENSIONS


def test_an_index_outlives_a_wrong_size_in_the_configuration(resident: Resident) -> None:
    kept = resident.generation
    for dimensions, reason in ((WRONG, "DIMENSIONS_MISMATCH"), (None, "")):
        resident.stop()
        configure(resident, dimensions=dimensions)
        resident.start()
        if reason:
            resident.until(lambda said: codes(said) == ["DIMENSIONS_MISMATCH"], reason)
            assert_steady(resident)
        else:
            resident.settle()
    assert resident.generation == kept, "no reindex was needed"


@pytest.mark.skipif(
    local_model.unavailable() is not None, reason="the embedded model cannot run here"
)
@pytest.mark.parametrize(
    ("settings", "has_model", "code", "words"),
    [
        ({"dimensions": WRONG}, True, "DIMENSIONS_MISMATCH", f"made vectors of {DIMENSIONS}"),
        ({"dimensions": None}, False, "OLLAMA_MODEL_MISSING", "did not have the model chaos"),
    ],
    ids=["another size", "no such model"],
)
def test_the_embedded_model_is_not_taken_without_a_word(
    newcomer: Resident, settings: dict[str, Any], has_model: bool, code: str, words: str
) -> None:
    configure(newcomer, provider="auto", **settings)
    newcomer.provider.has_model = has_model
    newcomer.start()
    newcomer.ask_for("full")
    said = newcomer.until(lambda said: said["plugin_health"] == "healthy", "an embedded index")
    why = said["index"]["passed_over"]
    assert (said["index"]["provider"], why["code"]) == ("embedded", code)
    assert words in why["message"]
    assert "`ragctl reindex`" in without_home(newcomer, why["suggestion"])
    shown = printed(newcomer, typed(newcomer, "status"))
    assert words in shown and "`ragctl reindex`" in shown
    found = check(newcomer, "provider")
    assert found["verdict"] == "warn" and words in found["message"]


def test_config_set_refuses_a_size_that_is_not_the_models(newcomer: Resident) -> None:
    configure(newcomer, dimensions=None)
    refused = typed(newcomer, "config", "set", "embedding.dimensions", str(WRONG))
    assert refused.returncode == 78
    for words in (str(WRONG), f"makes vectors of {DIMENSIONS} numbers", *WAYS_OUT):
        assert words in printed(newcomer, refused), refused.stderr
    assert typed(newcomer, "config", "get", "embedding.dimensions").stdout == "0\n"
    right = typed(newcomer, "config", "set", "embedding.dimensions", str(DIMENSIONS))
    assert right.returncode == 0
    newcomer.provider.go_away()
    unasked = typed(newcomer, "config", "set", "embedding.dimensions", str(WRONG))
    assert unasked.returncode == 0, "the right size is not known"
    newcomer.provider.come_back()
    other = typed(newcomer, "config", "set", "embedding.provider", "auto")
    assert other.returncode == 78 and WAYS_OUT[0] in printed(newcomer, other)
    assert typed(newcomer, "config", "unset", "embedding.dimensions").returncode == 0
    assert typed(newcomer, "config", "set", "embedding.provider", "auto").returncode == 0


def hang(handler: Any) -> bool:
    handler.provider.released.wait()
    handler.close_connection = True
    return True


def test_searches_that_a_frozen_ollama_holds_up_show_in_health_at_once(reside: Reside) -> None:
    resident = reside(health={"probe_s": 3600})
    assert resident.search("river stone").retrieval == "hybrid"
    resident.provider.fault = hang
    late = [resident.search(f"river stone {number}") for number in range(2)]
    assert [answer.code for answer in late] == ["TIMEOUT", "TIMEOUT"]
    assert all(answer.files for answer in late), "words are searched meanwhile"
    resident.until(lambda said: codes(said) == ["OLLAMA_UNREACHABLE"], "the one reason")
    resident.provider.come_back()
    resident.until_found(resident.save())
    resident.settle()  # the vector of a saved note is the next success
