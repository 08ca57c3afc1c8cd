from ragd.embed.fill_pace import LEAST, MOST, QUICK_S, SLOW_S, FillPace


def test_fills_grow_while_they_are_quick_up_to_a_limit() -> None:
    pace = FillPace()
    sizes = []
    for _ in range(6):
        pace.add(pace.chunks, QUICK_S / 2)
        sizes.append(pace.chunks)
    assert sizes == [1_024, 2_048, MOST, MOST, MOST, MOST]


def test_fills_shrink_when_they_are_slow_and_never_below_the_least() -> None:
    pace = FillPace()
    pace.add(LEAST, QUICK_S / 2)
    pace.add(2 * LEAST, (QUICK_S + SLOW_S) / 2)
    assert pace.chunks == 2 * LEAST
    for _ in range(3):
        pace.add(pace.chunks, 2 * SLOW_S)
    assert pace.chunks == LEAST


def test_a_quick_fill_that_was_short_does_not_allow_a_larger_one() -> None:
    pace = FillPace()
    pace.add(7, 0.1)
    assert pace.chunks == LEAST
