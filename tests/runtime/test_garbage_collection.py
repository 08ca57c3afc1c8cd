"""The pause of the garbage collector ends with its block, and modules are left out."""

import gc

import pytest

from ragd.runtime.garbage_collection import collector_paused, leave_out_modules


def test_the_collector_runs_again_after_the_block_even_if_it_fails() -> None:
    with pytest.raises(RuntimeError), collector_paused():
        assert not gc.isenabled()
        raise RuntimeError
    assert gc.isenabled()


def test_an_inner_block_does_not_end_the_pause_of_the_outer_one() -> None:
    with collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_functions_of_modules_are_not_visited_by_collections() -> None:
    assert any(one is leave_out_modules for one in gc.get_objects())
    leave_out_modules()
    try:
        assert not any(one is leave_out_modules for one in gc.get_objects())
    finally:
        gc.unfreeze()
