from ragd.store.lance.version_ages import VersionAges
from tests.daemon.virtual_clock import VirtualClock


def test_versions_grow_old_until_they_are_gone() -> None:
    clock = VirtualClock()
    ages = VersionAges(clock.monotonic, {3: 40.0, 4: 30.0})
    assert ages.of_old() == {3: 40.0}
    clock.advance(5)
    ages.add_new(5)
    clock.advance(5)
    assert ages.of_old() == {3: 50.0, 4: 40.0}
    ages.keep_only([4, 5])
    assert ages.of_old() == {4: 40.0}


def test_versions_between_two_that_were_noticed_are_as_old_as_the_later_one() -> None:
    clock = VirtualClock()
    ages = VersionAges(clock.monotonic, {1: 0.0})
    clock.advance(5)
    ages.add_new(4)
    ages.add_new(4)
    clock.advance(5)
    ages.keep_only([1, 2, 3, 4, 5])  # the last one was not noticed
    assert ages.of_old() == {1: 10.0, 2: 5.0, 3: 5.0, 4: 5.0}


def test_a_version_of_the_future_was_made_now() -> None:
    assert VersionAges(VirtualClock().monotonic, {1: -900.0, 2: -800.0}).of_old() == {1: 0.0}
