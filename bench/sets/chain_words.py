"""The words that update chains are made of: subjects, values, sentences, questions. Only data.

In a sentence `{who}` is the subject and `{value}` what is said of it.
"""

from typing import NamedTuple


class Sort(NamedTuple):
    """One sort of chain. `first` opens a chain, `later` goes on, `last` may end it."""

    subjects: tuple[str, ...]
    first: tuple[str, ...]
    later: tuple[str, ...]
    last: tuple[str, ...]
    questions: tuple[str, ...]
    past: tuple[str, ...]


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.replace("\n", " ").split("|"))


PEOPLE = _split(
    """Anna Keller|Anna Brandt|Tomasz Wilk|Tomasz Nowak|Priya Raman|Priya Shah|Marco Bellini
    |Marco Dietz|Leila Haddad|Leila Sorensen|Jonas Meer|Jonas Aldridge|Ruth Okafor|Ruth Lindqvist
    |Sreedhar|Ingrid|Mateo|Yuki|Farid|Beatriz|Callum|Dimitra|Edwin|Fatou|Gustav|Hana|Ismail|Jolene
    |Kwame|Lucinda|Milos|Nadia|Orla|Pavel|Quentin|Rosalind|Stellan|Thandiwe|Ulrike|Vikram|Wanda
    |Xavier|Yasmin|Zoltan"""
)
PETS = _split(
    """Bruno the dog|our cat Mimi|the rabbit Clover|Pepper the parrot|our old dog Hector
    |the kitten Juno|Biscuit the guinea pig|the foal Aster|my niece Ella's hamster Fips
    |the tortoise Solon|our cat Tiger|the puppy Olive|the goat Frieda|the ferret Nils|my suitcase
    |the cargo bike|the baby|our nephew Theo|the hen Berta|the greyhound Comet|the pony Max
    |the travel backpack|the sourdough crock|the cat next door, Momo|the kayak|the cello case
    |the tent|the big pumpkin|the twins' stroller|the drone|the camera bag|the calf Lotte
    |Rocky the dog
    |the lamb Wolke|the spaniel Pip|the beehive in the yard|the toolbox|the accordion
    |the donkey Balthasar
    |the telescope"""
)
GOODS = _split(
    """the rent of the garage|a bag of beans at Miro's roastery|the monthly train pass
    |the piano lessons|the swimming club|a haircut at Lindner's|the phone contract|the storage unit
    |the gym on Mill Road|the organic vegetable box|a ticket for the night bus|the web hosting
    |the parking permit|a loaf of rye at the corner bakery|the kindergarten place
    |the house insurance
    |the dog walker|the allotment garden|the chess club|a litre of heating oil
    |the newspaper on paper
    |the cleaning of the chimney|the language course in Porto|a day of ski rental|the choir
    |the music streaming|a crate of apple juice from the press|the window cleaner
    |the bicycle service
    |the climbing hall|the babysitter|the mooring for the boat|the dance class|the laundry service
    |a visit to the sauna|the shared office desk|the password manager|the pottery kiln
    |the cinema card|the water bill"""
)
PROJECTS = _split(
    """Heron|Lighthouse|the kitchen rebuild|Marigold|the parish newsletter|Quartz|the rain barrel
    |Tangerine|the family archive|Osprey|the school website|Nutmeg|the treehouse|Basalt
    |the bike trailer|Juniper|the cookbook|Falcon|the attic insulation|Saffron|the podcast|Willow
    |the tax software switch|Cobalt|the balcony solar panels|Mistral|the neighbourhood map|Pelican
    |the photo scanning|Zephyr|the greenhouse|Thistle|the book translation|Obsidian Bay
    |the sauna cabin
    |Kestrel|the choir tour|Amber|the weather station|Larch"""
)
STREETS = _split(
    """Alder Street|Brewer Lane|Canal Row|Dovecote Road|Elm Square|Foundry Street|Garden Terrace
    |Harbour View|Ivy Lane|Juniper Close|Kiln Road|Linden Avenue|Meadow Walk|Nettle Hill
    |Orchard Street|Priory Lane|Quarry Road|River Terrace|Station Road|Tannery Court"""
)
TOWNS = _split(
    """Graz|Leeds|Utrecht|Porto|Bergen|Ghent|Turin|Brno|Aarhus|Lyon|Malmo|Zadar|Cork|Basel|Trieste
    |Gdansk|Nantes|Bremen|Girona|Tartu"""
)
JOBS = _split(
    """a nurse|a bus driver|a data analyst|a carpenter|a pastry chef|a sound engineer|a librarian
    |a physics teacher|a tax adviser|a florist|a game designer|a surveyor|a translator|a midwife
    |a train dispatcher|a lab technician|a gardener|a welder|a press officer|a ranger"""
)
FIRMS = _split(
    """Northgate Hospital|the city works|Ferrum and Sons|Bluebell Software|the old mill|Radio Nord
    |Castle Bakery|the harbour office|Tidewater Labs|Almond Press|the county archive|Sunfield Farm
    |Oakridge School|Peregrine Air|the botanical garden|Vesper Studios|Granite Bank|the opera house
    |Meridian Maps|the fire brigade"""
)
STATES = _split(
    """only an idea on paper|waiting for the permit|in the planning stage|on hold for want of money
    |half built|in testing with three people|blocked by the supplier|back at the drawing board
    |ready for review|being written again from nothing|in the hands of the lawyer
    |running as a pilot|two months late|frozen until autumn|almost finished|open to the public
    |handed over to Lena|cancelled for good|finished and paid|waiting for spare parts"""
)

