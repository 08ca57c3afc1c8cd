"""`embedding.dimensions` and Ollama's model: taken from the model, or both sizes are named."""

import json
from typing import Any

import pytest

from chaos.managed_daemon import ManagedDaemon, codes
from chaos.provider import DIMENSIONS
from ragd.embed.providers import local_model
from tests.health.conftest import DaemonFactory
from tests.health.ragctl import printed, run_ragctl, without_home

WRONG = 1024
BOTH = (f"`embedding.dimensions` is {WRONG}", f"vectors of {DIMENSIONS} numbers")
WAYS_OUT = (
    "`ragctl config unset embedding.dimensions`",
    f"`ragctl config set embedding.dimensions {DIMENSIONS}`",
)


def configure(daemon: ManagedDaemon, **embedding: Any) -> None:
    """What is None is not set."""
    whole = {**daemon.provider.settings, **embedding}
    daemon.harness.configure(embedding={k: v for k, v in whole.items() if v is not None})


def names_both(daemon: ManagedDaemon, text: str) -> bool:
    return all(words in without_home(daemon, text) for words in (*BOTH, *WAYS_OUT))


def check(daemon: ManagedDaemon, name: str) -> dict[str, str]:
    checks = json.loads(run_ragctl(daemon, "doctor", "--json").stdout)["checks"]
    [found] = [one for one in checks if one["name"] == name]
    return dict(found)


def assert_steady(daemon: ManagedDaemon) -> None:
    """Health does not change while nothing else does."""
    told = ("health_changed", "dependency_lost", "dependency_recovered")
    before, looks = daemon.facts(*told), daemon.provider.probes
    daemon.wait_for(lambda _: daemon.provider.probes >= looks + 30, "some more probes")
    assert daemon.facts(*told) == before


def test_without_a_configured_size_the_models_own_is_used(new_daemon: ManagedDaemon) -> None:
    configure(new_daemon, dimensions=None)
    new_daemon.start()
    new_daemon.index()
    index = new_daemon.status()["index"]
    assert (index["dimensions"], index["digest"]) == (DIMENSIONS, new_daemon.provider.digest)
    assert new_daemon.search("river stone").retrieval == "hybrid"
    assert check(new_daemon, "provider")["verdict"] == "ok"


def test_a_wrong_size_is_named_by_everyone_and_the_advice_helps(new_daemon: ManagedDaemon) -> None:
    configure(new_daemon, dimensions=WRONG)
    new_daemon.start()
    job = run_ragctl(new_daemon, "index")
    assert job.returncode == 1, "text is stored, and vectors are missing"
    assert names_both(new_daemon, printed(new_daemon, job)), job.stderr
    said = new_daemon.wait_for(
        lambda said: codes(said) == ["DIMENSIONS_MISMATCH"], "the one reason"
    )
    [reason] = said["reasons"]
    assert names_both(new_daemon, f"{reason['message']} {reason['suggestion']}")
    assert names_both(new_daemon, printed(new_daemon, run_ragctl(new_daemon, "status")))
    found = check(new_daemon, "provider")
    assert found["verdict"] == "fail"
    assert names_both(new_daemon, f"{found['message']} {found['fix']}")
    answer = new_daemon.search("river stone")
    assert (answer.code, answer.retrieval) == ("DIMENSIONS_MISMATCH", "full_text")
    assert answer.files
    assert names_both(new_daemon, json.dumps(answer.envelope["error"], ensure_ascii=False))
    assert_steady(new_daemon)
    again = run_ragctl(new_daemon, "reindex")
    assert again.returncode == 2 and names_both(new_daemon, printed(new_daemon, again)), (
        again.stderr
    )
    assert "ragctl reindex" not in printed(new_daemon, again)
    assert run_ragctl(new_daemon, "config", "unset", "embedding.dimensions").returncode == 0
    new_daemon.stop()
    new_daemon.start()
    new_daemon.settle()  # its vectors are made without being asked for
    assert new_daemon.status()["index"]["dimensions"] == DIMENSIONS


def test_an_index_outlives_a_wrong_size_in_the_configuration(daemon: ManagedDaemon) -> None:
    kept = daemon.generation
    for dimensions, reason in ((WRONG, "DIMENSIONS_MISMATCH"), (None, "")):
        daemon.stop()
        configure(daemon, dimensions=dimensions)
        daemon.start()
        if reason:
            daemon.wait_for(lambda said: codes(said) == ["DIMENSIONS_MISMATCH"], reason)
            assert_steady(daemon)
        else:
            daemon.settle()
    assert daemon.generation == kept, "no reindex was needed"


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
    new_daemon: ManagedDaemon, settings: dict[str, Any], has_model: bool, code: str, words: str
) -> None:
    configure(new_daemon, provider="auto", **settings)
    new_daemon.provider.has_model = has_model
    new_daemon.start()
    new_daemon.request_job("full")
    said = new_daemon.wait_for(lambda said: said["plugin_health"] == "healthy", "an embedded index")
    why = said["index"]["passed_over"]
    assert (said["index"]["provider"], why["code"]) == ("embedded", code)
    assert words in why["message"]
    assert "`ragctl reindex`" in without_home(new_daemon, why["suggestion"])
    shown = printed(new_daemon, run_ragctl(new_daemon, "status"))
    assert words in shown and "`ragctl reindex`" in shown
    found = check(new_daemon, "provider")
    assert found["verdict"] == "warn" and words in found["message"]


def test_config_set_refuses_a_size_that_is_not_the_models(new_daemon: ManagedDaemon) -> None:
    configure(new_daemon, dimensions=None)
    refused = run_ragctl(new_daemon, "config", "set", "embedding.dimensions", str(WRONG))
    assert refused.returncode == 78
    for words in (str(WRONG), f"makes vectors of {DIMENSIONS} numbers", *WAYS_OUT):
        assert words in printed(new_daemon, refused), refused.stderr
    assert run_ragctl(new_daemon, "config", "get", "embedding.dimensions").stdout == "0\n"
    right = run_ragctl(new_daemon, "config", "set", "embedding.dimensions", str(DIMENSIONS))
    assert right.returncode == 0
    new_daemon.provider.go_offline()
    unasked = run_ragctl(new_daemon, "config", "set", "embedding.dimensions", str(WRONG))
    assert unasked.returncode == 0, "the right size is not known"
    new_daemon.provider.go_online()
    other = run_ragctl(new_daemon, "config", "set", "embedding.provider", "auto")
    assert other.returncode == 78 and WAYS_OUT[0] in printed(new_daemon, other)
    assert run_ragctl(new_daemon, "config", "unset", "embedding.dimensions").returncode == 0
    assert run_ragctl(new_daemon, "config", "set", "embedding.provider", "auto").returncode == 0


def hang(handler: Any) -> bool:
    handler.provider.released.wait()
    handler.close_connection = True
    return True


def test_searches_that_a_frozen_ollama_holds_up_show_in_health_at_once(
    start_daemon: DaemonFactory,
) -> None:
    daemon = start_daemon(health={"probe_s": 3600})
    assert daemon.search("river stone").retrieval == "hybrid"
    daemon.provider.fault = hang
    late = [daemon.search(f"river stone {number}") for number in range(2)]
    assert [answer.code for answer in late] == ["TIMEOUT", "TIMEOUT"]
    assert all(answer.files for answer in late), "words are searched meanwhile"
    daemon.wait_for(lambda said: codes(said) == ["OLLAMA_UNREACHABLE"], "the one reason")
    daemon.provider.go_online()
    daemon.wait_until_found(daemon.save())
    daemon.settle()  # the vector of a saved note is the next success
