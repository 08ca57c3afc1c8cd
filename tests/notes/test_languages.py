"""The language of a text."""

import pytest

from ragd.notes.languages import language_of

SENTENCES = [
    ("en", "The meeting was moved to Friday because the room is not free."),
    ("de", "Die Besprechung wurde auf Freitag verschoben, weil der Raum nicht frei ist."),
    ("fr", "La réunion a été reportée à vendredi parce que la salle n'est pas libre."),
    ("es", "La reunión se cambió al viernes porque la sala no está libre."),
    ("it", "La riunione è stata spostata a venerdì perché la sala non è libera."),
    ("pt", "A reunião foi adiada para sexta-feira porque a sala não está livre."),
    ("nl", "De vergadering is naar vrijdag verplaatst omdat de kamer niet vrij is."),
    ("sv", "Mötet flyttades till fredag för att rummet inte är ledigt."),
    ("pl", "Spotkanie przeniesiono na piątek, bo sala nie jest wolna i już."),
    ("tr", "Toplantı cuma gününe alındı çünkü oda boş değil ve bu bir sorun."),
    ("ru", "Встречу перенесли на пятницу, потому что комната занята."),
    ("uk", "Зустріч перенесли на п'ятницю, бо кімната зайнята її колегами."),
    ("ar", "تم تأجيل الاجتماع إلى يوم الجمعة لأن الغرفة مشغولة."),
    ("fa", "جلسه به جمعه موکول شد چون اتاق خالی نیست و گروه دیگری آنجاست."),
    ("he", "הפגישה נדחתה ליום שישי כי החדר תפוס."),
    ("el", "Η συνάντηση μεταφέρθηκε την Παρασκευή."),
    ("zh", "会议改到星期五，因为房间没有空。"),
    ("ja", "会議は金曜日に変更されました。部屋が空いていないからです。"),
    ("ko", "회의실이 비어 있지 않아서 회의가 금요일로 변경되었습니다."),
    ("th", "การประชุมเลื่อนไปวันศุกร์เพราะห้องไม่ว่าง"),
    ("hi", "बैठक शुक्रवार को स्थगित कर दी गई।"),
]


@pytest.mark.parametrize(("code", "text"), SENTENCES)
def test_a_sentence_shows_its_language(code: str, text: str) -> None:
    assert language_of(text) == code


@pytest.mark.parametrize("text", ["", "42", "2024-03-01", "Pizza", "Mara Schmidt", "x = y[3]"])
def test_names_and_numbers_have_no_language(text: str) -> None:
    assert language_of(text) is None


def test_a_question_shows_its_language() -> None:
    assert language_of("Wann war ich beim Zahnarzt?") == "de"
    assert language_of("¿Dónde está la llave de la casa?") == "es"
    assert language_of("when did I see the dentist") == "en"


def test_foreign_names_and_links_do_not_change_the_language() -> None:
    text = "Ich habe den Artikel gelesen: https://example.com/the-best-of-the-web-and-more `for in`"
    assert language_of(text) == "de"
    assert language_of("我昨天用 Python 和 Visual Studio Code 写了一个程序，很有意思。") == "zh"
    assert language_of("We met 田中さん at the station and he had the tickets for us.") == "en"
