"""Messages on a pipe."""

from io import BytesIO

import pytest

from ragd.runtime.frames import HEADER, body_length, frame, read_frame


def test_messages_arrive_one_by_one() -> None:
    stream = BytesIO(frame(b"one", 9) + frame(b"", 9) + frame(b"three", 9))
    assert [read_frame(stream, 9) for _ in range(4)] == [b"one", b"", b"three", None]


@pytest.mark.parametrize("kept", range(7))
def test_a_message_that_is_cut_off_is_the_end(kept: int) -> None:
    assert read_frame(BytesIO(frame(b"one", 9)[:kept]), 9) is None


def test_a_message_that_is_too_long_is_refused_before_it_is_read() -> None:
    assert body_length(HEADER.pack(9), 9) == 9
    stream = BytesIO(HEADER.pack(10) + b"x" * 10)
    with pytest.raises(ValueError):
        read_frame(stream, 9)
    assert stream.tell() == HEADER.size


def test_only_a_message_within_the_limit_is_sent() -> None:
    with pytest.raises(AssertionError):
        frame(b"x" * 10, 9)
