"""Filters in the text of a question, properties, mistyped words: a real daemon."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.searches import Vault, serve_text
from tests.patience import PATIENCE_S

NOTES = {
    "Recipes/Lentil soup.md": "---\nrating: 4.5\nstatus: Active\ndue: 2025-01-31T10:00\n"
    "cuisine: [Indian, home]\nnested:\n  deep: yes\n---\nA soup of red lentils and cumin.\n",
    "Recipes/Chicken soup.md": "---\nrating: 3\nstatus: done\nstatus-date: 2024-05-01\n---\n"
    "A soup of chicken, chicken and more chicken.\n",
    "Recipes/Plain soup.md": "---\nrating: ten\n---\nA soup without chicken, but with salt.\n",
    "Journal/2024-03-01.md": "Don't forget the exact\nphrase of the contract. #work/legal\n",
    "Journal/2024-03-02.md": "The phrase was not exact at all. #work\n",
    "Secret/Hidden soup.md": "---\nhidden: yes\n---\nA soup that nobody may see.\n",
    "Birds/Kingfisher.md": "---\naliases: [Ice bird]\n---\nA kingfisher dived at the weir.\n",
    "Birds/图.md": "机器学习笔记\n",
}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES, indexing={"deny_dirs": ["Secret"]}) as vault:
        yield vault


def found(vault: Vault, question: str, **more: object) -> list[str]:
    asked = vault.search(question, **more)
    assert asked.status == 200, asked.envelope
    return sorted({Path(file).stem for file in asked.files})


LENTIL, CHICKEN, PLAIN = "Lentil soup", "Chicken soup", "Plain soup"


@pytest.mark.parametrize(
    ("question", "notes"),
    [
        ('"exact phrase"', ["2024-03-01"]),
        ("“Exact  Phrase” of what?", ["2024-03-01"]),
        ('phrase -"exact phrase"', ["2024-03-02"]),
        ("soup -chicken", [LENTIL]),
        ("soup -Chickens", [CHICKEN, LENTIL, PLAIN]),
        ("phrase tag:work", ["2024-03-01", "2024-03-02"]),
        ("phrase tag:#work/legal", ["2024-03-01"]),
        ("phrase -tag:work/legal", ["2024-03-02"]),
        ("phrase tag:work tag:work/legal", ["2024-03-01"]),
        ("soup folder:recipes title:lentil", [LENTIL]),
        ("soup -title:soup", []),
        ("soup -folder:Recipes", []),
        ('title:"lentil soup"', [LENTIL]),
        ("soup prop:status=active", [LENTIL]),
        ("soup prop:Status=ACTIVE", [LENTIL]),
        ("soup prop:rating>=3", [CHICKEN, LENTIL]),
        ("soup prop:rating>3", [LENTIL]),
        ("soup prop:rating!=3", [LENTIL, PLAIN]),
        ("soup prop:rating=ten", [PLAIN]),
        ("soup prop:rating=3.0", [CHICKEN]),
        ("soup prop:due<2025-02-01", [LENTIL]),
        ("soup prop:due>2025-01-31", []),
        ("soup prop:cuisine=indian", [LENTIL]),
        ("soup prop:cuisine=home prop:status", [LENTIL]),
        ("soup -prop:status", [PLAIN]),
        ("soup -prop:status=done", [LENTIL, PLAIN]),
        ("soup prop:deep=yes", []),
        ("soup prop:nested", []),
        ("prop:rating<4", [CHICKEN]),
        ("what happened prop:rating<4", [CHICKEN]),
        ("tag:work", ["2024-03-01", "2024-03-02"]),
        ("机器学习 -笔记", []),
        ('"机器学习"', ["图"]),
    ],
)
def test_limits_in_a_question_hold(vault: Vault, question: str, notes: list[str]) -> None:
    assert found(vault, question) == notes


@pytest.mark.parametrize(
    "question",
    [
        "don't forget",
        'a stray " quote of the phrase',
        "it’s “half a phrase",
        "phrase - contract",
        "what does tag: phrase mean",
        "phrase prop:=",
        "-",
        '"" phrase',
        "5 -3 phrase",
        "“„«phrase",
    ],
)
def test_everything_else_is_a_plain_question(vault: Vault, question: str) -> None:
    asked = vault.search(question)
    assert asked.status == 200 and asked.data["understood"]["filters"] == []
    if "phrase" in question or "forget" in question:
        assert asked.files


def test_a_question_in_quotes_is_a_question_where_no_note_has_it_word_by_word(vault: Vault) -> None:
    asked = vault.search('"Which soup has lentils in it?"')
    assert Path(asked.files[0]).stem == LENTIL
    assert "; its words were searched." in asked.data["hint"]
    assert asked.data["understood"]["filters"] == []
    assert found(vault, '"soup of lentils" -chicken') == [LENTIL]


def test_words_of_a_foreign_question_are_not_mistyped(vault: Vault) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not vault.search("Which of the contracts have the exact phrasse?").data["corrections"]:
        assert time.monotonic() < deadline  # the words are counted in the background
    german = vault.search("Wo stehen denn in meinen Notizen die Phrasen, die ich gesucht habe?")
    assert german.data["corrections"] == []


def test_properties_are_a_parameter_of_the_tool(vault: Vault) -> None:
    assert found(vault, "soup", properties=["status=active"]) == [LENTIL]
    assert found(vault, "soup", properties=["rating>=3", "status=done"]) == [CHICKEN]
    assert found(vault, "soup", properties=["cuisine"]) == [LENTIL]
    refused = vault.search("soup", properties=["=active"])
    assert (refused.status, refused.code) == (400, "INVALID_REQUEST")
    assert "rating>=4" in refused.message


def test_a_note_is_shown_by_its_alias(vault: Vault) -> None:
    shown = vault.get("/v1/notes?path=%5B%5BIce%20bird%5D%5D")
    assert (shown.status, shown.data["path"]) == (200, "Birds/Kingfisher.md")


def test_what_is_not_wanted_comes_last_and_a_negated_word_does_not_count(vault: Vault) -> None:
    asked = vault.search("a soup without chicken")
    files = [Path(file).stem for file in asked.files]
    assert files[-1] == CHICKEN and PLAIN in files[:2]
    assert asked.data["understood"]["filters"] == ['passages with "chicken" come last']
    assert [Path(file).stem for file in vault.search("soup but not chicken").files][-1] == CHICKEN


def test_a_folder_in_a_question_is_refused_as_the_filter_is(vault: Vault) -> None:
    refused = vault.search("soup folder:Recipies")
    assert refused.code == "UNKNOWN_DIRECTORY"
    assert refused.envelope["error"]["suggestion"] == "Did you mean `Recipes`?"
    denied = vault.search("soup folder:Secret")
    assert denied.code == "UNKNOWN_DIRECTORY"
    assert "Secret" not in str(denied.envelope)


@pytest.mark.parametrize(
    ("question", "hint"),
    [
        ("soup prop:ratng=3", "No note has the property `ratng`. Did you mean `rating`?"),
        ("prop:ratng", "No note has the property `ratng`. Did you mean `rating`?"),
        ("soup tag:wrok", "No note has the tag `wrok`. Did you mean `work`?"),
        ("phrase tag:work tag:zzzz", "No note has the tag `zzzz`."),
        (
            "prop:rating>abc",
            "No note has `rating>abc`. Only numbers and dates can be compared with `>`.",
        ),
        ("prop:rating>100", "No note has `rating>100`."),
        ("prop:status=actve", "No note has `status=actve`."),
        ("prop:hiddn", "No note has the property `hiddn`."),
    ],
)
def test_a_name_that_no_note_has_is_reported_with_the_closest_one(
    vault: Vault, question: str, hint: str
) -> None:
    asked = vault.search(question)
    assert (asked.status, asked.files, asked.data["hint"]) == (200, [], hint)


def test_an_unknown_name_is_also_reported_next_to_results(vault: Vault) -> None:
    asked = vault.search("phrase", tags=["work", "wrok"])
    assert asked.files and asked.data["hint"].startswith("No note has the tag `wrok`.")
    asked = vault.search("soup -folder:Recipies -tag:wrok -prop:ratng")
    assert asked.files and asked.data["hint"].splitlines() == [
        "The folder `Recipies` is not in the index. Did you mean `Recipes`?",
        "No note has the tag `wrok`. Did you mean `work`?",
        "No note has the property `ratng`. Did you mean `rating`?",
    ]
    assert "hint" not in vault.search("soup -folder:Birds -tag:work prop:status!=done").data


def test_what_was_understood_is_said(vault: Vault) -> None:
    asked = vault.search('soup -chicken tag:work prop:rating>=3 "red lentils"')
    assert asked.data["understood"]["filters"] == [
        'not "chicken"',
        "tag work",
        "property rating >= 3",
        '"red lentils"',
    ]


def test_a_mistyped_word_is_corrected_from_the_vaults_own_words(vault: Vault) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not (asked := vault.search("who saw the kingfihser?")).data["corrections"]:
        assert time.monotonic() < deadline  # the words are counted in the background
    assert asked.data["corrections"] == [{"word": "kingfihser", "used": ["kingfisher"]}]
    assert asked.files[0] == "Birds/Kingfisher.md"
    assert vault.search("kngfishr").files == ["Birds/Kingfisher.md"]
    for clean in ("who saw the kingfisher?", "soups of lentils", "机器学刁", "tram", "Ice bird"):
        assert vault.search(clean).data["corrections"] == []


def test_the_name_of_a_file_is_the_name_of_its_note(vault: Vault) -> None:
    assert Path(vault.search("Lentil soup.md").files[0]).stem == LENTIL
