"""The states of the watcher and their transitions."""

from ragd.watch.watch_state import WatchState, WatchStates

ROOT = (1, 2)
OTHER_ROOT = (3, 4)


def current(states: WatchStates) -> WatchState:
    return states.current


def found() -> WatchStates:
    states = WatchStates()
    states.vault_found(ROOT)
    return states


def test_a_vault_is_waited_for_found_watched_and_found_again_when_the_watch_is_closed() -> None:
    states = WatchStates()
    assert current(states) is WatchState.WAITING_FOR_VAULT and not states.is_vault_present
    states.vault_found(ROOT)
    assert current(states) is WatchState.VAULT_FOUND and states.is_vault_present
    states.watch_opened(polling=False)
    assert current(states) is WatchState.WATCHING
    states.watch_closed()
    assert current(states) is WatchState.VAULT_FOUND
    states.watch_opened(polling=True)
    assert current(states) is WatchState.POLLING


def test_a_scan_of_the_same_vault_changes_nothing() -> None:
    states = found()
    states.watch_opened(polling=False)
    losses = states.vault_losses
    states.vault_found(ROOT)
    assert (current(states), states.vault_losses) == (WatchState.WATCHING, losses)


def test_a_watch_is_dead_after_the_vault_was_missed_even_if_it_is_back() -> None:
    states = found()
    states.watch_opened(polling=False)
    losses = states.vault_losses
    states.vault_missed()
    assert current(states) is WatchState.WAITING_FOR_VAULT and not states.is_vault_present
    states.vault_found(ROOT)
    assert states.vault_losses > losses
    states.watch_closed()  # the old one
    assert current(states) is WatchState.VAULT_FOUND and states.is_vault_present


def test_a_watch_is_dead_when_another_folder_is_in_the_place_of_the_vault() -> None:
    states = found()
    losses = states.vault_losses
    states.vault_found(OTHER_ROOT)
    assert states.vault_losses > losses


def test_a_vault_that_is_gone_is_recorded_once_until_it_is_found_again() -> None:
    states = found()
    assert states.vault_gone()
    assert not states.vault_gone()
    states.vault_missed()  # the fact that was recorded comes back
    assert current(states) is WatchState.VAULT_GONE
    assert not states.vault_gone()
    states.vault_found(ROOT)
    assert states.vault_gone()


def test_a_watch_that_opens_after_the_vault_was_missed_does_not_make_it_present() -> None:
    states = found()
    states.vault_missed()
    states.watch_opened(polling=False)
    assert current(states) is WatchState.WAITING_FOR_VAULT
