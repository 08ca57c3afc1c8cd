"""Lines of ordinary days, to surround the lines that questions are about. Pure, from a seed."""

import random

_DOING = (
    *("cooked lentil soup", "fixed the tap in the bathroom", "read two chapters on the sofa"),
    *("walked along the river", "sorted the old photographs", "planted beans on the balcony"),
    *("cleaned the bicycle chain", "practised the slow movement", "watched a film about whales"),
    *("wrote three long letters", "baked bread with too much salt", "repaired the garden chair"),
    *("swam forty lengths", "drew the church tower", "played cards until late"),
    *("painted the hallway", "picked elderberries", "learned ten new words of Finnish"),
    *("cycled to the lake", "ironed all the shirts", "listened to the rain", "built a shelf"),
    *("went to the flea market", "took the early train", "sewed a button on", "fed the ducks"),
)
_WHO = (
    *("my sister", "the neighbours", "an old classmate", "the children", "my father"),
    *("the postman", "a colleague", "my aunt", "the choir", "the people upstairs"),
)
_FEELING = (
    *("It did me good.", "I was tired afterwards.", "Worth doing again.", "Never again."),
    *("The weather was dull.", "The sun came out at noon.", "It rained without a stop."),
    *("My knee held up.", "I slept badly.", "I slept like a stone.", "Too much coffee."),
    *("The house was quiet.", "We laughed a lot.", "Nothing else happened.", "It took all day."),
)
_FORMS = (
    "I {doing}. {feeling}",
    "{feeling} Later I {doing}.",
    "With {who}: we {doing}.",
    "Met {who} in the morning, then I {doing}. {feeling}",
    "- [x] {doing}",
    "{who} came by while I {doing}.",
    "First I {doing}, then I {other}.",
    "Plan for tomorrow: call {who}. {feeling}",
)


def filler(source: random.Random) -> str:
    """One line that is not about any chain."""
    doing, other = source.sample(_DOING, 2)
    line = source.choice(_FORMS).format(
        doing=doing, other=other, who=source.choice(_WHO), feeling=source.choice(_FEELING)
    )
    return line if line.startswith("-") else line[0].upper() + line[1:]


def fillers(source: random.Random, least: int, most: int) -> list[str]:
    return [filler(source) for _ in range(source.randint(least, most))]
