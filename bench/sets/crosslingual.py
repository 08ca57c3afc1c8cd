"""Questions in one language to text in another: parallel XQuAD, all pairs of en, de and zh.

The vaults have the multilingual model, as a user with several languages would choose.
"""

from pathlib import Path

from bench.daemon import DATA
from bench.sets import vaults
from bench.sets.model import Question, QuestionSet, Vault, order_of

NAME = "crosslingual"
QUESTIONS = 150  # of each pair, the same ones


def make(data: Path = DATA) -> QuestionSet:
    texts = {language: vaults.xquad(language, data) for language in vaults.LANGUAGES}
    chosen = sorted((q.id for q in texts["en"].questions), key=order_of)[:QUESTIONS]
    questions = [
        Question(
            f"{NAME}/{asked}-{written}/{question.id}",
            question.text,
            f"{asked} to {written}",
            f"xquad-{written}-any",
            question.answers,
            min(question.answers),
        )
        for asked in vaults.LANGUAGES
        for written in vaults.LANGUAGES
        for question in texts[asked].questions
        if question.id in chosen
    ]
    found = {
        f"xquad-{language}-any": Vault(text.documents, language="multilingual")
        for language, text in texts.items()
    }
    return QuestionSet(NAME, questions, found)
