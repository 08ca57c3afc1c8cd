"""Questions for facts that change in other languages: their topic, their subject, the newest."""

import pytest

from ragd.search.facts.question_subject import find_asked_fact
from ragd.search.facts.superseding import newest_first
from ragd.search.ranking.fusion import Candidate


@pytest.mark.parametrize(
    ("question", "topic", "subject"),
    [
        ("Wie viel schulde ich Sreenivas?", "debt", "Sreenivas?"),
        ("Wo wohnt Jonas jetzt?", "address", "Jonas"),
        ("¿Cuánto le debo a Sreenivas?", "debt", "Sreenivas?"),
        ("cuanto debo a Ana por el coche", "debt", "Ana"),
        ("¿Cuánto pesa Toby?", "weight", "Toby?"),
        ("¿Dónde vive Marta ahora?", "address", "Marta"),
        ("¿En qué trabaja Luis?", "job", "Luis?"),
        ("¿Cuál es el teléfono de Luis?", "contact", "Luis?"),
        ("Combien je dois à Paul ?", "debt", "Paul"),
        ("Où habite Claire maintenant ?", "address", "Claire"),
        ("Quel est mon loyer ?", "balance", "loyer"),
        ("Quanto devo ancora a Marco?", "debt", "Marco?"),
        ("Quanto costa la palestra?", "price", "palestra?"),
        ("Onde mora a Inês agora?", "address", "Inês"),
        ("Hoeveel ben ik Jan nog schuldig?", "debt", "Jan"),
        ("Hoe hoog is de huur?", "balance", "huur?"),
        ("Сколько я должен Анне?", "debt", "Анне?"),
        ("Где сейчас живёт Николай?", "address", "Николай?"),
        ("我还欠李雷多少钱？", "debt", "李雷"),
        ("李雷现在住在哪里？", "address", "李雷"),
        ("我欠 Sreenivas 多少钱？", "debt", "sreenivas"),
        ("健太にいくら借りてる？", "debt", "健太"),
        ("美咲は今どこに住んでいますか？", "address", "美咲"),
    ],
)
def test_a_question_names_a_topic_and_a_subject(question: str, topic: str, subject: str) -> None:
    wanted = find_asked_fact(question)
    assert wanted is not None
    assert wanted.topic is not None
    assert wanted.topic.name == topic
    assert wanted.words == subject


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("How old is my son?", "son?"),
        ("What did the trip to Costa Rica cost?", "trip Costa Rica"),
        ("How many pesos are in the red box?", "pesos red box?"),
    ],
)
def test_words_of_other_languages_stay_in_an_english_subject(question: str, subject: str) -> None:
    wanted = find_asked_fact(question)
    assert wanted is not None and wanted.words == subject


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        ("¿Cuánto le debo a Ana?", "Le debo a Ana 300 €.", "Le devolví 100 € a Ana."),
        ("¿Dónde vive Ana?", "Ana vive en Sevilla.", "Ana se mudó a Cádiz."),
        ("¿En qué trabaja Ana?", "Ana trabaja de enfermera.", "Ana trabaja como profesora."),
        ("Combien je dois à Paul ?", "Je dois 80 € à Paul.", "J'ai remboursé 50 € à Paul."),
        ("Combien coûte la salle ?", "La salle coûte 30 €.", "La salle est passée à 35 €."),
        ("Quanto devo a Marco?", "Devo 40 euro a Marco.", "Ho pagato 20 euro a Marco."),
        ("Quanto pesa o Bolt?", "O Bolt pesa 12 quilos.", "O Bolt já tem 13 quilos."),
        ("Hoeveel ben ik Jan schuldig?", "Ik ben Jan € 90 schuldig.", "Jan € 40 terugbetaald."),
        ("Waar woont Lotte?", "Lotte woont in Breda.", "Lotte is verhuisd naar Delft."),
        ("Сколько я должен Анне?", "Должен Анне 3000 руб.", "Вернул Анне 1 000 ₽."),
        ("Где живёт Марина?", "Марина живёт в Туле.", "Марина переехала в Казань."),
        ("Где работает Игорь?", "Игорь работает врачом.", "Игорь устроился в школу."),
        ("Сколько весит Мурка?", "Мурка весит 4 кг.", "У Мурки уже 4,5 кг."),
        ("我欠李雷多少钱？", "我欠李雷300元。", "还了李雷100元。"),
        ("李雷住在哪里？", "李雷住在北京。", "李雷搬到上海了。"),
        ("李雷做什么工作？", "李雷在银行工作。", "李雷跳槽到学校。"),
        ("健太にいくら借りてる？", "健太に3万円借りた。", "健太に1万円返した。"),
        ("健太はどこに住んでる？", "健太は京都に住んでいる。", "健太は奈良に引っ越した。"),
        ("健太の仕事は？", "健太は銀行で働いている。", "健太は教師になった。"),
        ("Wie viel schulde ich Bo?", "I owe Bo $90.", "Paid Bo $40 back."),
        ("我欠 Bo 多少钱？", "I owe Bo $90.", "Ich schulde Bo noch 50 €."),
        ("Quanto peso?", "Ich wiege 82 kg.", "Adesso peso 79 kg, io."),
    ],
)
def test_the_newest_statement_comes_first_in_any_of_these_languages(
    question: str, older: str, newer: str
) -> None:
    said = [("2021-01-01", older), ("2023-01-01", newer)]
    ranked = [
        Candidate(f"{at}", f"{at}.md", text=text, date=date) for at, (date, text) in enumerate(said)
    ]
    found = newest_first(find_asked_fact(question), ranked)
    assert [one.chunk_id for one in found] == ["1", "0"]
    assert [one.is_superseded for one in found] == [False, True]


@pytest.mark.parametrize(
    ("question", "owed", "other"),
    [
        ("¿Cuánto le debo a Ana?", "Le debo a Ana 300 €.", "Ana me devolvió 50 €."),
        ("¿Cuánto me debe Ana?", "Ana me debe 20 €.", "Le debo a Ana 300 €."),
        ("我欠李雷多少钱？", "我欠李雷300元。", "李雷还给我50元。"),
        ("Сколько я должен Анне?", "Я должен Анне 3000 руб.", "Анна мне вернула 500 руб."),
    ],
)
def test_a_debt_in_the_other_direction_supersedes_nothing(
    question: str, owed: str, other: str
) -> None:
    said = [("2021-01-01", owed), ("2023-01-01", other)]
    ranked = [
        Candidate(f"{at}", f"{at}.md", text=text, date=date) for at, (date, text) in enumerate(said)
    ]
    assert not any(one.is_superseded for one in newest_first(find_asked_fact(question), ranked))
