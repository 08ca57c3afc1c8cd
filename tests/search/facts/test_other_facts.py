"""Sentences that name the subject of a question and state nothing about the asked fact: an attack.

Each newer sentence was once taken for a statement, so the true one was marked as outdated.
"""

import pytest

from tests.search.facts.test_superseding import order

OLDER, NEWER = "2025-03-02", "2026-09-14"
OTHER_FACTS = {
    ("Where does Marco live?", "Marco lives at 12 Hill Road, Oslo."): (
        "Paid Marco 40 for pizza.",
        "Borrowed 650 euros from Marco.",
        "Marco ran the Berlin Marathon 2023.",
        "Marco: flight BA 204 to Lima.",
        "Marco arrives on March 5.",
        "Marco and I moved the boxes to Mum's.",
        "Marco gave me 20 Kinder eggs.",
        "Met Marco at the place with 30 beers.",
        "Marco came via Lyon 2 hours late.",
        "Marco, Room 12, will take the keys.",
        "Sent Marco the photos via WhatsApp, 3 of them were blurry.",
        "Marco's sister lives in Paris.",
        "Marco wants to live in Rome one day.",
    ),
    ("Where do I live?", "I live in Graz, Annenstraße 5."): (
        "We drove to Rome via Verona in July.",
        "Signed up via the website, they gave me 3 days.",
    ),
    ("Wo wohnt Jonas?", "Jonas wohnt in der Lindenstraße 5 in Kassel."): (
        "Jonas 20 € gegeben.",
        "Jonas kommt am Samstag 14 Uhr.",
        "Mit Jonas 12 Kilometer gelaufen.",
        "Jonas hat in Berlin 3 Tage frei.",
        "Jonas hat mir die Adresse vom Zahnarzt in Linz geschickt.",
        "Jonas fuhr via Brenner in Urlaub.",
    ),
    ("Where does Anna work?", "Anna works at Siemens."): (
        "Anna is a little tired.",
        "Anna was an hour late for lunch.",
        "Anna joined Dad for lunch.",
        "Anna is a great cook.",
        "Anna is a good friend.",
        "Anna started at the gym.",
        "Anna works on her garden at weekends.",
        "Anna had a job interview at Bosch.",
    ),
    ("Wo arbeitet Jonas?", "Jonas arbeitet bei Bosch."): (
        "Jonas meint, es könnte morgen regnen.",
        "Jonas hatte es zuvor nie gesagt.",
        "Jonas hat begonnen, jeden Tag in den Park zu gehen.",
        "Jonas besichtigte das Werk in Linz.",
    ),
    ("How much do I owe Bo?", "I owe Bo $90."): (
        "Bo transfers trains in Linz, the ticket was $20.",
        "Spent the rest of the day with Bo, cinema was $30.",
        "Came back with Bo late, taxi $25.",
        "Bo is on page 120 of the book, it was $12.",
    ),
    ("Was schulde ich Jonas?", "Ich schulde Jonas 90 €."): (
        "Fenster offen gelassen, Jonas hat Heizkosten von 200 €.",
        "Mit Jonas zurück aus Wien, Zug 25 €.",
        "Mit Jonas Reste gegessen, Wein 8 €.",
        "Jonas kündigte sein Abonnement, 15 € im Monat.",
    ),
    ("How much do I weigh?", "I weigh 82 kg."): (
        "Tom told me he weighs 80 kilos.",
        "We picked 12 kilos of apples.",
        "Mum gave me 2 kilos of plums.",
    ),
    ("How much does Bruno weigh?", "Bruno weighs 12 kg."): (
        "Bruno: vet at 2026-09-14T10:30, nothing wrong.",
        "Ordered a 15 kg bag of food for Bruno.",
        "Bruno ate 2 kg of food this week.",
    ),
    ("What does the gym cost?", "The gym costs $30."): ("Bought a towel for the gym, $12.",),
    ("How old is Theo?", "Theo turned 4."): ("Theo ate 3 pancakes.", "Zoo with Theo, 3 hours."),
    ("What is Ivo's phone number?", "Ivo's number: 555 0199 22."): ("Ivo on the phone at 10:30.",),
    ("¿Dónde vive Ana?", "Ana vive en Sevilla."): (
        "La hermana de Ana vive en París.",
        "Paseo con Ana, 5 km.",
        "Un largo día con Ana, 12 horas.",
    ),
    ("¿En qué trabaja Ana?", "Ana trabaja de enfermera en el hospital."): (
        "Ana es mayor que yo.",
        "Ana empezó a correr para el maratón.",
        "Ana firmó el contrato de alquiler.",
        "El trabajo de Luis aburre a Ana.",
        "Ana salió tarde del trabajo y no vino a cenar.",
    ),
    ("¿Cuánto le debo a Ana?", "Le debo a Ana 300 €."): (
        "Pasé el resto del día con Ana, cine 12 €.",
        "Ana pagó la cena, 45 €.",
        "Presté 50 € a Ana para el taxi.",
        "Quedan 3 entradas para el concierto con Ana a 20 €.",
    ),
    ("¿Cuánto cuesta el vuelo?", "El vuelo a Roma cuesta 120 €."): (
        "El vuelo a Madrid cuesta 80 €.",
    ),
    ("Où habite Claire ?", "Claire habite à Lyon."): (
        "La sœur de Claire habite à Nice.",
        "Claire a pris le train via Dijon en Août.",
    ),
    ("Où travaille Claire ?", "Claire travaille comme infirmière."): (
        "Claire est contente de son voyage.",
        "Claire a commencé à courir.",
        "Claire est devenue maman en mars.",
    ),
    ("Combien je dois à Paul ?", "Je dois 80 € à Paul."): (
        "Resto avec Paul : 45 €.",
        "J'ai rendu visite à Paul, train 40 €.",
        "Paul reste dîner, vin 12 €.",
        "Paul me rembourse 20 €.",
    ),
    ("Quel est mon loyer ?", "Le loyer est de 900 €."): ("Le loyer du garage est de 90 €.",),
    ("Dove lavora Anna?", "Anna lavora come infermiera."): (
        "Anna è elegante.",
        "Anna è diventata mamma in marzo.",
        "Anna ha firmato il contratto di affitto in centro.",
    ),
    ("Onde trabalha a Inês?", "A Inês trabalha como enfermeira."): (
        "O assunto com a Inês foi longo, falámos da viagem.",
        "A Inês começou a correr no parque.",
    ),
    ("Hoeveel ben ik Jan schuldig?", "Ik ben Jan € 90 schuldig."): (
        "Jan heeft me 40 euro terugbetaald.",
        "Met Jan terug uit Parijs, trein 40 euro.",
        "Ik heb Jan 50 euro geleend.",
    ),
    ("Waar werkt Jan?", "Jan werkt bij Philips."): (
        "Jan is zeker op vakantie.",
        "Jan kwam laat uit het werk en viel op de bank in slaap.",
    ),
    ("Где живёт Надя?", "Надя живёт в Туле."): ("Сестра Нади живёт в Москве.",),
    ("Где работает Игорь?", "Игорь работает врачом."): (
        "Взяли с Игорем пиццу на двоих.",
        "Игорь стал отцом.",
    ),
    ("Сколько весит Рекс?", "Рекс весит 30 кг."): (
        "Гуляли с Рексом, 5 километров.",
        "Рекс весит меньше, чем в 2023 г.",
    ),
    ("Сколько я должен Анне?", "Я должен Анне 3000 руб."): (
        "Анна вернула 500 руб.",
        "Дал Анне в долг 500 руб.",
    ),
    ("李雷住在哪里？", "李雷住在北京。"): (
        "李雷忍不住笑了。",
        "李雷住院了，我去看他。",
        "李雷去超市买了3个苹果。",
        "李雷的妹妹住在上海。",
    ),
    ("李雷做什么工作？", "李雷在银行工作。"): (
        "李雷当然同意了。",
        "李雷在家做饭。",
        "李雷加入了我们的篮球队。",
    ),
    ("我欠李雷多少钱？", "我欠李雷300元。"): (
        "李雷还没来，我买了30元的咖啡。",
        "李雷还了我50元。",
        "李雷付了午饭，50元。",
    ),
    ("健太はどこに住んでる？", "健太は京都に住んでいる。"): (
        "健太の妹は奈良に住んでいる。",
        "健太と市場で3時間過ごした。",
    ),
    ("健太の仕事は？", "健太は銀行で働いている。"): (
        "健太はサッカーをしている。",
        "健太は元気になった。",
    ),
    ("健太にいくら借りてる？", "健太に3万円借りた。"): (
        "健太が1万円返した。",
        "健太に1万円返してもらった。",
        "健太と残業、夕食1200円。",
    ),
}


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [(*asked, newer) for asked, sentences in OTHER_FACTS.items() for newer in sentences],
)
def test_a_sentence_about_something_else_supersedes_nothing(
    question: str, older: str, newer: str
) -> None:
    assert order(question, (OLDER, older), (NEWER, newer)) == "0 1"


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        ("Where does Marco live?", "Marco lives in Oslo.", "Marco's new address: 4 Kiln Rd."),
        ("Where does Marco live?", "Marco lives in Oslo.", "Marco is now at 12 Hill Road, Bonn."),
        ("Wo wohnt Jonas?", "Jonas wohnt in Kassel.", "Jonas ist nach Köln gezogen."),
        ("Wo wohnt Ben van Dijk?", "Ben van Dijk wohnt in Ulm.", "Ben van Dijk zog nach Graz."),
        ("Where does Anna work?", "Anna works at Siemens.", "Anna is now a glass blower."),
        ("Where does Anna work?", "Anna works at Siemens.", "Anna got a job at Bosch."),
        ("Was macht Anna beruflich?", "Anna arbeitet bei Bosch.", "Anna ist jetzt Köchin im Eck."),
        ("gym price per month", "The gym costs $30.", "The gym went up to $35."),
        ("Dan phone number", "Dan's number: 555 0199 22.", "Dan's new number: 555 0142 33."),
        ("van repair cost", "The van repair costs $300.", "The van repair costs $350 now."),
        ("How old is Theo?", "Theo turned 4.", "Theo turned 5 today."),
        ("Wie viel Geld bekommt Bo noch von mir?", "Ich schulde Bo 90 €.", "Bo 40 € überwiesen."),
        ("¿Cuánto pesa Mia?", "Mia pesa 8 kg.", "Mia pesa 9 kg."),
        ("¿Dónde vive Ana?", "Ana vive en Sevilla.", "Ana se ha mudado a Cádiz."),
        ("Où habite Claire ?", "Claire habite à Lyon.", "Claire a déménagé à Nice."),
        (
            "Onde trabalha a Inês?",
            "A Inês trabalha como cozinheira.",
            "A Inês é enfermeira no Sul.",
        ),
        ("Waar woont Lotte?", "Lotte woont in Breda.", "Lotte is naar Delft verhuisd."),
        ("Где работает Игорь?", "Игорь работает врачом.", "Игорь теперь директор школы."),
        ("我欠李雷多少钱？", "我欠李雷300元。", "李雷借给了我400元。"),
    ],
)
def test_a_newer_statement_in_other_words_comes_first(
    question: str, older: str, newer: str
) -> None:
    assert order(question, (OLDER, older), (NEWER, newer)) == "1 (0)"