DEBT = Sort(
    PEOPLE,
    _split(
        """I borrowed money from {who} today, so I owe {value}.
        |{who} lent me {value} for the repair.
        |Short of cash again: {who} paid the deposit for me, {value}.
        |My debt to {who} stands at {value}.
        |{who} covered the hotel, which makes {value} that I owe.
        |I now owe {who} {value} for the tickets."""
    ),
    _split(
        """Gave {who} a part of it back, I still owe {value}.
        |Transferred some money to {who}; what remains is {value}.
        |After the second instalment my debt to {who} is down to {value}.
        |{who} helped out once more, so the debt is {value} now.
        |Counted it with {who}: {value} left to pay.
        |Another payment to {who}, {value} to go.
        |{who} took the old printer as part of it, leaving {value} owed."""
    ),
    _split(
        """Paid {who} the rest, we are even now.
        |{who} got the last of the money back today. I owe nothing there any more.
        |Settled everything with {who}, the debt is gone.
        |{who} waved the rest of the debt away as a birthday present."""
    ),
    _split(
        """How much do I owe {who}?|What do I still owe {who}?|How much is my debt to {who}?
        |Do I owe {who} money?|How much money do I have to pay back to {who}?
        |what is left of the debt to {who}"""
    ),
    _split("""How much did I owe {who} in {month}?|What was my debt to {who} in {month}?"""),
)
ADDRESS = Sort(
    PEOPLE,
    _split(
        """{who} lives at {value}.|New address in the book: {who}, {value}.
        |Post for {who} goes to {value}.|Visited {who} at home, {value}.
        |{who} has found a flat: {value}."""
    ),
    _split(
        """{who} has moved to {value}.|{who} sent a card with a new address, {value}.
        |Helped {who} carry boxes to {value}, the new home.
        |From this week on {who} lives at {value}.
        |{who} gave up the flat and is now at {value}.
        |Changed the address of {who} to {value}."""
    ),
    (),
    _split(
        """Where does {who} live?|What is the address of {who}?|What is {who}'s address?
        |Which street does {who} live in?|where do I send a letter to {who}
        |At which address can I visit {who}?"""
    ),
    _split("""Where did {who} live in {month}?|What was the address of {who} in {month}?"""),
)
JOB = Sort(
    PEOPLE,
    _split(
        """{who} works as {value}.|{who} told me about work: {value}.
        |{who} is {value} these days.|Met {who}, who earns a living as {value}.
        |{who} has signed a contract as {value}."""
    ),
    _split(
        """{who} has changed jobs and is now {value}.|{who} started as {value} on Monday.
        |Big news: {who} was hired as {value}.|{who} left the old firm and works as {value}.
        |New job for {who}: {value}.|{who} is {value} now and much happier."""
    ),
    _split(
        """{who} has lost the job and is looking for work.
        |{who} retired this week, there was cake."""
    ),
    _split(
        """Where does {who} work?|What is {who}'s job?|What does {who} do for a living?
        |Which firm does {who} work for?|who employs {who}|What is the job of {who}?"""
    ),
    _split("""Where did {who} work in {month}?|What was {who}'s job in {month}?"""),
)
WEIGHT = Sort(
    PETS,
    _split(
        """Put {who} on the scales: {value}.|First weighing of {who}, {value}.
        |{who} weighs {value}.|The scales say {value} for {who}."""
    ),
    _split(
        """{who} is at {value} now.|Weighed {who} again, {value} this time.
        |New weight of {who}: {value}.|The scales show {value} for {who} today.
        |{who} weighs {value} by now.|Weight check for {who}: {value}."""
    ),
    (),
    _split(
        """How much does {who} weigh?|What is the weight of {who}?|How heavy is {who}?
        |what does {who} weigh|How many kilos does {who} have?"""
    ),
    _split("""How much did {who} weigh in {month}?|How heavy was {who} in {month}?"""),
)
PRICE = Sort(
    GOODS,
    _split(
        """The price for {who} is {value}.|Paid {value} for {who}.|{who} costs {value}.
        |Asked about {who}: {value}."""
    ),
    _split(
        """{who} went up to {value}.|They raised the price for {who} to {value}.
        |From now on {who} costs {value}.|{who} is cheaper now, {value}.
        |Letter about {who}: the new price is {value}.|{who} now stands at {value}."""
    ),
    (),
    _split(
        """How much is {who}?|What does {who} cost?|What is the price of {who}?
        |How much do I pay for {who}?|price for {who}"""
    ),
    _split("""What did {who} cost in {month}?|How much was {who} in {month}?"""),
)
PROJECT = Sort(
    PROJECTS,
    _split(
        """{who} is {value}.|Status of {who}: {value}.|We talked about {who}, it is {value}.
        |Project update, {who}: {value}."""
    ),
    _split(
        """{who} is {value} now.|New state of {who}: {value}.|As of today {who} is {value}.
        |Changed the card on the board: {who} is {value}.|{who} has moved on and is {value}.
        |Call about {who}: it is {value} now."""
    ),
    (),
    _split(
        """What is the state of {who}?|How far along is {who}?|What is the status of {who}?
        |Where do we stand with {who}?|how is {who} going|Is {who} finished?"""
    ),
    _split("""What was the state of {who} in {month}?|How far was {who} in {month}?"""),
)
SORTS = {
    "debt": DEBT,
    "address": ADDRESS,
    "job": JOB,
    "weight": WEIGHT,
    "price": PRICE,
    "project": PROJECT,
}
LEADS = (
    *("", "", "", "For the record: ", "Note to self: ", "Before I forget: ", "In the evening: "),
    *("Small thing, but: ", "By phone: ", "News of the day: ", "Written down at last: "),
    "After lunch: ",
)
# Lines about a subject that give no value; written on a later day than the newest statement.
MENTIONS = {
    "debt": _split(
        """Long talk with {who} about money and how people borrow it, no figures.
        |{who} sent a photo from the mountains.|Must thank {who} for the loan once more."""
    ),
    "address": _split(
        """{who} complained about the noise in the street.|Wrote a postcard to {who}.
        |{who} wants to live by the sea one day."""
    ),
    "job": _split(
        """{who} came home late from work and slept on the sofa.
        |Asked {who} about work, but we spoke of the garden.|{who} dreams of another job."""
    ),
    "weight": _split(
        """Must remember to weigh {who} again.|Brushed the dust off {who} today.
        |Someone asked how heavy {who} is, I did not know."""
    ),
    "price": _split(
        """Is {who} worth the price? I wonder.|Compared offers for {who}, nothing decided.
        |Enjoyed {who} today."""
    ),
    "project": _split(
        """Nobody had time for {who} this week.|Dreamt of {who}.
        |Somebody asked about {who}, I will answer later."""
    ),
}
