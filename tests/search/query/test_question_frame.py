"""Words of a question that only ask are cut off."""

import pytest

from ragd.search.query.question_frame import without_frame

CUT = [
    ("Do I have a note about sourdough?", "sourdough?"),
    ("where did I write about feeling left out at work", "feeling left out at work"),
    ("Where do I mention Palermo?", "Palermo?"),
    ("that thing about loans between friends", "loans between friends"),
    ("what was that thing about sending mail", "sending mail"),
    ("I remember writing something about a dog", "a dog"),
    ("show me my notes on kubernetes", "kubernetes"),
    ("find me everything about beets", "beets"),
    ("tell me about Tomas", "Tomas"),
    ("looking for that note on apologies", "apologies"),
    ("something about elbows", "elbows"),
    ("is there anything on taxes", "taxes"),
    ("what do I know about Anna?", "Anna?"),
    ("what have I written down about sleep", "sleep"),
    ("what did I say about the Okafors in my notes?", "the Okafors"),
    ("the socks I wrote about", "the socks"),
    ("Wo habe ich über Palermo geschrieben?", "Palermo"),
    ("Notizen zum Garten", "Garten"),
    ("Habe ich etwas über Bienen?", "Bienen?"),
]
KEPT = [
    "the note",
    "that idea about sending mail",
    "thing of beauty",
    "What was that about?",
    "what have I got on",
    "where did I put the keys",
    "find files by name",
    "show me how the water is shut off",
    "how do I record what is playing in the browser",
    "Wo habe ich mein Fahrrad abgestellt?",
    "notes",
    "",
    "?",
]


@pytest.mark.parametrize(("question", "rest"), CUT)
def test_a_frame_is_cut_off(question: str, rest: str) -> None:
    assert without_frame(question) == rest


@pytest.mark.parametrize("question", KEPT)
def test_a_question_without_a_frame_stays(question: str) -> None:
    assert without_frame(question) == question


def test_a_frame_stays_if_no_telling_word_remains() -> None:
    for question in (
        *("tell me about ?", "my notes about …", "something like !", "What I wrote"),
        *("notes about what I wrote", "Was habe ich geschrieben?", "Was hat Goethe gesagt?"),
    ):
        assert without_frame(question) == question


def test_a_long_question_takes_little_time() -> None:
    assert without_frame("show me " * 20_000).startswith("show me")
    assert without_frame("dog" + "," * 50_000 + "cat").endswith("cat")
    assert without_frame("wo habe ich " + "etwas " * 20_000 + "über x").endswith("x")
