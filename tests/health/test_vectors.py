"""No vector of another model enters the index or the cache, and failing queries are reported."""

from chaos.faults import ollama
from chaos.managed_daemon import ManagedDaemon
from tests.health.conftest import DaemonFactory

SELDOM = {"probe_s": 3600}


def test_another_model_is_noticed_by_its_first_vector(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(health=SELDOM)
    previous = daemon.provider.digest
    daemon.provider.change_model()
    daemon.wait_until_found(daemon.save())
    daemon.wait_for_reason("INDEX_MODEL_MISMATCH")
    daemon.provider.digest = previous
    daemon.stop()
    daemon.start()
    daemon.settle()  # every row has the vector of its own model


def test_a_provider_that_comes_back_with_another_model_fills_no_vectors(
    start_daemon: DaemonFactory,
) -> None:
    daemon = start_daemon(health={"probe_s": 1})
    previous = daemon.provider.digest
    daemon.provider.go_offline()
    daemon.wait_for_reason("OLLAMA_UNREACHABLE")
    for _ in range(3):
        daemon.save()
    daemon.wait_for(lambda said: said["total_chunks"] > said["chunks_embedded"], "a backlog")
    daemon.provider.change_model()
    daemon.provider.go_online()
    daemon.wait_for_reason("INDEX_MODEL_MISMATCH")
    daemon.provider.digest = previous
    daemon.settle()


def test_a_question_is_not_compared_with_vectors_of_another_model(
    start_daemon: DaemonFactory,
) -> None:
    daemon = start_daemon(health=SELDOM)
    daemon.provider.change_model()
    answer = daemon.search("river stone")
    assert (answer.code, answer.retrieval) == ("INDEX_MODEL_MISMATCH", "full_text")


def test_questions_that_fail_are_as_good_as_a_probe(daemon: ManagedDaemon) -> None:
    daemon.provider.fault = ollama.when_embedding(ollama.fail)
    for _ in range(2):
        answer = daemon.search("river stone")
        assert (answer.code, answer.retrieval) == ("OLLAMA_UNREACHABLE", "full_text")
    daemon.wait_for_reason("OLLAMA_UNREACHABLE")
    daemon.provider.go_online()
    daemon.settle()
