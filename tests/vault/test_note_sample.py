"""What a sample of notes shows: how much of them is fenced code."""

from ragd.vault.note_sample import AGAIN_S, MOST_NOTES, NoteSample, code_share

CODE = b"# Run\r\n```sh\r\nmake all\r\n```\r\n"
TEXT = b"---\ncode: '```'\n---\nA sentence of some length.\n"


def test_the_share_counts_characters_of_code_without_spaces_and_properties() -> None:
    assert code_share(CODE) == (len("makeall"), len("#Run```shmakeall```"))
    assert code_share(TEXT) == (0, len("Asentenceofsomelength."))
    assert code_share(b"") == code_share(b"---\na: b\n---\n") == (0, 0)
    assert code_share(b"\xff\xfe\x00\n```\nx\n```")[0] == 1


def test_the_percentage_is_that_of_the_whole_sample() -> None:
    notes = {"a.md": b"```\n" + b"x" * 60 + b"\n```", "b.md": b"y" * 34, "c.md": b""}
    sample = NoteSample(notes.__getitem__, lambda: 0.0)
    assert sample.measure(list(notes)).code_percent == 60
    assert NoteSample(notes.__getitem__, lambda: 0.0).measure(["c.md"]).code_percent is None


def test_a_bounded_number_of_notes_is_read_and_not_at_every_scan() -> None:
    read: list[str] = []
    now = 0.0

    def read_note(path: str) -> bytes:
        read.append(path)
        return CODE

    sample = NoteSample(read_note, lambda: now)
    paths = [f"{number:05}.md" for number in range(5_000)]
    first = sample.measure(paths)
    assert first.code_percent is not None and 0 < len(read) <= MOST_NOTES
    read.clear()
    assert sample.measure(paths[:100]) == first and not read
    sample.measure(paths * 2)
    assert read, "the vault has doubled"
    read.clear()
    now = AGAIN_S
    sample.measure(paths)
    assert read, "an hour is over"
