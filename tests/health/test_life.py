"""Start and stop: running work is finished, or continued by the next start."""

from chaos.managed_daemon import ManagedDaemon
from tests.health.conftest import DaemonFactory


def test_everything_is_looked_at_on_load(start_daemon: DaemonFactory) -> None:
    daemon = start_daemon(health={"probe_s": 3600})
    daemon.stop()
    seq = len(daemon.harness.promises.check().lines)
    daemon.start()
    daemon.settle()
    lines = daemon.harness.promises.check().lines[seq:]
    first = {line.fact["dependency"] for line in lines if "dependency" in line.fact}
    assert first == {"vault", "index", "ollama"}


def test_a_stop_waits_for_the_sync_in_flight(daemon: ManagedDaemon) -> None:
    for _ in range(40):
        daemon.write_note()
    job = daemon.request_job("sync")
    daemon.stop()
    ended = {fact["job_id"]: fact["outcome"] for fact in daemon.facts("job_finished")}
    assert ended[job] == "complete"
    daemon.start()
    daemon.settle()


def test_what_takes_longer_goes_on_after_the_next_start(daemon: ManagedDaemon) -> None:
    old = daemon.generation
    daemon.provider.delay_s = 0.5
    daemon.provider.change_model()
    daemon.request_job("reindex")
    daemon.wait_for(lambda said: said["building"], "an index that is built")
    daemon.stop()
    daemon.provider.delay_s = 0.0
    daemon.start()
    daemon.wait_for(lambda said: said["index"]["generation"] != old, "the new index")
    daemon.settle()
