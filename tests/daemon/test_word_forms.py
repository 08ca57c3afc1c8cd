"""Forms of a word find each other in languages other than English: a real daemon, words only."""

from collections.abc import Iterator

import pytest

from tests.daemon.searches import Vault, serve_text

NOTES = {
    "ru/one.md": "Вчера я потерял ключи от квартиры, но сосед нашёл их в саду.\n",
    "ru/two.md": "Сегодня мы купили новую машину и поехали на озеро.\n",
    "ar/one.md": "وضعت المفاتيح على الطاولة في المطبخ قبل أن أخرج من البيت.\n",
    "ar/two.md": "سافرنا في الصيف إلى البحر مع الأصدقاء.\n",
    "es/one.md": "Ayer escuché las canciones que grabamos con los vecinos en el verano.\n",
    "es/two.md": "Hoy compramos un coche nuevo y fuimos al lago con los niños.\n",
    "de/one.md": "Die alten Bäume hinter dem Haus wurden gestern von den Nachbarn gefällt.\n",
    "de/two.md": "Heute haben wir ein neues Auto gekauft und sind an den See gefahren.\n",
    "en/one.md": "The neighbours fell asleep in the garden after the concert.\n",
}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES) as vault:
        yield vault


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Где мой ключ от квартир?", "ru/one.md"),
        ("новая машина", "ru/two.md"),
        ("أين مفاتيح البيت؟", "ar/one.md"),
        ("رحلة الأصدقاء إلى بحر", "ar/two.md"),
        ("¿Qué canción grabó el vecino?", "es/one.md"),
        ("Welcher Baum wurde gefällt?", "de/one.md"),
        ("Baum", "de/one.md"),  # no function word shows the language
        ("neighbour", "en/one.md"),
    ],
)
def test_another_form_of_a_word_is_found(vault: Vault, question: str, note: str) -> None:
    assert vault.search(question).files[0] == note
