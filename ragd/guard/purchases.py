"""Finds the prices of small purchases in a text, such as "a flat white for 4.50 €". Pure.

Such a price says nothing about debts. It never takes a price out of a sentence in which money
changes hands between people ("gave me $5 for the coffee"), and none of 100 or more.
"""

from ragd.notes.late_pattern import LatePattern

# What people buy in a café, in a shop on the way, or at the door.
_ITEM = (
    r"(?:coffees?|espressos?|flat whites?|cappuccinos?|lattes?|americanos?|macchiatos?|mochas?"
    r"|teas?|chai|hot chocolates?|lemonades?|juices?|smoothies?|croissants?|pastry|pastries"
    r"|muffins?|cakes?|pies?|cookies|bagels?|sandwich(?:es)?|toast|brunch|breakfast|lunch|dinner"
    r"|pizzas?|burgers?|fries|soups?|salads?|ramen|kebabs?|falafel|ice creams?|gelato|beers?"
    r"|pints?|glass of wine|wine|cocktails?|snacks?|pretzels?|donuts?|doughnuts?|bread"
    r"|(?:museum|cinema|movie|train|bus|tram|metro|concert|theatre) tickets?"
    r"|books?|magazines?|newspapers?|postcards?|flowers"
    r"|(?:milch)?kaffees?|tees?|kuchen|brötchen|brezeln?|brot|bier|wein|eis|frühstück|mittagessen"
    r"|abendessen|suppe|pommes|currywurst|döner|eintritt|buch|blumen"
    r"|cafés?|thé|chocolat chaud|bières?|gâteaux?|tartes?|glace|déjeuner|dîner|livre"
    r"|cortado|té|cervezas?|pastel|bocadillos?|tapas|helado|desayuno|pan|libro)"
)
_NUMBER = r"\d{1,2}(?:[.,]\d{1,2})?"
_PRICE = (
    rf"(?:[€$£]\s?{_NUMBER}(?![\d.,]*\d)(?!\s?(?:k|mio|tsd|thousand|hundred|million)(?!\w))"
    rf"|(?<![\d.,]){_NUMBER}\s?(?:[€£$](?!\s?\d)"
    r"|(?:euros?|eur|dollars?|usd|bucks|quid|gbp|chf|franken|pesos?)(?!\w)))"
)
_LINK = (
    r"(?:was|were|is|are|cost|costs|for|at|only|just|now|about|came to|kostet|kostete|kosten|war"
    r"|ist|für|um|zu|nur|coûte|coûtait|était|à|pour|cuesta|costó|costaba|era|a|por|de)"
)
_PRICED = LatePattern(rf"(?<!\w){_ITEM}(?!\w)(?:\s+{_LINK}){{0,3}}\s?[:,(–-]?\s?{_PRICE}")
_BOUGHT = LatePattern(
    rf"{_PRICE}\s+(?:for|für|pour|por)\s+(?:[\w’']+\s+){{0,3}}{_ITEM}(?!\w)"  # $5 for a coffee
)
_PRICED_ZH = LatePattern(
    r"(?:咖啡|拿铁|奶茶|茶|蛋糕|面包|早饭|午饭|晚饭|早餐|午餐|晚餐|门票)[^\d。！？\n]{0,3}"
    r"(?<!\d)\d{1,2}(?:\.\d)? ?(?:元|块钱|块)"
)
# Words of a sentence in which money goes from one person to another, or is still to go.
_BETWEEN_PEOPLE = LatePattern(
    r"(?<!\w)(?:me|him|her|them|us|from|back|still|gives?|gave|giving|given|gets?|need(?:s|ed)?"
    r"|covered|covers|treated|fronted|spotted|tab|split|shares?|shared|venmo\w*|paypal\w*|transfer\w*"
    r"|wired?|sen[dt]|sends|collect\w*|mir|dir|ihm|ihr|ihnen|uns|von|zurück|noch|gib|gibt|gab|gegeben"
    r"|kriege|kriegt|bekomme|bekommt|bekam|ausgelegt|vorgestreckt|auslegen|teilen|geteilt"
    r"|moi|lui|leur|encore|rend\w*|donn\w+|doi[st]|doit|avanc\w+|todavía|aún|falta\w*|devolver"
    r"|devuelv\w*|dio|dar|debe\w*|debo)(?!\w)|[欠借还還给給]"
)
_END = LatePattern(r"(?<=[.!?。！？])(?=\s|[^\s\d.,])|(?<=\n)")


def without_purchases(text: str) -> str:
    """A normalised text without the prices of small purchases."""
    return "".join(map(_without_prices, _END.split(text)))


def _without_prices(sentence: str) -> str:
    if _BETWEEN_PEOPLE.search(sentence):
        return sentence
    for form in (_PRICED, _BOUGHT, _PRICED_ZH):
        sentence = form.sub(" , ", sentence)
    return sentence
