"""On load, at work, and at the end: what is under way is finished, or gone on with."""

from chaos.resident import Resident
from tests.health.conftest import Reside


def test_everything_is_looked_at_on_load(reside: Reside) -> None:
    resident = reside(health={"probe_s": 3600})
    resident.stop()
    seq = len(resident.house.book.check().lines)
    resident.start()
    resident.settle()
    lines = resident.house.book.check().lines[seq:]
    first = {line.fact["dependency"] for line in lines if "dependency" in line.fact}
    assert first == {"vault", "index", "ollama"}


def test_a_stop_waits_for_the_sync_in_flight(resident: Resident) -> None:
    for _ in range(40):
        resident.write_another()
    job = resident.ask_for("sync")
    resident.stop()
    ended = {fact["job_id"]: fact["outcome"] for fact in resident.facts("job_finished")}
    assert ended[job] == "complete"
    resident.start()
    resident.settle()


def test_what_takes_longer_goes_on_after_the_next_start(resident: Resident) -> None:
    old = resident.generation
    resident.provider.delay_s = 0.5
    resident.provider.take_another_model()
    resident.ask_for("reindex")
    resident.until(lambda said: said["building"], "an index that is built")
    resident.stop()
    resident.provider.delay_s = 0.0
    resident.start()
    resident.until(lambda said: said["index"]["generation"] != old, "the new index")
    resident.settle()
