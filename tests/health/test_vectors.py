"""No vector of another model gets into index or cache, and no failing question is silent."""

from chaos.faults import ollama
from chaos.resident import Resident
from tests.health.conftest import Reside

SELDOM = {"probe_s": 3600}


def test_another_model_is_noticed_by_its_first_vector(reside: Reside) -> None:
    resident = reside(health=SELDOM)
    former = resident.provider.digest
    resident.provider.take_another_model()
    resident.until_found(resident.save())
    resident.until_reason("INDEX_MODEL_MISMATCH")
    resident.provider.digest = former
    resident.stop()
    resident.start()
    resident.settle()  # every row has the vector of its own model


def test_who_comes_back_with_another_model_fills_nothing(reside: Reside) -> None:
    resident = reside(health={"probe_s": 1})
    former = resident.provider.digest
    resident.provider.go_away()
    resident.until_reason("OLLAMA_UNREACHABLE")
    for _ in range(3):
        resident.save()
    resident.until(lambda said: said["total_chunks"] > said["chunks_embedded"], "a backlog")
    resident.provider.take_another_model()
    resident.provider.come_back()
    resident.until_reason("INDEX_MODEL_MISMATCH")
    resident.provider.digest = former
    resident.settle()


def test_a_question_is_not_compared_with_vectors_of_another_model(reside: Reside) -> None:
    resident = reside(health=SELDOM)
    resident.provider.take_another_model()
    answer = resident.search("river stone")
    assert (answer.code, answer.retrieval) == ("INDEX_MODEL_MISMATCH", "full_text")


def test_questions_that_fail_are_as_good_as_a_probe(resident: Resident) -> None:
    resident.provider.fault = ollama.when_embedding(ollama.fail)
    for _ in range(2):
        answer = resident.search("river stone")
        assert (answer.code, answer.retrieval) == ("OLLAMA_UNREACHABLE", "full_text")
    resident.until_reason("OLLAMA_UNREACHABLE")
    resident.provider.come_back()
    resident.settle()
