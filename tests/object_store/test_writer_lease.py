"""One daemon at a time holds the lease, whatever the clocks of two machines say."""

import contextlib
import threading

import pytest

from ragd.errors import RagdError
from ragd.objects.object_client import ObjectClient
from ragd.objects.store_errors import ObjectStoreError
from ragd.objects.writer_lease import NAME, WriterLease, margin_s

pytestmark = pytest.mark.every_kind
LEASE_S = 20.0


class Hands:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hands() -> Hands:
    return Hands()


def lease(client: ObjectClient, name: str, hands: Hands) -> WriterLease:
    return WriterLease(client, f"{name}-id", name, LEASE_S, hands)


def test_the_second_daemon_is_refused_with_the_name_of_the_first(
    client: ObjectClient, hands: Hands
) -> None:
    lease(client, "desktop", hands).acquire()
    with pytest.raises(RagdError, match="Another daemon \\(on desktop\\)") as refused:
        lease(client, "laptop", hands).acquire()
    assert refused.value.code == "INDEX_HELD"


def test_a_daemon_that_gives_signs_of_life_keeps_it(client: ObjectClient, hands: Hands) -> None:
    first, second = lease(client, "desktop", hands), lease(client, "laptop", hands)
    first.acquire()
    for _ in range(5):
        with pytest.raises(RagdError):
            second.acquire()
        hands.now += LEASE_S
        first.renew()
    assert first.is_held


def test_the_first_stops_before_the_second_begins(client: ObjectClient, hands: Hands) -> None:
    """Without a renewal: the last moment of the first is before the first moment of the second."""
    first, second = lease(client, "desktop", hands), lease(client, "laptop", hands)
    began = hands.now
    first.acquire()
    with pytest.raises(RagdError):
        second.acquire()  # it has seen the first one's sign of life
    hands.now = began + LEASE_S - margin_s(LEASE_S) - 0.1
    first.ensure()  # without a request: it is still valid
    hands.now = began + LEASE_S + margin_s(LEASE_S) - 0.1
    with pytest.raises(RagdError):
        second.acquire()
    hands.now += 0.2
    second.acquire()
    assert second.fence == first.fence + 1
    with pytest.raises(RagdError, match="Another daemon"):
        first.ensure()
    assert not first.is_held


def test_a_daemon_that_slept_and_was_not_replaced_goes_on(
    client: ObjectClient, hands: Hands
) -> None:
    first = lease(client, "desktop", hands)
    first.acquire()
    hands.now += 100 * LEASE_S
    first.ensure()
    assert first.fence == 1


def test_the_same_home_may_write_again_at_once_after_a_crash(
    client: ObjectClient, hands: Hands
) -> None:
    lease(client, "desktop", hands).acquire()
    again = lease(client, "desktop", hands)
    again.acquire()
    assert again.fence == 2


def test_a_released_lease_can_be_taken_at_once(client: ObjectClient, hands: Hands) -> None:
    first = lease(client, "desktop", hands)
    first.acquire()
    first.release()
    lease(client, "laptop", hands).acquire()
    with pytest.raises(RagdError):
        first.ensure()


def test_an_object_of_another_program_is_not_overwritten(
    client: ObjectClient, hands: Hands
) -> None:
    client.put(NAME, b"not ours")
    with pytest.raises(RagdError, match="not one of ragd"):
        lease(client, "desktop", hands).acquire()
    found = client.get(NAME)
    assert found is not None
    assert found.data == b"not ours"


def test_of_eight_daemons_at_once_one_gets_it(client: ObjectClient, hands: Hands) -> None:
    leases = [lease(client, f"machine-{number}", hands) for number in range(8)]
    start = threading.Barrier(len(leases))

    def take(one: WriterLease) -> None:
        start.wait()
        with contextlib.suppress(RagdError):
            one.acquire()

    threads = [threading.Thread(target=take, args=(one,)) for one in leases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one.is_held for one in leases) == 1


class LosesAnswers:
    """Does what it is asked for, but the answer of the next put is lost."""

    def __init__(self, client: ObjectClient) -> None:
        self._client = client
        self.get = client.get
        self.create = client.create
        self.loses = False

    def replace(self, name: str, data: bytes, tag: str) -> str | None:
        done = self._client.replace(name, data, tag)
        if self.loses:
            self.loses = False
            raise ObjectStoreError("STORE_UNREACHABLE")
        return done


def test_a_renewal_whose_answer_was_lost_is_recognised(client: ObjectClient, hands: Hands) -> None:
    flaky = LosesAnswers(client)
    held = WriterLease(flaky, "desktop-id", "desktop", LEASE_S, hands)  # type: ignore[arg-type]
    held.acquire()
    flaky.loses = True
    with pytest.raises(ObjectStoreError):
        held.renew()
    held.renew()
    assert held.is_held
