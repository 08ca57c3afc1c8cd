"""The words that update chains in other languages are made of. Only data.

In a sentence `{who}` is the subject; other names in braces are its forms and what is said of it,
by the column of their table. Where a table has `low`, values begin there: money, or 100 g.
"""

from collections.abc import Mapping
from typing import NamedTuple

Forms = Mapping[str, str]


class Kind(NamedTuple):
    """One kind of chain. `first` opens it, `later` goes on; `up` and `down` as the value went.

    `last` may end it. `cross` asks about the vault in English.
    """

    first: tuple[str, ...]
    later: tuple[str, ...]
    questions: tuple[str, ...]
    cross: tuple[str, ...]
    mentions: tuple[str, ...]  # a newer line about the subject that gives no value
    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    subjects: tuple[Forms, ...] = ()


class Tongue(NamedTuple):
    """A language: how its people write numbers, and what they write of."""

    code: str
    folders: tuple[str, str, str, str]  # for days, people, things, and notes with a date
    money: tuple[str, ...]
    thousands: str
    coin: int  # debts are multiples of it
    weights: tuple[str, ...]
    point: str
    leads: tuple[str, ...]
    goods: Forms  # those of the vault in English, in this language
    people: tuple[Forms, ...]
    places: tuple[Forms, ...]
    jobs: tuple[Forms, ...]
    kinds: Mapping[str, Kind]
    fillers: tuple[str, ...]

    def amount(self, form: str, number: int) -> str:
        """Money in one of the forms, with thousands as people write them."""
        many, rest = divmod(number, 10_000)
        few = f"{rest // 1000}千" if rest and not rest % 1000 else str(rest or "")
        grouped = f"{number:,}".replace(",", self.thousands)
        return form.format(n=grouped, plain=number, man=f"{many}万{few}" if many else few)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


def _table(columns: str, text: str) -> tuple[Forms, ...]:
    names = columns.split("|")
    return tuple(dict(zip(names, line.split("|"), strict=True)) for line in _lines(text))


GERMAN = Tongue(
    code="de",
    folders=("Tagebuch", "Leute", "Themen", "Notizen"),
    money=("{n} €", "{n} Euro", "{n} EUR"),
    thousands=".",
    coin=10,
    weights=("{} kg", "{} Kilo"),
    point=",",
    leads=("Abends: ", "Noch schnell notiert: ", "Übrigens: "),
    goods={
        "the rent of the garage": "die Miete für die Garage",
        "the piano course": "der Klavierunterricht",
        "the monthly train pass": "die Monatskarte für den Zug",
        "the phone contract": "der Handyvertrag",
    },
    people=_table(
        "who|key|sex",
        """Jonas Brandt|Jonas|m
        Jonas Weidlich|Jonas|m
        Anna Keller|Anna|f
        Anna Vogt|Anna|f
        Matthias|Matthias|m
        Friederike|Friederike|f
        Onkel Gerd|Gerd|m
        Lea|Lea|f""",
    ),
    places=_table(
        "street|town",
        """Lindenstraße #|Graz
        Goethestraße #|Leipzig
        Mühlgasse #|Bamberg
        Bahnhofstraße #|Kassel
        Schillerallee #|Bremen
        Gartenstraße #|Freiburg
        Kirchgasse #|Erfurt
        Uferstraße #|Köln""",
    ),
    jobs=_table(
        "m|f|at",
        """Krankenpfleger|Krankenschwester|im Klinikum Nord
        Buchhalter|Buchhalterin|bei den Stadtwerken
        Lehrer|Lehrerin|an der Gesamtschule
        Koch|Köchin|im Ratskeller
        Softwareentwickler|Softwareentwicklerin|bei Bosch
        Schreiner|Schreinerin|in der Werkstatt Huber
        Bibliothekar|Bibliothekarin|in der Stadtbücherei
        Busfahrer|Busfahrerin|bei den Verkehrsbetrieben""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """Hab mir heute von {who} {value} geliehen.
                {who} hat mir {value} für die Autoreparatur vorgestreckt.
                Ich schulde {who} {value} für die Konzertkarten.
                Geld vergessen, {who} hat das Hotel gezahlt. Macht {value}, die ich schulde."""
            ),
            later=_lines(
                """Bei {who} stehe ich jetzt noch mit {value} in der Kreide.
                Mit {who} nachgerechnet: Es sind noch {value} offen."""
            ),
            up=_lines(
                """{who} hat mir noch mal ausgeholfen, jetzt schulde ich insgesamt {value}.
                Schon wieder Geld von {who} geborgt, zusammen sind es nun {value}."""
            ),
            down=_lines(
                """Habe {who} einen Teil zurückgezahlt, bleiben noch {value}.
                Rate an {who} überwiesen. Rest: {value}.
                {who} hat etwas Geld zurückbekommen, ich schulde nur noch {value}."""
            ),
            last=_lines(
                """Heute {who} den Rest zurückgegeben, wir sind quitt.
                Endlich schuldenfrei: {who} hat alles wiederbekommen."""
            ),
            questions=_lines(
                """Wie viel schulde ich {who} noch?
                Wie viel Geld bekommt {who} noch von mir?
                Habe ich noch Schulden bei {who}?
                was schulde ich {who}"""
            ),
            cross=_lines(
                """Wie viel schulde ich {who} noch?
                Wie hoch sind meine Schulden bei {who}?"""
            ),
            mentions=_lines(
                """Mit {who} lange über Geld und das Leben geredet.
                {who} hat eine Karte aus dem Urlaub geschickt."""
            ),
        ),
        "price": Kind(
            first=_lines(
                """{who} kostet {value} im Monat.
                Für {acc} zahle ich {value}.
                Nachgefragt, was {who} kostet: {value}."""
            ),
            later=_lines(
                """Ab sofort kostet {who} {value}.
                Brief bekommen: {who} beträgt künftig {value}.
                Für {acc} gehen jetzt {value} vom Konto ab."""
            ),
            up=_lines(
                """{who} ist auf {value} gestiegen.
                Schon wieder teurer: {who} liegt jetzt bei {value}."""
            ),
            down=_lines(
                """Gute Nachricht, {who} ist billiger geworden: nur noch {value}.
                {who} wurde auf {value} gesenkt."""
            ),
            questions=_lines(
                """Wie viel kostet {who}?
                Was zahle ich für {acc}?
                Wie hoch ist {who} gerade?
                was kostet {who} im Moment"""
            ),
            cross=_lines(
                """Was kostet {who}?
                Wie teuer ist {who} inzwischen?"""
            ),
            mentions=_lines(
                """Lohnt sich {who} überhaupt noch? Mal überlegen.
                Mit Mama über {acc} diskutiert, ohne Ergebnis."""
            ),
            subjects=_table(
                "who|acc|low",
                """die Miete für die Wohnung|die Miete für die Wohnung|640
                die Garagenmiete|die Garagenmiete|55
                der Beitrag fürs Fitnessstudio|den Beitrag fürs Fitnessstudio|24
                die Monatskarte|die Monatskarte|49
                der Beitrag für den Kindergarten|den Beitrag für den Kindergarten|180
                die Pacht für den Schrebergarten|die Pacht für den Schrebergarten|32""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who} wiegt {value}.
                {acc} zum ersten Mal gewogen: {value}.
                Beim Tierarzt gewesen, {who} bringt {value} auf die Waage."""
            ),
            later=_lines(
                """{acc} wieder gewogen, diesmal {value}.
                {who} wiegt inzwischen {value}.
                Die Waage zeigt für {acc} jetzt {value} an."""
            ),
            up=_lines(
                """{who} hat zugenommen und wiegt jetzt {value}.
                {who} ist schwerer geworden: {value}."""
            ),
            down=_lines(
                """{who} hat abgenommen, nur noch {value}.
                Die Diät wirkt: {who} ist runter auf {value}."""
            ),
            questions=_lines(
                """Wie viel wiegt {who}?
                Wie schwer ist {who}?
                Was ist das aktuelle Gewicht von {dat}?
                was wiegt {who} jetzt"""
            ),
            cross=_lines(
                """Wie viel wiegt {who}?
                Wie schwer ist {who} jetzt?"""
            ),
            mentions=_lines(
                """Muss {acc} bald wieder wiegen.
                Mit {dat} beim Nachbarn vorbeigeschaut."""
            ),
            subjects=_table(
                "who|acc|dat|low",
                """unser Hund Bello|unseren Hund Bello|unserem Hund Bello|182
                die Katze Minka|die Katze Minka|der Katze Minka|38
                der Kater Moritz|den Kater Moritz|dem Kater Moritz|46
                das Kaninchen Flocke|das Kaninchen Flocke|dem Kaninchen Flocke|14
                der Dackel Waldi|den Dackel Waldi|dem Dackel Waldi|79
                das Huhn Berta|das Huhn Berta|dem Huhn Berta|21""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{who} wohnt in der {street} in {town}.
                {who} zu Hause besucht, {street}, {town}.
                Adresse von {who}: {street}, {town}."""
            ),
            later=_lines(
                """{who} ist umgezogen, in die {street} nach {town}.
                Neue Anschrift von {who}: {street}, {town}.
                Umzug geschafft! {who} wohnt jetzt in der {street} in {town}.
                Post für {who} geht ab jetzt an die {street} in {town}.
                {who} hat eine neue Wohnung gefunden, {street} in {town}."""
            ),
            questions=_lines(
                """Wo wohnt {who}?
                Wie lautet die Adresse von {who}?
                In welcher Straße wohnt {who} jetzt?
                wohin schicke ich {who} ein Paket"""
            ),
            cross=_lines(
                """Wo wohnt {who} jetzt?
                Welche Adresse hat {who}?"""
            ),
            mentions=_lines(
                """{who} träumt von einem Haus am Meer.
                {who} hat sich über die lauten Nachbarn beschwert."""
            ),
        ),
        "job": Kind(
            first=_lines(
                """{who} arbeitet als {job} {at}.
                {who} getroffen, ist gerade {job} {at}.
                {who} verdient den Lebensunterhalt als {job} {at}."""
            ),
            later=_lines(
                """{who} hat die Stelle gewechselt und ist jetzt {job} {at}.
                {who} hat am Montag {at} angefangen, als {job}.
                Neuer Job für {who}: {job} {at}.
                {who} hat gekündigt und arbeitet nun als {job} {at}.
                Große Neuigkeit, {who} wird {job} {at}."""
            ),
            questions=_lines(
                """Wo arbeitet {who}?
                Was macht {who} beruflich?
                Als was arbeitet {who} inzwischen?
                welchen Job hat {who}"""
            ),
            cross=_lines(
                """Wo arbeitet {who} jetzt?
                Was macht {who} beruflich?"""
            ),
            mentions=_lines(
                """{who} kam müde von der Arbeit und ist auf dem Sofa eingeschlafen.
                {who} träumt von einem ganz anderen Beruf."""
            ),
        ),
    },
    fillers=_lines(
        """Heute Linsensuppe gekocht, war viel zu salzig.
        Den ganzen Nachmittag im Garten Unkraut gejätet.
        Schlecht geschlafen, der Wind hat an den Läden gerüttelt.
        Endlich den tropfenden Wasserhahn im Bad repariert.
        Mit den Kindern am Fluss Steine gesammelt.
        Zwei Kapitel gelesen und dabei Tee getrunken.
        Regen, Regen, Regen.
        Zug hatte wieder vierzig Minuten Verspätung.
        Abends Karten gespielt und viel gelacht.
        Brot gebacken, diesmal mit Walnüssen.
        Das Fahrrad hat einen Platten, muss morgen flicken.
        Auf dem Flohmarkt eine alte Lampe entdeckt.
        Lange mit Mama telefoniert.
        Die Nachbarn haben wieder bis spät gefeiert.
        Beim Zahnarzt gewesen, alles in Ordnung.
        Im Wald die ersten Pfifferlinge gefunden.
        Einen Film über Wale gesehen, ziemlich traurig.
        Keller aufgeräumt und alte Briefe gefunden.
        Im Schwimmbad vierzig Bahnen geschafft.
        Der Flieder blüht schon.
        Den Flur gestrichen, Farbe im Haar.
        Nichts Besonderes passiert, ein ruhiger Tag.
        Chorprobe fiel aus, also früh ins Bett.
        Fenster geputzt und Vorhänge gewaschen.
        Zu viel Kaffee getrunken, Herzklopfen bis abends.""",
    ),
)

SPANISH = Tongue(
    code="es",
    folders=("Diario", "Personas", "Temas", "Apuntes"),
    money=("{n} €", "{n} euros"),
    thousands=".",
    coin=10,
    weights=("{} kg", "{} kilos"),
    point=",",
    leads=("Por la noche: ", "Que no se me olvide: ", "Por cierto: "),
    goods={
        "the rent of the garage": "el alquiler del garaje",
        "the piano course": "el curso de piano",
        "the monthly train pass": "el abono mensual del tren",
        "the phone contract": "el contrato del móvil",
    },
    people=_table(
        "who|key|sex",
        """Ana Morales|Ana|f
        Ana Ferrer|Ana|f
        Javier Ruiz|Javier|m
        Javier Soto|Javier|m
        Lucía|Lucía|f
        mi primo Nacho|Nacho|m
        Rocío|Rocío|f
        Andrés|Andrés|m""",
    ),
    places=_table(
        "street|town",
        """calle Mayor, #|Salamanca
        calle del Olmo, #|Madrid
        avenida de la Constitución, #|Sevilla
        plaza de la Merced, #|Málaga
        calle San Vicente, #|Valencia
        ronda de Sant Pere, #|Barcelona
        calle Larga, #|Cádiz
        plaza de San Pablo, #|Valladolid""",
    ),
    jobs=_table(
        "m|f|at",
        """enfermero|enfermera|en el hospital La Paz
        profesor|profesora|en el instituto del barrio
        camarero|camarera|en el bar de la estación
        contable|contable|en una gestoría
        programador|programadora|en una empresa de videojuegos
        cocinero|cocinera|en el hotel Miramar
        periodista|periodista|en la radio local
        carpintero|carpintera|en el taller de los Ibáñez""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """Le he pedido prestados {value} a {who}.
                {who} me ha dejado {value} para arreglar el coche.
                Le debo {value} a {who} por las entradas del concierto.
                {who} me adelantó la fianza del piso, así que le debo {value}."""
            ),
            later=_lines(
                """Hice cuentas con {who}: quedan {value} por pagar.
                A {who} le debo ahora {value}."""
            ),
            up=_lines(
                """{who} me ha vuelto a prestar dinero, ya le debo {value} en total.
                Otro préstamo de {who}; la deuda sube a {value}."""
            ),
            down=_lines(
                """Le devolví una parte a {who}, todavía le debo {value}.
                Bizum a {who}. Me faltan {value}.
                Pagado otro plazo a {who}, ya solo le debo {value}."""
            ),
            last=_lines(
                """Por fin le devolví a {who} lo que faltaba, estamos en paz.
                Saldada la deuda con {who}, ya no le debo nada."""
            ),
            questions=_lines(
                """¿Cuánto le debo a {who}?
                ¿Cuánto dinero me falta por devolverle a {who}?
                ¿Todavía le debo algo a {who}?
                cuánto debo a {who}"""
            ),
            cross=_lines(
                """¿Cuánto le debo a {who}?
                ¿Cuánto me queda por pagarle a {who}?"""
            ),
            mentions=_lines(
                """Largo café con {who}, hablamos de dinero y de la vida.
                Tengo que darle las gracias a {who} por el préstamo."""
            ),
        ),
        "price": Kind(
            first=_lines(
                """{who} cuesta {value} al mes.
                Pago {value} por {who}.
                Pregunté por {who}: {value}."""
            ),
            later=_lines(
                """A partir de ahora {who} cuesta {value}.
                Nuevo precio {de}: {value}.
                Ahora pago {value} por {who}."""
            ),
            up=_lines(
                """Me han subido {who} a {value}.
                {who} ha vuelto a subir, ya son {value}."""
            ),
            down=_lines(
                """Han rebajado {who} a {value}.
                Buena noticia: {who} baja a {value}."""
            ),
            questions=_lines(
                """¿Cuánto cuesta {who}?
                ¿Cuánto pago por {who}?
                ¿Cuál es el precio actual {de}?
                cuánto vale {who} ahora"""
            ),
            cross=_lines(
                """¿Qué precio tiene ahora {who}?
                ¿Cuánto pago por {who}?"""
            ),
            mentions=_lines(
                """No sé si {who} merece la pena.
                Discutimos en casa por {who}, sin decidir nada."""
            ),
            subjects=_table(
                "who|de|low",
                """el alquiler del piso|del alquiler del piso|620
                el alquiler del trastero|del alquiler del trastero|45
                la cuota del gimnasio|de la cuota del gimnasio|28
                el abono transporte|del abono transporte|35
                la guardería|de la guardería|210
                la plaza de garaje|de la plaza de garaje|70""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who} pesa {value}.
                Hemos pesado a {who} por primera vez: {value}.
                En el veterinario, {who} dio {value} en la báscula."""
            ),
            later=_lines(
                """Hoy volví a pesar a {who}: {value}.
                {who} ya pesa {value}.
                La báscula marca {value} para {who}."""
            ),
            up=_lines(
                """{who} ha engordado, ahora pesa {value}.
                {who} ha cogido peso y está en {value}."""
            ),
            down=_lines(
                """{who} ha adelgazado: {value}.
                {who} ha bajado a {value} con el pienso nuevo."""
            ),
            questions=_lines(
                """¿Cuánto pesa {who}?
                ¿Cuál es el peso actual de {who}?
                ¿Cuántos kilos pesa ahora {who}?
                cuánto pesa {who}"""
            ),
            cross=_lines(
                """¿Cuánto pesa {who}?
                ¿Cuántos kilos pesa ahora {who}?"""
            ),
            mentions=_lines(
                """Hay que volver a pesar a {who} un día de estos.
                Foto preciosa de {who} durmiendo al sol."""
            ),
            subjects=_table(
                "who|low",
                """nuestro perro Toby|154
                la gata Luna|36
                mi gato Simón|48
                la coneja Canela|17
                la perrita Nala|92
                la tortuga Paca|12""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{who} vive en la {street}, {town}.
                Fui a casa de {who}: {street}, en {town}.
                Apunto la dirección de {who}: {street}, {town}."""
            ),
            later=_lines(
                """{who} se ha mudado a la {street}, {town}.
                Nueva dirección de {who}: {street}, {town}.
                {who} ya no vive allí, ahora está en la {street}, {town}.
                Ayudé a {who} con la mudanza a la {street}, {town}.
                Desde esta semana {who} vive en la {street}, en {town}."""
            ),
            questions=_lines(
                """¿Dónde vive {who}?
                ¿Cuál es la dirección de {who}?
                ¿En qué calle vive ahora {who}?
                a qué dirección le mando una carta a {who}"""
            ),
            cross=_lines(
                """¿Dónde vive ahora {who}?
                ¿Cuál es la dirección de {who}?"""
            ),
            mentions=_lines(
                """{who} sueña con vivir cerca del mar.
                {who} se quejó del ruido de los vecinos."""
            ),
        ),
        "job": Kind(
            first=_lines(
                """{who} trabaja de {job} {at}.
                Vi a {who}, que está de {job} {at}.
                {who} es {job} {at}."""
            ),
            later=_lines(
                """{who} ha cambiado de trabajo: ahora es {job} {at}.
                {who} empezó el lunes como {job} {at}.
                Han contratado a {who} como {job} {at}.
                {who} dejó lo de antes y ahora trabaja de {job} {at}.
                Nuevo empleo de {who}: {job} {at}."""
            ),
            questions=_lines(
                """¿Dónde trabaja {who}?
                ¿A qué se dedica {who}?
                ¿De qué trabaja ahora {who}?
                qué trabajo tiene {who}"""
            ),
            cross=_lines(
                """¿En qué trabaja {who}?
                ¿Dónde trabaja ahora {who}?"""
            ),
            mentions=_lines(
                """{who} salió tarde del trabajo y no vino a cenar.
                A {who} le gustaría hacer algo muy distinto."""
            ),
        ),
    },
    fillers=_lines(
        """Hoy hice lentejas y me quedaron saladas.
        Toda la tarde en el balcón regando las plantas.
        Dormí fatal por el viento.
        Por fin arreglé el grifo del baño.
        Paseo por el río con los niños.
        Leí dos capítulos antes de dormir.
        No paró de llover en todo el día.
        El tren llegó con cuarenta minutos de retraso.
        Jugamos a las cartas hasta las tantas.
        Pan casero con nueces, riquísimo.
        Se me pinchó la rueda de la bici.
        En el rastro encontré una lámpara antigua.
        Hablé un buen rato con mi madre por teléfono.
        Los vecinos estuvieron de fiesta otra vez.
        Dentista: todo bien.
        Fuimos al monte a por setas.
        Vi una película sobre ballenas, muy triste.
        Ordené el armario y aparecieron cartas viejas.
        Cuarenta largos en la piscina.
        Ya huele a azahar en la calle.
        Pinté el pasillo, acabé lleno de manchas.
        Día tranquilo, nada que contar.
        Se canceló el ensayo del coro.
        Limpié las ventanas y lavé las cortinas.
        Demasiado café, no había manera de dormir.""",
    ),
)

FRENCH = Tongue(
    code="fr",
    folders=("Journal", "Gens", "Sujets", "Notes"),
    money=("{n} €", "{n} euros"),
    thousands=" ",
    coin=10,
    weights=("{} kg", "{} kilos"),
    point=",",
    leads=("Ce soir : ", "À noter : ", "Au fait : "),
    goods={
        "the rent of the garage": "le loyer du garage",
        "the piano course": "les cours de piano",
        "the monthly train pass": "l'abonnement de train mensuel",
        "the phone contract": "le forfait de téléphone",
    },
    people=_table(
        "who|key|sex|de|il|e",
        """Claire Dubois|Claire|f|de Claire Dubois|elle|e
        Claire Marchand|Claire|f|de Claire Marchand|elle|e
        Antoine Lefèvre|Antoine|m|d'Antoine Lefèvre|il|
        Antoine Girard|Antoine|m|d'Antoine Girard|il|
        Émilie|Émilie|f|d'Émilie|elle|e
        Mathieu|Mathieu|m|de Mathieu|il|
        mon cousin Rémi|Rémi|m|de mon cousin Rémi|il|
        Noémie|Noémie|f|de Noémie|elle|e""",
    ),
    places=_table(
        "street|town",
        """# rue des Lilas|Lyon
        # avenue Jean-Jaurès|Toulouse
        # rue de la République|Nantes
        # boulevard Voltaire|Paris
        # rue du Moulin|Annecy
        # quai des Chartrons|Bordeaux
        # rue Saint-Michel|Rennes
        # impasse des Vignes|Dijon""",
    ),
    jobs=_table(
        "m|f|at",
        """infirmier|infirmière|à l'hôpital Saint-Antoine
        comptable|comptable|chez un notaire
        instituteur|institutrice|à l'école du village
        serveur|serveuse|au café de la gare
        développeur|développeuse|dans une start-up
        libraire|libraire|à la librairie Mollat
        cuisinier|cuisinière|dans un restaurant du port
        menuisier|menuisière|à l'atelier Perrin""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """J'ai emprunté {value} à {who}.
                {who} m'a avancé {value} pour la réparation de la voiture.
                Je dois {value} à {who} pour les billets de concert.
                {who} m'a prêté {value}, à rendre quand je pourrai."""
            ),
            later=_lines(
                """Fait les comptes avec {who} : il reste {value} à payer.
                Ma dette envers {who} est maintenant de {value}."""
            ),
            up=_lines(
                """{who} m'a encore dépanné, je lui dois maintenant {value} en tout.
                Nouvel emprunt à {who}, ça fait {value} au total."""
            ),
            down=_lines(
                """Remboursé une partie à {who}, je lui dois encore {value}.
                Viré un peu d'argent à {who}. Reste {value}.
                J'ai rendu un peu à {who}, je ne lui dois plus que {value}."""
            ),
            last=_lines(
                """J'ai rendu le reste à {who}, on est quittes.
                Ça y est, {who} est entièrement remboursé{e}, je ne dois plus rien."""
            ),
            questions=_lines(
                """Combien je dois à {who} ?
                Combien est-ce que je dois encore à {who} ?
                Est-ce que je dois de l'argent à {who} ?
                il me reste combien à rembourser à {who}"""
            ),
            cross=_lines(
                """Combien je dois encore à {who} ?
                Quelle somme dois-je à {who} ?"""
            ),
            mentions=_lines(
                """Longue discussion avec {who} sur l'argent et le reste.
                Penser à remercier {who} pour le prêt."""
            ),
        ),
        "price": Kind(
            first=_lines(
                """{who} coûte {value} par mois.
                Je paie {value} pour {who}.
                Je me suis renseigné pour {who} : {value}."""
            ),
            later=_lines(
                """À partir de maintenant, {who} est à {value}.
                Nouveau tarif pour {who} : {value}.
                Désormais je paie {value} pour {who}."""
            ),
            up=_lines(
                """{who} est passé{e} à {value}, ça augmente encore.
                {who} a augmenté : {value}."""
            ),
            down=_lines(
                """Bonne surprise, {who} a baissé à {value}.
                {who}, c'est moins cher maintenant : {value}."""
            ),
            questions=_lines(
                """Combien coûte {who} ?
                Combien je paie pour {who} ?
                Quel est le prix actuel {de} ?
                c'est combien {who} maintenant"""
            ),
            cross=_lines(
                """Quel est le prix actuel pour {who} ?
                Combien je paie pour {who} ?"""
            ),
            mentions=_lines(
                """Je me demande si {who}, ça vaut vraiment le coup.
                On a parlé {de} à table, rien de décidé."""
            ),
            subjects=_table(
                "who|de|e|low",
                """le loyer de l'appartement|du loyer de l'appartement||580
                le loyer du box|du loyer du box||62
                la salle de sport|de la salle de sport|e|25
                la cantine|de la cantine|e|38
                le panier de légumes|du panier de légumes||14
                la crèche|de la crèche|e|240""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who} pèse {value}.
                Première pesée pour {who} : {value}.
                Chez le véto avec {who}, {value} sur la balance."""
            ),
            later=_lines(
                """J'ai repesé {who} : {value}.
                {who} fait maintenant {value}.
                Aujourd'hui la balance affiche {value} pour {who}."""
            ),
            up=_lines(
                """{who} a grossi et pèse maintenant {value}.
                {who} a pris du poids : {value}."""
            ),
            down=_lines(
                """{who} a maigri, plus que {value}.
                {who} a perdu du poids et est à {value}."""
            ),
            questions=_lines(
                """Combien pèse {who} ?
                Quel est le poids actuel {de} ?
                {who} fait combien de kilos ?
                combien pèse {who} maintenant"""
            ),
            cross=_lines(
                """Combien pèse {who} ?
                Quel poids fait {who} maintenant ?"""
            ),
            mentions=_lines(
                """Il faudrait repeser {who} un de ces jours.
                Belle photo {de} au soleil."""
            ),
            subjects=_table(
                "who|de|low",
                """notre chien Filou|de notre chien Filou|163
                la chatte Câline|de la chatte Câline|34
                le chat Gribouille|du chat Gribouille|47
                le lapin Noisette|du lapin Noisette|15
                la chienne Ulla|de la chienne Ulla|214
                la tortue Caroline|de la tortue Caroline|13""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{who} habite {street}, à {town}.
                Passé chez {who}, {street}, {town}.
                L'adresse {de} : {street}, {town}."""
            ),
            later=_lines(
                """{who} a déménagé : {street}, {town}.
                Nouvelle adresse {de} : {street}, {town}.
                {who} s'est installé{e} {street} à {town}.
                Aidé {who} à porter les cartons, c'est maintenant {street}, à {town}.
                Depuis cette semaine, {who} habite {street}, {town}."""
            ),
            questions=_lines(
                """Où habite {who} ?
                Quelle est l'adresse {de} ?
                Dans quelle rue habite {who} maintenant ?
                {who} habite où"""
            ),
            cross=_lines(
                """Où habite {who} maintenant ?
                À quelle adresse habite {who} ?"""
            ),
            mentions=_lines(
                """{who} rêve d'une maison au bord de la mer.
                {who} se plaint toujours des voisins."""
            ),
        ),
        "job": Kind(
            first=_lines(
                """{who} travaille comme {job} {at}.
                Croisé {who}, qui est {job} {at}.
                {who} m'a parlé de son boulot : {job} {at}."""
            ),
            later=_lines(
                """{who} a changé de travail, {il} est {job} {at} maintenant.
                {who} a commencé lundi comme {job} {at}.
                {who} s'est fait embaucher {at} comme {job}.
                {who} a démissionné et travaille désormais comme {job} {at}.
                Nouveau poste pour {who} : {job} {at}."""
            ),
            questions=_lines(
                """Où travaille {who} ?
                Que fait {who} dans la vie ?
                C'est quoi le travail {de} maintenant ?
                {who} bosse où"""
            ),
            cross=_lines(
                """Où travaille {who} maintenant ?
                Que fait {who} dans la vie ?"""
            ),
            mentions=_lines(
                """{who} est rentré{e} tard du travail, on a dîné sans l'attendre.
                {who} voudrait faire tout autre chose."""
            ),
        ),
    },
    fillers=_lines(
        """Soupe de lentilles ce midi, trop salée.
        Tout l'après-midi à désherber le jardin.
        Mal dormi à cause du vent.
        J'ai enfin réparé le robinet de la salle de bains.
        Balade au bord de la rivière avec les enfants.
        Lu deux chapitres sous la couette.
        Il a plu sans arrêt.
        Quarante minutes de retard pour le train, encore.
        Soirée cartes, on a bien ri.
        Pain aux noix maison, une réussite.
        Crevé un pneu du vélo en rentrant.
        Trouvé une vieille lampe à la brocante.
        Maman au téléphone pendant une heure.
        Les voisins ont encore fait la fête.
        Dentiste : rien à signaler.
        Premières girolles dans la forêt.
        Vu un film sur les baleines, triste mais beau.
        Rangé la cave, retrouvé de vieilles lettres.
        Quarante longueurs à la piscine.
        Le lilas est en fleur.
        Peint le couloir, j'en ai plein les cheveux.
        Journée calme, rien de spécial.
        Répétition de la chorale annulée.
        Lavé les vitres et les rideaux.
        Trop de café, impossible de dormir.""",
    ),
)

ITALIAN = Tongue(
    code="it",
    folders=("Diario", "Persone", "Argomenti", "Appunti"),
    money=("{n} €", "{n} euro", "€ {n}"),
    thousands=".",
    coin=10,
    weights=("{} kg", "{} chili"),
    point=",",
    leads=("Stasera: ", "Da ricordare: ", "Comunque: "),
    goods={
        "the rent of the garage": "l'affitto del garage",
        "the piano course": "il corso di pianoforte",
        "the monthly train pass": "l'abbonamento mensile del treno",
        "the phone contract": "il contratto del telefono",
    },
    people=_table(
        "who|key|sex|o",
        """Giulia Ferri|Giulia|f|a
        Giulia Conti|Giulia|f|a
        Luca Moretti|Luca|m|o
        Luca Galli|Luca|m|o
        Chiara|Chiara|f|a
        Davide|Davide|m|o
        zio Franco|Franco|m|o
        Elena|Elena|f|a""",
    ),
    places=_table(
        "street|town",
        """via Garibaldi #|Torino
        via dei Mille #|Napoli
        corso Italia #|Pisa
        via Roma #|Parma
        viale Trento #|Verona
        piazza Dante #|Trieste
        via del Pratello #|Bologna
        via San Martino #|Perugia""",
    ),
    jobs=_table(
        "m|f|at",
        """infermiere|infermiera|al policlinico
        contabile|contabile|in uno studio di commercialisti
        maestro|maestra|alla scuola elementare
        cameriere|cameriera|al bar della stazione
        programmatore|programmatrice|in banca
        cuoco|cuoca|in una trattoria
        giornalista|giornalista|alla radio
        falegname|falegname|nella bottega dei Rinaldi""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """Mi sono fatto prestare {value} da {who}.
                {who} mi ha prestato {value} per riparare la macchina.
                Devo {value} a {who} per i biglietti del concerto.
                {who} mi ha anticipato la caparra: devo restituire {value}."""
            ),
            later=_lines(
                """Fatti i conti con {who}: restano {value} da pagare.
                Il mio debito con {who} adesso è di {value}."""
            ),
            up=_lines(
                """{who} mi ha prestato altri soldi, in tutto ora devo {value}.
                Altro prestito da {who}, il debito sale a {value}."""
            ),
            down=_lines(
                """Ho restituito una parte a {who}, devo ancora {value}.
                Bonifico a {who}, mi mancano {value}.
                Ridato qualcosa a {who}: ormai sono solo {value}."""
            ),
            last=_lines(
                """Ho saldato tutto con {who}, siamo pari.
                Restituito il resto a {who}, non devo più niente."""
            ),
            questions=_lines(
                """Quanto devo a {who}?
                Quanti soldi devo ancora restituire a {who}?
                Ho ancora debiti con {who}?
                quanto devo ancora a {who}"""
            ),
            cross=_lines(
                """Quanto devo ancora a {who}?
                A quanto ammonta il mio debito con {who}?"""
            ),
            mentions=_lines(
                """Chiacchierata con {who} sui soldi e sulla vita.
                Devo ringraziare {who} per il prestito."""
            ),
        ),
        "price": Kind(
            first=_lines(
                """{who} costa {value} al mese.
                Pago {value} per {who}.
                Ho chiesto quanto viene {who}: {value}."""
            ),
            later=_lines(
                """Da adesso {who} costa {value}.
                Nuova tariffa per {who}: {value}.
                Adesso per {who} pago {value}."""
            ),
            up=_lines(
                """{who} è aumentat{o} a {value}.
                Mi hanno alzato {who} a {value}."""
            ),
            down=_lines(
                """{who} è sces{o} a {value}, meno male.
                Buona notizia: per {who} ora bastano {value}."""
            ),
            questions=_lines(
                """Quanto costa {who}?
                Quanto pago per {who}?
                Qual è il prezzo attuale {di}?
                quanto viene {who} adesso"""
            ),
            cross=_lines(
                """Quanto costa adesso {who}?
                Quanto pago per {who}?"""
            ),
            mentions=_lines(
                """Mi chiedo se {who} valga la spesa.
                Parlato {di} a cena, niente di deciso."""
            ),
            subjects=_table(
                "who|di|o|low",
                """l'affitto dell'appartamento|dell'affitto dell'appartamento|o|560
                l'affitto del box|dell'affitto del box|o|75
                la palestra|della palestra|a|35
                l'abbonamento dell'autobus|dell'abbonamento dell'autobus|o|32
                l'asilo nido|dell'asilo nido|o|260
                la mensa|della mensa|a|48""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who} pesa {value}.
                Ho pesato {who} per la prima volta: {value}.
                Dal veterinario, {who} segna {value} sulla bilancia."""
            ),
            later=_lines(
                """Ho ripesato {who}: {value}.
                {who} adesso pesa {value}.
                Oggi la bilancia dice {value} per {who}."""
            ),
            up=_lines(
                """{who} è ingrassat{o}, ora pesa {value}.
                {who} ha messo su peso: {value}."""
            ),
            down=_lines(
                """{who} è dimagrit{o}, adesso è a {value}.
                {who} ha perso peso ed è sces{o} a {value}."""
            ),
            questions=_lines(
                """Quanto pesa {who}?
                Qual è il peso attuale {di}?
                Quanti chili pesa adesso {who}?
                quanto pesa {who}"""
            ),
            cross=_lines(
                """Quanto pesa {who}?
                Quanti chili pesa adesso {who}?"""
            ),
            mentions=_lines(
                """Bisogna ripesare {who} uno di questi giorni.
                Bellissima foto {di} al sole."""
            ),
            subjects=_table(
                "who|di|o|low",
                """il nostro cane Argo|del nostro cane Argo|o|176
                la gatta Nuvola|della gatta Nuvola|a|35
                il gatto Romeo|del gatto Romeo|o|49
                il coniglio Batuffolo|del coniglio Batuffolo|o|16
                la cagnolina Stella|della cagnolina Stella|a|83
                la tartaruga Lia|della tartaruga Lia|a|11""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{who} abita in {street}, {town}.
                Sono stato a casa di {who}, {street}, {town}.
                Indirizzo di {who}: {street}, {town}."""
            ),
            later=_lines(
                """{who} si è trasferit{o} in {street} a {town}.
                Nuovo indirizzo di {who}: {street}, {town}.
                {who} ha cambiato casa, ora sta in {street}, {town}.
                Aiutato {who} con il trasloco in {street}, {town}.
                Da questa settimana {who} vive in {street} a {town}."""
            ),
            questions=_lines(
                """Dove abita {who}?
                Qual è l'indirizzo di {who}?
                In che via abita adesso {who}?
                dove vive {who}"""
            ),
            cross=_lines(
                """Dove abita adesso {who}?
                Qual è l'indirizzo di {who}?"""
            ),
            mentions=_lines(
                """{who} sogna una casa vicino al mare.
                {who} si è lamentat{o} dei vicini rumorosi."""
            ),
        ),
        "job": Kind(
            first=_lines(
                """{who} lavora come {job} {at}.
                Ho incontrato {who}, che lavora {at} come {job}.
                {who} è {job} {at}."""
            ),
            later=_lines(
                """{who} ha cambiato lavoro, ora è {job} {at}.
                {who} ha cominciato lunedì come {job} {at}.
                Hanno assunto {who} come {job} {at}.
                {who} si è licenziat{o} e adesso lavora {at} come {job}.
                Nuovo lavoro per {who}: {job} {at}."""
            ),
            questions=_lines(
                """Dove lavora {who}?
                Che lavoro fa {who}?
                Di cosa si occupa adesso {who}?
                che mestiere fa {who}"""
            ),
            cross=_lines(
                """Dove lavora adesso {who}?
                Che lavoro fa {who}?"""
            ),
            mentions=_lines(
                """{who} è uscit{o} tardi dal lavoro e non è venut{o} a cena.
                {who} vorrebbe fare tutt'altro nella vita."""
            ),
        ),
    },
    fillers=_lines(
        """Oggi minestra di lenticchie, troppo salata.
        Tutto il pomeriggio a sistemare il giardino.
        Dormito male per il vento.
        Finalmente ho aggiustato il rubinetto del bagno.
        Passeggiata lungo il fiume con i bambini.
        Letto due capitoli prima di dormire.
        Ha piovuto tutto il giorno.
        Treno in ritardo di quaranta minuti.
        Serata a carte, tante risate.
        Pane fatto in casa con le noci.
        Forata la ruota della bici.
        Al mercatino ho trovato una vecchia lampada.
        Lunga telefonata con la mamma.
        I vicini hanno fatto festa fino a tardi.
        Dentista: tutto a posto.
        Nel bosco i primi porcini.
        Visto un film sulle balene, commovente.
        Riordinata la cantina, saltate fuori vecchie lettere.
        Quaranta vasche in piscina.
        I glicini sono già in fiore.
        Imbiancato il corridoio, vernice ovunque.
        Giornata tranquilla, niente da segnalare.
        Prove del coro annullate.
        Lavati i vetri e le tende.
        Troppo caffè, non riuscivo a dormire.""",
    ),
)

PORTUGUESE = Tongue(
    code="pt",
    folders=("Diário", "Pessoas", "Assuntos", "Notas"),
    money=("R$ {n}", "{n} reais"),
    thousands=".",
    coin=10,
    weights=("{} kg", "{} quilos"),
    point=",",
    leads=("À noite: ", "Só para lembrar: ", "Aliás: "),
    goods={
        "the rent of the garage": "o aluguel da garagem",
        "the piano course": "a aula de piano",
        "the monthly train pass": "o passe mensal do trem",
        "the phone contract": "o plano do celular",
    },
    people=_table(
        "who|key|sex|o|ao|do|ele",
        """João Pereira|João|m|o João Pereira|ao João Pereira|do João Pereira|ele
        João Teixeira|João|m|o João Teixeira|ao João Teixeira|do João Teixeira|ele
        Mariana Costa|Mariana|f|a Mariana Costa|à Mariana Costa|da Mariana Costa|ela
        Mariana Prado|Mariana|f|a Mariana Prado|à Mariana Prado|da Mariana Prado|ela
        Rafael|Rafael|m|o Rafael|ao Rafael|do Rafael|ele
        Beatriz|Beatriz|f|a Beatriz|à Beatriz|da Beatriz|ela
        tio Carlos|Carlos|m|o tio Carlos|ao tio Carlos|do tio Carlos|ele
        Larissa|Larissa|f|a Larissa|à Larissa|da Larissa|ela""",
    ),
    places=_table(
        "street|town",
        """rua das Flores, #|Curitiba
        avenida Brasil, #|Campinas
        rua Sete de Setembro, #|Porto Alegre
        rua da Bahia, #|Belo Horizonte
        travessa do Comércio, #|Niterói
        rua Augusta, #|São Paulo
        avenida Boa Viagem, #|Recife
        ladeira da Barra, #|Salvador""",
    ),
    jobs=_table(
        "m|f|at",
        """enfermeiro|enfermeira|no Hospital das Clínicas
        contador|contadora|num escritório do centro
        professor|professora|na escola estadual
        garçom|garçonete|no restaurante da praia
        programador|programadora|no Nubank
        cozinheiro|cozinheira|no hotel Atlântico
        jornalista|jornalista|na rádio da cidade
        motorista|motorista|na prefeitura""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """Peguei emprestado {value} com {o}.
                {o} me emprestou {value} pra consertar o carro.
                Tô devendo {value} {ao} pelos ingressos do show.
                {o} pagou o hotel pra mim, fico devendo {value}."""
            ),
            later=_lines(
                """Fiz as contas com {o}: faltam {value}.
                Minha dívida com {o} agora é de {value}."""
            ),
            up=_lines(
                """{o} me emprestou mais um pouco, agora devo {value} no total.
                Pedi mais dinheiro {ao}, a dívida subiu pra {value}."""
            ),
            down=_lines(
                """Devolvi uma parte {ao}, ainda devo {value}.
                Transferi um pouco pra {who}. Ainda faltam {value}.
                Paguei mais uma parcela {ao}, agora só devo {value}."""
            ),
            last=_lines(
                """Quitei a dívida com {o}, não devo mais nada.
                Devolvi o resto {ao}, estamos quites."""
            ),
            questions=_lines(
                """Quanto eu devo {ao}?
                Quanto ainda falta pagar {ao}?
                Ainda devo dinheiro {ao}?
                quanto tô devendo pra {who}"""
            ),
            cross=_lines(
                """Quanto eu devo para {who}?
                Qual é a minha dívida com {who}?"""
            ),
            mentions=_lines(
                """Longa conversa com {o} sobre dinheiro e a vida.
                Preciso agradecer {ao} pelo empréstimo."""
            ),
        ),
        "price": Kind(
            first=_lines(
                """{who} custa {value} por mês.
                Pago {value} {pelo}.
                Perguntei quanto é {who}: {value}."""
            ),
            later=_lines(
                """A partir de agora {who} custa {value}.
                Novo valor {do}: {value}.
                Agora pago {value} {pelo}."""
            ),
            up=_lines(
                """{who} subiu para {value}.
                Aumentaram {who} de novo, foi pra {value}."""
            ),
            down=_lines(
                """{who} baixou para {value}, ainda bem.
                Consegui desconto: {who} caiu pra {value}."""
            ),
            questions=_lines(
                """Quanto custa {who}?
                Quanto eu pago {pelo}?
                Qual é o valor atual {do}?
                quanto tá {who}"""
            ),
            cross=_lines(
                """Quanto custa {who} agora?
                Quanto está {who}?"""
            ),
            mentions=_lines(
                """Será que {who} vale a pena?
                Falamos {do} no jantar, nada decidido."""
            ),
            subjects=_table(
                "who|do|pelo|low",
                """o aluguel da casa|do aluguel da casa|pelo aluguel da casa|1450
                o aluguel da vaga|do aluguel da vaga|pelo aluguel da vaga|180
                a mensalidade da academia|da mensalidade da academia|pela mensalidade da academia|95
                o plano de saúde|do plano de saúde|pelo plano de saúde|420
                a creche|da creche|pela creche|780
                o condomínio|do condomínio|pelo condomínio|510""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who} pesa {value}.
                Pesei {who} pela primeira vez: {value}.
                No veterinário, {who} deu {value} na balança."""
            ),
            later=_lines(
                """Pesei {who} de novo: {value}.
                {who} já está com {value}.
                Hoje a balança marcou {value} para {who}."""
            ),
            up=_lines(
                """{who} engordou, agora pesa {value}.
                {who} ganhou peso e foi pra {value}."""
            ),
            down=_lines(
                """{who} emagreceu e está pesando {value}.
                {who} perdeu peso: {value}."""
            ),
            questions=_lines(
                """Quanto pesa {who}?
                Qual é o peso atual {do}?
                Quantos quilos {who} tem agora?
                quanto {who} tá pesando"""
            ),
            cross=_lines(
                """Quanto pesa {who}?
                Quantos quilos {who} tem agora?"""
            ),
            mentions=_lines(
                """Preciso pesar {who} de novo qualquer dia.
                Foto linda {do} dormindo no sol."""
            ),
            subjects=_table(
                "who|do|low",
                """o nosso cachorro Thor|do nosso cachorro Thor|187
                a gata Mel|da gata Mel|33
                o gato Frajola|do gato Frajola|51
                a coelha Pipoca|da coelha Pipoca|18
                a cadelinha Amora|da cadelinha Amora|74
                a cachorra Pretinha|da cachorra Pretinha|121""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{o} mora na {street}, em {town}.
                Fui na casa {do}: {street}, {town}.
                Endereço {do}: {street}, {town}."""
            ),
            later=_lines(
                """{o} se mudou pra {street}, em {town}.
                Novo endereço {do}: {street}, {town}.
                Ajudei {o} na mudança, agora é {street}, {town}.
                {o} agora mora na {street}, {town}.
                Desde essa semana {o} está na {street}, em {town}."""
            ),
            questions=_lines(
                """Onde {o} mora?
                Qual é o endereço {do}?
                Em que rua {o} mora agora?
                onde mora {o} hoje em dia"""
            ),
            cross=_lines(
                """Onde {who} mora agora?
                Qual é o endereço de {who}?"""
            ),
            mentions=_lines(
                """{o} sonha em morar perto do mar.
                {o} reclamou do barulho dos vizinhos."""
            ),
        ),
        "job": Kind(
            first=_lines(
                """{o} trabalha como {job} {at}.
                Encontrei {o}, que tá de {job} {at}.
                {o} é {job} {at}."""
            ),
            later=_lines(
                """{o} mudou de emprego, agora é {job} {at}.
                {o} começou segunda-feira como {job} {at}.
                Contrataram {o} como {job} {at}.
                {o} pediu demissão e agora trabalha como {job} {at}.
                Emprego novo {do}: {job} {at}."""
            ),
            questions=_lines(
                """Onde {o} trabalha?
                O que {o} faz da vida?
                Qual é o emprego atual {do}?
                em que {o} trabalha agora"""
            ),
            cross=_lines(
                """Onde {who} trabalha agora?
                Qual é o emprego de {who}?"""
            ),
            mentions=_lines(
                """{o} saiu tarde do trabalho e nem jantou com a gente.
                {o} queria fazer outra coisa da vida."""
            ),
        ),
    },
    fillers=_lines(
        """Fiz feijoada hoje, ficou salgada demais.
        Passei a tarde cuidando das plantas.
        Dormi mal por causa do vento.
        Finalmente consertei a torneira do banheiro.
        Caminhada na beira do rio com as crianças.
        Li dois capítulos antes de dormir.
        Choveu o dia inteiro.
        O ônibus atrasou quarenta minutos.
        Jogamos baralho até tarde.
        Pão caseiro com castanha, delícia.
        Furou o pneu da bicicleta.
        Achei um abajur antigo na feirinha.
        Conversei um tempão com a minha mãe no telefone.
        Os vizinhos fizeram festa de novo.
        Dentista: tudo certo.
        Fomos pra praia cedinho, mar calmo.
        Vi um filme sobre baleias, chorei.
        Arrumei o armário e achei cartas velhas.
        Nadei mil metros na piscina.
        O ipê da esquina já floriu.
        Pintei o corredor, fiquei todo sujo de tinta.
        Dia tranquilo, nada de mais.
        Cancelaram o ensaio do coral.
        Limpei as janelas e lavei as cortinas.
        Café demais, não consegui dormir.""",
    ),
)

DUTCH = Tongue(
    code="nl",
    folders=("Dagboek", "Mensen", "Onderwerpen", "Notities"),
    money=("€ {n}", "{n} euro"),
    thousands=".",
    coin=10,
    weights=("{} kg", "{} kilo"),
    point=",",
    leads=("'s Avonds: ", "Even opschrijven: ", "Trouwens: "),
    goods={
        "the rent of the garage": "de huur van de garage",
        "the piano course": "de pianoles",
        "the monthly train pass": "het maandabonnement voor de trein",
        "the phone contract": "het telefoonabonnement",
    },
    people=_table(
        "who|key|sex",
        """Sanne de Wit|Sanne|f
        Sanne Bakker|Sanne|f
        Daan Visser|Daan|m
        Daan Mulder|Daan|m
        Femke|Femke|f
        Joost|Joost|m
        oom Henk|Henk|m
        Lotte|Lotte|f""",
    ),
    places=_table(
        "street|town",
        """Kerkstraat #|Utrecht
        Molenweg #|Zwolle
        Prinsengracht #|Amsterdam
        Oude Haven #|Middelburg
        Stationsplein #|Haarlem
        Lindelaan #|Arnhem
        Zandweg #|Deventer
        Nieuwstraat #|Gent""",
    ),
    jobs=_table(
        "m|f|at",
        """verpleger|verpleegster|in het UMC
        boekhouder|boekhoudster|bij de gemeente
        leraar|lerares|op het Vossius
        kok|kok|in een eetcafé
        programmeur|programmeur|bij ASML
        timmerman|timmervrouw|bij bouwbedrijf Smit
        journalist|journaliste|bij de streekkrant
        buschauffeur|buschauffeur|bij Arriva""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """Vandaag {value} van {who} geleend.
                {who} heeft me {value} voorgeschoten voor de auto.
                Ik ben {who} {value} schuldig voor de concertkaartjes.
                {who} betaalde het hotel, ik moet nog {value} terugbetalen."""
            ),
            later=_lines(
                """Met {who} de rekening opgemaakt: er staat nog {value} open.
                Mijn schuld bij {who} is nu {value}."""
            ),
            up=_lines(
                """Weer geld geleend van {who}, in totaal nu {value}.
                {who} heeft nog wat bijgelegd, ik sta nu voor {value} in het krijt."""
            ),
            down=_lines(
                """Een deel aan {who} terugbetaald, nog {value} te gaan.
                Tikkie van {who} betaald, ik ben nog {value} schuldig.
                Wat overgemaakt naar {who}. Rest: {value}."""
            ),
            last=_lines(
                """De rest aan {who} terugbetaald, we staan quitte.
                Alles afgelost bij {who}, geen schuld meer."""
            ),
            questions=_lines(
                """Hoeveel ben ik {who} nog schuldig?
                Hoeveel geld krijgt {who} nog van me?
                Heb ik nog schulden bij {who}?
                wat moet ik {who} nog terugbetalen"""
            ),
            cross=_lines(
                """Hoeveel ben ik {who} nog schuldig?
                Hoeveel moet ik nog aan {who} terugbetalen?"""
            ),
            mentions=_lines(
                """Lang met {who} over geld en het leven gepraat.
                Moet {who} nog eens bedanken voor de lening."""
            ),
        ),
        "price": Kind(
            first=_lines(
                """{who} kost {value} per maand.
                Ik betaal {value} voor {who}.
                Gevraagd wat {who} kost: {value}."""
            ),
            later=_lines(
                """Vanaf nu kost {who} {value}.
                Brief gekregen: {who} gaat {value} kosten.
                Voor {who} betaal ik tegenwoordig {value}."""
            ),
            up=_lines(
                """De prijs van {who} is verhoogd naar {value}.
                Alweer duurder, {who} zit nu op {value}."""
            ),
            down=_lines(
                """{who} is goedkoper geworden: {value}.
                Meevaller, {who} gaat omlaag naar {value}."""
            ),
            questions=_lines(
                """Hoeveel kost {who}?
                Wat betaal ik voor {who}?
                Wat is de prijs van {who} op dit moment?
                wat kost {who} tegenwoordig"""
            ),
            cross=_lines(
                """Wat kost {who}?
                Hoeveel betaal ik nu voor {who}?"""
            ),
            mentions=_lines(
                """Is {who} het geld nog wel waard?
                Thuis over {who} gehad, niks besloten."""
            ),
            subjects=_table(
                "who|low",
                """de huur van het appartement|690
                de huur van de garagebox|85
                de sportschool|22
                het groentepakket|16
                de kinderopvang|310
                de parkeervergunning|41""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who} weegt {value}.
                {who} voor het eerst gewogen: {value}.
                Bij de dierenarts geweest, {who} is {value}."""
            ),
            later=_lines(
                """{who} weer gewogen, nu {value}.
                {who} weegt inmiddels {value}.
                De weegschaal geeft vandaag {value} aan voor {who}."""
            ),
            up=_lines(
                """{who} is aangekomen en weegt nu {value}.
                {who} is zwaarder geworden: {value}."""
            ),
            down=_lines(
                """{who} is afgevallen, nog maar {value}.
                Het dieet helpt, {who} zit op {value}."""
            ),
            questions=_lines(
                """Hoeveel weegt {who}?
                Hoe zwaar is {who}?
                Wat is het huidige gewicht van {who}?
                wat weegt {who} nu"""
            ),
            cross=_lines(
                """Hoeveel weegt {who}?
                Hoe zwaar is {who} nu?"""
            ),
            mentions=_lines(
                """Moet {who} binnenkort weer eens wegen.
                Mooie foto gemaakt van {who} in de zon."""
            ),
            subjects=_table(
                "who|low",
                """onze hond Boris|204
                de poes Saartje|37
                kater Tijger|52
                het konijn Stampertje|15
                de teckel Sjors|81
                de cavia Knor|9""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{who} woont op {street} in {town}.
                Bij {who} thuis geweest, {street}, {town}.
                Adres van {who}: {street}, {town}."""
            ),
            later=_lines(
                """{who} is verhuisd naar {street}, {town}.
                Nieuw adres van {who}: {street}, {town}.
                Geholpen met dozen sjouwen, {who} woont nu op {street} in {town}.
                Kaartje van {who}, vanaf nu {street}, {town}.
                {who} heeft een huis gevonden: {street} in {town}."""
            ),
            questions=_lines(
                """Waar woont {who}?
                Wat is het adres van {who}?
                In welke straat woont {who} nu?
                waar moet de post voor {who} heen"""
            ),
            cross=_lines(
                """Waar woont {who} nu?
                Wat is het adres van {who}?"""
            ),
            mentions=_lines(
                """{who} droomt van een huisje aan zee.
                {who} klaagde over de buren."""
            ),
        ),
        "job": Kind(
            first=_lines(
                """{who} werkt als {job} {at}.
                {who} gesproken, is tegenwoordig {job} {at}.
                {who} is {job} {at}."""
            ),
            later=_lines(
                """{who} heeft een nieuwe baan: {job} {at}.
                {who} is maandag begonnen als {job} {at}.
                {who} is aangenomen als {job} {at}.
                {who} heeft ontslag genomen en werkt nu als {job} {at}.
                {who} is van baan veranderd en is nu {job} {at}."""
            ),
            questions=_lines(
                """Waar werkt {who}?
                Wat doet {who} voor werk?
                Wat voor baan heeft {who} nu?
                bij wie werkt {who}"""
            ),
            cross=_lines(
                """Waar werkt {who} nu?
                Wat voor werk doet {who}?"""
            ),
            mentions=_lines(
                """{who} kwam laat uit het werk en viel op de bank in slaap.
                {who} wil eigenlijk heel iets anders gaan doen."""
            ),
        ),
    },
    fillers=_lines(
        """Linzensoep gekookt, veel te zout.
        De hele middag onkruid gewied.
        Slecht geslapen door de wind.
        Eindelijk de kraan in de badkamer gemaakt.
        Met de kinderen langs de rivier gewandeld.
        Twee hoofdstukken gelezen op de bank.
        Regen, de hele dag door.
        De trein had weer veertig minuten vertraging.
        's Avonds gekaart en veel gelachen.
        Brood gebakken met walnoten.
        Lekke band, morgen plakken.
        Op de rommelmarkt een oude lamp gevonden.
        Lang met mama gebeld.
        De buren hadden weer feest.
        Tandarts: alles goed.
        In het bos de eerste cantharellen gezien.
        Film over walvissen gekeken, verdrietig.
        Zolder opgeruimd, oude brieven gevonden.
        Veertig baantjes gezwommen.
        De seringen bloeien al.
        De gang geverfd, verf in mijn haar.
        Rustige dag, niks bijzonders.
        Koorrepetitie ging niet door.
        Ramen gelapt en gordijnen gewassen.
        Te veel koffie, kon niet slapen.""",
    ),
)

RUSSIAN = Tongue(
    code="ru",
    folders=("Дневник", "Люди", "Темы", "Заметки"),
    money=("{n} ₽", "{n} руб", "{n} рублей"),
    thousands=" ",
    coin=500,
    weights=("{} кг", "{} кило"),
    point=",",
    leads=("Вечером: ", "Чтобы не забыть: ", "Кстати: "),
    goods={
        "the rent of the garage": "аренда гаража",
        "the piano course": "обучение игре на пианино",
        "the monthly train pass": "месячный проездной на поезд",
        "the phone contract": "тариф на телефон",
    },
    people=_table(
        "who|gen|dat|acc|ins|key|sex|a|sya",
        """Анна Белова|Анны Беловой|Анне Беловой|Анну Белову|Анной Беловой|Анна|f|а|ась
        Анна Крылова|Анны Крыловой|Анне Крыловой|Анну Крылову|Анной Крыловой|Анна|f|а|ась
        Сергей Лапин|Сергея Лапина|Сергею Лапину|Сергея Лапина|Сергеем Лапиным|Сергей|m||ся
        Сергей Зотов|Сергея Зотова|Сергею Зотову|Сергея Зотова|Сергеем Зотовым|Сергей|m||ся
        Марина|Марины|Марине|Марину|Мариной|Марина|f|а|ась
        Дима|Димы|Диме|Диму|Димой|Дима|m||ся
        дядя Коля|дяди Коли|дяде Коле|дядю Колю|дядей Колей|Коля|m||ся
        Оля|Оли|Оле|Олю|Олей|Оля|f|а|ась""",
    ),
    places=_table(
        "street|on|town|in|to",
        """ул. Садовая, д. #|на Садовой, дом #|Казань|в Казани|в Казань
        ул. Ленина, д. #|на улице Ленина, дом #|Пермь|в Перми|в Пермь
        ул. Мира, д. #|на улице Мира, дом #|Самара|в Самаре|в Самару
        Невский проспект, #|на Невском проспекте, #|Петербург|в Петербурге|в Петербург
        ул. Пушкина, д. #|на улице Пушкина, дом #|Тула|в Туле|в Тулу
        Речной переулок, #|в Речном переулке, #|Тверь|в Твери|в Тверь
        ул. Гагарина, д. #|на улице Гагарина, дом #|Калуга|в Калуге|в Калугу
        Лесная улица, #|на Лесной улице, #|Томск|в Томске|в Томск""",
    ),
    jobs=_table(
        "m|f|mi|fi|at|into",
        """медбрат|медсестра|медбратом|медсестрой|в городской больнице|в городскую больницу
        бухгалтер|бухгалтер|бухгалтером|бухгалтером|в «Газпроме»|в «Газпром»
        учитель|учительница|учителем|учительницей|в пятой школе|в пятую школу
        повар|повар|поваром|поваром|в столовой завода|в столовую завода
        программист|программист|программистом|программистом|в «Яндексе»|в «Яндекс»
        журналист|журналистка|журналистом|журналисткой|в районной газете|в районную газету
        водитель|водитель|водителем|водителем|в автобусном парке|в автобусный парк
        продавец|продавщица|продавцом|продавщицей|в книжном магазине|в книжный магазин""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """Занял у {gen} {value} до зарплаты.
                {who} одолжил{a} мне {value} на ремонт машины.
                Должен {dat} {value} за билеты.
                Взял в долг у {gen} {value}."""
            ),
            later=_lines(
                """Посчитались с {ins}: за мной ещё {value}.
                Мой долг {dat} теперь {value}."""
            ),
            up=_lines(
                """Снова занял у {gen}, теперь должен всего {value}.
                {who} выручил{a} ещё раз, долг вырос до {value}."""
            ),
            down=_lines(
                """Вернул {dat} часть, остался должен {value}.
                Перевёл {dat} немного на карту. Осталось {value}.
                Отдал {dat} ещё часть долга, теперь должен {value}."""
            ),
            last=_lines(
                """Вернул {dat} всё до копейки, мы в расчёте.
                Рассчитался с {ins}, больше ничего не должен."""
            ),
            questions=_lines(
                """Сколько я должен {dat}?
                Сколько денег я ещё не вернул {dat}?
                Какой у меня долг перед {ins}?
                сколько осталось отдать {dat}"""
            ),
            cross=_lines(
                """Сколько я ещё должен {who}?
                Какой у меня сейчас долг перед {who}?"""
            ),
            mentions=_lines(
                """Долго говорили с {ins} о деньгах и о жизни.
                Надо ещё раз сказать {dat} спасибо за помощь."""
            ),
        ),
        "price": Kind(
            first=_lines(
                """{who} стоит {value} в месяц.
                Плачу за {acc} {value}.
                Узнал, сколько стоит {who}: {value}."""
            ),
            later=_lines(
                """Теперь {who} стоит {value}.
                С этого месяца плачу за {acc} {value}.
                Новая цена за {acc}: {value}."""
            ),
            up=_lines(
                """{who} подорожал{a} до {value}.
                Опять подняли цену за {acc}, теперь {value}."""
            ),
            down=_lines(
                """{who} подешевел{a} до {value}.
                Сделали скидку, за {acc} теперь {value}."""
            ),
            questions=_lines(
                """Сколько стоит {who}?
                Сколько я плачу за {acc}?
                Какая сейчас цена за {acc}?
                во сколько теперь обходится {who}"""
            ),
            cross=_lines(
                """Сколько сейчас стоит {who}?
                Во сколько мне обходится {who}?"""
            ),
            mentions=_lines(
                """Думаю, нужна ли вообще такая трата: {who}.
                Спорили дома про {acc}, ничего не решили."""
            ),
            subjects=_table(
                "who|acc|a|low",
                """аренда квартиры|аренду квартиры|а|32000
                аренда гаража|аренду гаража|а|4500
                абонемент в бассейн|абонемент в бассейн||2400
                проездной|проездной||2100
                детский сад|детский сад||6500
                парковка у дома|парковку у дома|а|3200""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who} весит {value}.
                Впервые взвесили {acc}: {value}.
                Были в клинике, вес {gen} — {value}."""
            ),
            later=_lines(
                """Снова взвесил {acc}: {value}.
                {who} теперь весит {value}.
                Сегодня весы показали {value}, это {who}."""
            ),
            up=_lines(
                """{who} поправил{sya}, уже {value}.
                {who} набрал{a} вес и весит {value}."""
            ),
            down=_lines(
                """{who} похудел{a} до {value}.
                {who} сбросил{a} вес, осталось {value}."""
            ),
            questions=_lines(
                """Сколько весит {who}?
                Какой сейчас вес у {gen}?
                Сколько килограммов в {pre} сейчас?
                сколько теперь весит {who}"""
            ),
            cross=_lines(
                """Сколько весит {who}?
                Какой сейчас вес у {who}?"""
            ),
            mentions=_lines(
                """Надо бы на днях снова взвесить {acc}.
                Сфотографировал {acc} на солнышке."""
            ),
            subjects=_table(
                "who|gen|acc|pre|a|sya|low",
                """пёс Шарик|пса Шарика|пса Шарика|Шарике||ся|168
                кошка Мурка|кошки Мурки|кошку Мурку|Мурке|а|ась|35
                кот Васька|кота Васьки|кота Ваську|Ваське||ся|48
                кролик Пушок|кролика Пушка|кролика Пушка|Пушке||ся|16
                такса Джуля|таксы Джули|таксу Джулю|Джуле|а|ась|77
                малышка Соня|малышки Сони|малышку Соню|Соне|а|ась|63""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{who} живёт {in} {on}.
                Был в гостях у {gen}: {town}, {street}.
                Адрес {gen}: {town}, {street}."""
            ),
            later=_lines(
                """{who} переехал{a} {to}, теперь живёт {on}.
                Новый адрес {gen}: {town}, {street}.
                Помогал {dat} с переездом, новая квартира {in} {on}.
                У {gen} новоселье: {town}, {street}.
                {who} снял{a} квартиру {in} {on}."""
            ),
            questions=_lines(
                """Где сейчас живёт {who}?
                Какой адрес у {gen}?
                На какой улице живёт {who}?
                куда отправить письмо {dat}"""
            ),
            cross=_lines(
                """Где сейчас живёт {who}?
                Какой адрес у {who}?"""
            ),
            mentions=_lines(
                """{who} мечтает о доме у моря.
                {who} жаловал{sya} на шумных соседей."""
            ),
        ),
        "job": Kind(
            first=_lines(
                """{who} работает {ins_job} {at}.
                Встретил {acc}, трудится {ins_job} {at}.
                {who} — {job} {at}."""
            ),
            later=_lines(
                """{who} сменил{a} работу, теперь {job} {at}.
                {who} устроил{sya} {ins_job} {into}.
                {acc} взяли {ins_job} {into}.
                {who} уволил{sya} и теперь работает {ins_job} {at}.
                Новая работа у {gen}: {job} {at}."""
            ),
            questions=_lines(
                """Где работает {who}?
                Кем сейчас работает {who}?
                Какая работа у {gen}?
                чем {who} зарабатывает на жизнь"""
            ),
            cross=_lines(
                """Где сейчас работает {who}?
                Кем работает {who}?"""
            ),
            mentions=_lines(
                """{who} вернул{sya} с работы поздно и сразу уснул{a}.
                {who} мечтает заняться чем-то совсем другим."""
            ),
        ),
    },
    fillers=_lines(
        """Сварил борщ, пересолил.
        Весь день возился на даче с грядками.
        Плохо спал, ветер гудел всю ночь.
        Наконец починил кран в ванной.
        Гуляли с детьми вдоль реки.
        Прочитал две главы перед сном.
        Дождь не прекращался ни на час.
        Электричка опять опоздала.
        Вечером играли в карты, смеялись до слёз.
        Испёк хлеб с орехами.
        Проколол колесо на велосипеде.
        На барахолке нашёл старую лампу.
        Долго говорил с мамой по телефону.
        Соседи опять шумели до полуночи.
        Сходил к зубному, всё в порядке.
        В лесу уже пошли лисички.
        Смотрели фильм про китов, грустный.
        Разобрал антресоли, нашёл старые письма.
        Проплыл сорок бассейнов.
        Сирень зацвела.
        Покрасил коридор, весь в краске.
        Тихий день, ничего не случилось.
        Репетицию хора отменили.
        Помыл окна и постирал шторы.
        Слишком много кофе, не мог уснуть.""",
    ),
)

CHINESE = Tongue(
    code="zh",
    folders=("日记", "朋友", "事情", "笔记"),
    money=("{plain}元", "{plain}块", "{plain} 元", "{plain}块钱"),
    thousands="",
    coin=100,
    weights=("{}公斤", "{} kg"),
    point=".",
    leads=("晚上记一下：", "对了，", "备忘："),
    goods={
        "the rent of the garage": "车库的租金",
        "the piano course": "钢琴课",
        "the monthly train pass": "火车月票",
        "the phone contract": "手机套餐",
    },
    people=_table(
        "who|key",
        """王芳|芳
        刘芳|芳
        张伟|伟
        陈伟|伟
        李雷|李雷
        小敏|小敏
        表哥志强|志强
        赵晓燕|赵晓燕""",
    ),
    places=_table(
        "street",
        """杭州市文三路#号
        成都市玉林街#号
        上海市复兴中路#号
        南京市中山路#号
        广州市天河北路#号
        武汉市珞喻路#号
        苏州市平江路#号
        西安市友谊西路#号""",
    ),
    jobs=_table(
        "job|at",
        """护士|人民医院
        会计|一家外贸公司
        语文老师|实验中学
        厨师|老城火锅店
        程序员|腾讯
        记者|市电视台
        司机|公交公司
        店员|新华书店""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """今天跟{who}借了{value}。
                {who}借给我{value}修车。
                演唱会的票是{who}垫的，我欠{who}{value}。
                手头紧，向{who}借了{value}。"""
            ),
            later=_lines(
                """和{who}对了一下账，还差{value}没还。
                现在欠{who}{value}。"""
            ),
            up=_lines(
                """又找{who}借了点，一共欠{value}了。
                {who}又帮我垫了钱，加起来欠{value}。"""
            ),
            down=_lines(
                """还了{who}一部分，还欠{value}。
                给{who}微信转了一笔，剩下{value}慢慢还。
                先还{who}一些，只欠{value}了。"""
            ),
            last=_lines(
                """欠{who}的钱全部还清了。
                把剩下的都还给{who}了，两清。"""
            ),
            questions=_lines(
                """我还欠{who}多少钱？
                我欠{who}多少？
                还要还给{who}多少钱？
                {who}的钱我还清了吗"""
            ),
            cross=_lines(
                """我还欠 {who} 多少钱？
                我现在欠 {who} 多少？"""
            ),
            mentions=_lines(
                """跟{who}聊了很久，聊钱，也聊人生。
                改天得好好谢谢{who}借钱给我。"""
            ),
        ),
        "price": Kind(
            first=_lines(
                """{who}每月{value}。
                交了{who}，{value}。
                问了一下，{who}要{value}。"""
            ),
            later=_lines(
                """从这个月起{who}是{value}。
                {who}改成{value}了。
                收到通知，{who}以后按{value}收。"""
            ),
            up=_lines(
                """{who}涨到{value}了。
                又涨价了，{who}现在{value}。"""
            ),
            down=_lines(
                """{who}降到{value}了，真好。
                跟对方谈了谈，{who}便宜到{value}。"""
            ),
            questions=_lines(
                """{who}现在多少钱？
                {who}是多少？
                我每个月{who}要交多少钱？
                {who}涨到多少了"""
            ),
            cross=_lines(
                """{who}现在多少钱？
                {who}要花多少钱？"""
            ),
            mentions=_lines(
                """在想{who}到底值不值。
                和家里商量{who}的事，没结果。"""
            ),
            subjects=_table(
                "who|low",
                """房租|2600
                车位费|350
                物业费|220
                孩子的托费|1800
                健身房会费|240
                英语课的学费|900""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who}现在{value}。
                第一次给{who}称体重，{value}。
                带{who}去检查，体重{value}。"""
            ),
            later=_lines(
                """又给{who}称了一下，{value}。
                {who}已经{value}了。
                今天{who}上秤，显示{value}。"""
            ),
            up=_lines(
                """{who}胖了，现在{value}。
                {who}又重了，长到{value}。"""
            ),
            down=_lines(
                """{who}瘦了，只有{value}。
                {who}减肥有效果，降到{value}。"""
            ),
            questions=_lines(
                """{who}现在多重？
                {who}的体重是多少？
                {who}有多少公斤？
                {who}现在几公斤"""
            ),
            cross=_lines(
                """{who} 现在多重？
                {who} 的体重是多少公斤？"""
            ),
            mentions=_lines(
                """改天再给{who}称一下体重。
                给{who}拍了张晒太阳的照片。"""
            ),
            subjects=_table(
                "who|low",
                """小狗豆豆|146
                猫咪花花|38
                橘猫大黄|52
                兔子团子|17
                泰迪可乐|44
                女儿糖糖|69""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{who}住在{street}。
                去{who}家坐了坐，在{street}。
                记一下{who}的地址：{street}。"""
            ),
            later=_lines(
                """{who}搬家了，搬到{street}。
                {who}的新地址：{street}。
                帮{who}搬家，新房子在{street}。
                {who}现在住{street}。
                {who}换了房子，以后寄东西寄到{street}。"""
            ),
            questions=_lines(
                """{who}现在住在哪里？
                {who}的地址是什么？
                {who}住哪儿？
                给{who}寄快递寄到哪"""
            ),
            cross=_lines(
                """{who} 现在住在哪里？
                {who} 的地址是什么？"""
            ),
            mentions=_lines(
                """{who}说以后想住到海边去。
                {who}抱怨邻居太吵。"""
            ),
        ),
        "job": Kind(
            first=_lines(
                """{who}在{at}当{job}。
                碰到{who}，说是在{at}做{job}。
                {who}的工作是{at}的{job}。"""
            ),
            later=_lines(
                """{who}换工作了，现在在{at}当{job}。
                {who}周一去{at}上班了，做{job}。
                {who}跳槽到{at}做{job}。
                {who}辞职了，现在是{at}的{job}。
                {who}找到新工作：{at}，{job}。"""
            ),
            questions=_lines(
                """{who}现在在哪儿上班？
                {who}是做什么工作的？
                {who}在哪里工作？
                {who}现在干什么工作"""
            ),
            cross=_lines(
                """{who} 现在在哪里上班？
                {who} 是做什么工作的？"""
            ),
            mentions=_lines(
                """{who}加班到很晚，没来吃饭。
                {who}说想做点完全不一样的事。"""
            ),
        ),
    },
    fillers=_lines(
        """今天煮了红豆汤，太甜了。
        下午一直在阳台上浇花。
        昨晚风太大，没睡好。
        终于把卫生间的水龙头修好了。
        带孩子去河边散步。
        睡前看了两章小说。
        一整天都在下雨。
        高铁晚点了四十分钟。
        晚上打牌，笑得肚子疼。
        自己烤了核桃面包。
        自行车胎又破了。
        在旧货市场淘到一盏台灯。
        和妈妈打了很久的电话。
        楼上又吵到半夜。
        去看牙，一切正常。
        山里的桂花开了。
        看了一部讲鲸鱼的电影，有点难过。
        收拾柜子，翻出好多旧信。
        游了一千米。
        小区里的樱花开了。
        刷了走廊的墙，头发上都是漆。
        平平淡淡的一天。
        合唱团排练取消了。
        擦了窗户，洗了窗帘。
        咖啡喝多了，睡不着。""",
    ),
)

JAPANESE = Tongue(
    code="ja",
    folders=("日記", "人", "いろいろ", "メモ"),
    money=("{man}円", "{n}円"),
    thousands=",",
    coin=1000,
    weights=("{}キロ", "{}kg"),
    point=".",
    leads=("夜のメモ。", "忘れないうちに。", "そういえば、"),
    goods={
        "the rent of the garage": "ガレージの賃料",
        "the piano course": "ピアノのレッスン",
        "the monthly train pass": "電車の定期券",
        "the phone contract": "携帯の料金",
    },
    people=_table(
        "who|key",
        """佐藤健さん|佐藤
        佐藤美咲さん|佐藤
        田中一郎さん|田中
        田中陽子さん|田中
        鈴木くん|鈴木
        由美ちゃん|由美
        弟の翔太|翔太
        高橋先輩|高橋""",
    ),
    places=_table(
        "street",
        """京都市左京区下鴨#番地
        横浜市中区元町#番地
        札幌市北区北二十条西#
        福岡市中央区大名#番地
        仙台市青葉区一番町#
        名古屋市千種区今池#番地
        神戸市灘区王子町#
        金沢市東山#番地""",
    ),
    jobs=_table(
        "job|at",
        """看護師|市立病院
        経理|不動産会社
        国語の先生|第二中学校
        料理人|駅前の居酒屋
        プログラマー|任天堂
        記者|地元の新聞社
        運転手|市バス
        店員|丸善書店""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """{who}に{value}借りた。
                車の修理代を{who}に立て替えてもらった。{value}。
                コンサートのチケット代、{who}に{value}借りている。
                財布を忘れて{who}から{value}借りてしまった。"""
            ),
            later=_lines(
                """{who}と計算してみたら、残りの借金は{value}。
                {who}への借りは今{value}。"""
            ),
            up=_lines(
                """また{who}に借りてしまった。合わせて{value}。
                {who}に追加で貸してもらい、借金は全部で{value}になった。"""
            ),
            down=_lines(
                """{who}に一部返した。あと{value}残っている。
                {who}に少し振り込んだ。残り{value}。
                {who}に分割で返済中、あと{value}。"""
            ),
            last=_lines(
                """{who}に全額返し終わった。これで貸し借りなし。
                {who}への借金をやっと完済した。"""
            ),
            questions=_lines(
                """{who}にいくら借りてる？
                {who}にあといくら返せばいい？
                {who}への借金はいくら残ってる？
                {who}にまだお金を借りていますか"""
            ),
            cross=_lines(
                """{who}にいくら借りてる？
                {who}にあといくら返せばいいですか？"""
            ),
            mentions=_lines(
                """{who}とお金や人生の話を長々とした。
                {who}にお金のお礼をもう一度言わないと。"""
            ),
        ),
        "price": Kind(
            first=_lines(
                """{who}は月{value}。
                {who}を払った。{value}。
                {who}がいくらか聞いてみたら{value}だった。"""
            ),
            later=_lines(
                """今月から{who}は{value}になった。
                {who}が{value}に変わった。
                お知らせが届いた。{who}はこれから{value}。"""
            ),
            up=_lines(
                """{who}が{value}に上がった。
                また値上げ。{who}が{value}に。"""
            ),
            down=_lines(
                """{who}が{value}に下がった。助かる。
                {who}、交渉して{value}にしてもらった。"""
            ),
            questions=_lines(
                """{who}はいくら？
                {who}は今いくらですか？
                {who}に毎月いくら払ってる？
                今の{who}いくらだっけ"""
            ),
            cross=_lines(
                """{who}は今いくら？
                {who}はいくらかかりますか？"""
            ),
            mentions=_lines(
                """{who}、本当に必要なのか考え中。
                {who}のことを家族と話したけど決まらず。"""
            ),
            subjects=_table(
                "who|low",
                """家賃|68000
                駐車場代|9500
                ジムの会費|7200
                保育料|31000
                英会話の月謝|12000
                トランクルームの料金|5400""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who}の体重は{value}。
                {who}を初めて量った。{value}。
                病院で{who}の体重を測ったら{value}だった。"""
            ),
            later=_lines(
                """{who}をまた量ったら{value}。
                {who}は今{value}。
                今日の{who}、体重計で{value}。"""
            ),
            up=_lines(
                """{who}が太った。もう{value}。
                {who}の体重が増えて{value}になった。"""
            ),
            down=_lines(
                """{who}が痩せて{value}になった。
                {who}、ダイエット成功で{value}まで減った。"""
            ),
            questions=_lines(
                """{who}の体重は？
                {who}は今何キロ？
                {who}の体重はどのくらいですか？
                {who}って何キロだっけ"""
            ),
            cross=_lines(
                """{who}の体重は何キロ？
                {who}は今どのくらいの重さですか？"""
            ),
            mentions=_lines(
                """{who}の体重、そろそろまた量らないと。
                {who}がひなたで寝ている写真を撮った。"""
            ),
            subjects=_table(
                "who|low",
                """犬のポチ|93
                猫のタマ|39
                茶トラのモモ|47
                うさぎのユキ|16
                柴犬のコタロウ|88
                娘のさくら|67""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{who}は{street}に住んでいる。
                {who}の家に遊びに行った。{street}。
                {who}の住所、{street}。"""
            ),
            later=_lines(
                """{who}が{street}に引っ越した。
                {who}の新しい住所は{street}。
                {who}の引っ越しを手伝った。新居は{street}。
                {who}から転居のはがき。{street}とのこと。
                {who}は今{street}に住んでいるそうだ。"""
            ),
            questions=_lines(
                """{who}はどこに住んでる？
                {who}の住所は？
                {who}の今の住まいはどこですか？
                {who}に荷物を送る住所"""
            ),
            cross=_lines(
                """{who}は今どこに住んでる？
                {who}の住所を教えて"""
            ),
            mentions=_lines(
                """{who}はいつか海の近くで暮らしたいらしい。
                {who}が隣の騒音をぼやいていた。"""
            ),
        ),
        "job": Kind(
            first=_lines(
                """{who}は{at}で{job}をしている。
                {who}に会った。{at}の{job}だそうだ。
                {who}の仕事は{at}の{job}。"""
            ),
            later=_lines(
                """{who}が転職した。今は{at}で{job}をしている。
                {who}、月曜から{at}で{job}として働き始めた。
                {who}の新しい仕事は{at}の{job}。
                {who}は会社を辞めて、{at}の{job}になった。
                {who}が{at}に{job}として採用された。"""
            ),
            questions=_lines(
                """{who}はどこで働いてる？
                {who}の仕事は何？
                {who}は今どんな仕事をしていますか？
                {who}の勤め先"""
            ),
            cross=_lines(
                """{who}は今どこで働いてる？
                {who}の仕事は何ですか？"""
            ),
            mentions=_lines(
                """{who}は残業で遅くなり、夕飯に来られなかった。
                {who}はまったく別のことをやりたいと言っていた。"""
            ),
        ),
    },
    fillers=_lines(
        """豚汁を作ったけど、少ししょっぱかった。
        午後はずっとベランダの水やり。
        風がうるさくてよく眠れなかった。
        やっと洗面所の蛇口を直した。
        子どもたちと川沿いを散歩。
        寝る前に小説を二章読んだ。
        一日中雨。
        電車が四十分も遅れた。
        夜はトランプで大笑い。
        くるみパンを焼いた。
        自転車がパンクした。
        蚤の市で古いランプを見つけた。
        母と長電話。
        上の階がまた夜中までにぎやか。
        歯医者、異常なし。
        山で栗を拾った。
        クジラの映画を見て、少し泣いた。
        押し入れを片付けたら古い手紙が出てきた。
        プールで千メートル泳いだ。
        桜が咲き始めた。
        廊下の壁を塗った。髪にペンキがついた。
        特に何もない、静かな一日。
        合唱の練習は中止。
        窓を拭いて、カーテンを洗った。
        コーヒーを飲みすぎて眠れない。""",
    ),
)

ENGLISH = Tongue(
    code="en",
    folders=("Journal", "People", "Topics", "Notes"),
    money=("€{n}", "{n} euros", "${n}"),
    thousands=",",
    coin=10,
    weights=("{} kg", "{} kilos"),
    point=".",
    leads=("In the evening: ", "Note to self: ", "By the way: "),
    goods={},
    people=_table(
        "who|key|sex|latin",
        """Anna Keller|Anna|f|Anna Keller
        Anna Brandt|Anna|f|Anna Brandt
        Marco Bellini|Marco|m|Marco Bellini
        Marco Dietz|Marco|m|Marco Dietz
        Sreedhar|Sreedhar|m|Sreedhar
        Ingrid|Ingrid|f|Ingrid
        Kwame|Kwame|m|Kwame
        Priya|Priya|f|Priya""",
    ),
    places=_table(
        "street|town",
        """# Alder Street|Leeds
        # Brewer Lane|Cork
        # Canal Row|Ghent
        # Elm Square|Bergen
        # Garden Terrace|York
        # Kiln Road|Bristol
        # Priory Lane|Dublin
        # River Terrace|Utrecht""",
    ),
    jobs=_table(
        "job|at",
        """a nurse|Northgate Hospital
        a bus driver|the city works
        an accountant|Granite Bank
        a cook|the harbour inn
        a programmer|Bluebell Software
        a reporter|Radio Nord
        a teacher|Oakridge School
        a gardener|the botanical garden""",
    ),
    kinds={
        "debt": Kind(
            first=_lines(
                """Borrowed {value} from {who} today.
                {who} lent me {value} for the car.
                I owe {who} {value} for the tickets."""
            ),
            later=_lines("""Went through it with {who}: {value} still to pay."""),
            up=_lines(
                """{who} helped me out once more, so I owe {value} altogether.
                Borrowed again from {who}, the debt is {value} now."""
            ),
            down=_lines(
                """Gave {who} a part of it back, I still owe {value}.
                Another payment to {who}, {value} left.
                Transferred some money to {who}, now I only owe {value}."""
            ),
            last=_lines("""Paid {who} the rest, we are even."""),
            questions=("How much do I owe {who}?", "What do I still owe {who}?"),
            cross=(),
            mentions=("Long talk with {who} about money and life.",),
        ),
        "price": Kind(
            first=_lines(
                """{who} costs {value} a month.
                I pay {value} for {who}.
                Asked about {who}: {value}."""
            ),
            later=_lines(
                """From now on {who} costs {value}.
                A letter about {who}: the new price is {value}."""
            ),
            up=("{who} went up to {value}.", "They raised the price of {who} to {value}."),
            down=("{who} is cheaper now, {value}.", "{who} came down to {value}."),
            questions=("How much is {who}?", "What do I pay for {who}?"),
            cross=(),
            mentions=("Is {who} worth the money? I wonder.",),
            subjects=_table(
                "who|low",
                """the rent of the garage|70
                the piano course|120
                the monthly train pass|58
                the phone contract|19""",
            ),
        ),
        "weight": Kind(
            first=_lines(
                """{who} weighs {value}.
                First weighing of {who}: {value}.
                At the vet with {who}, {value} on the scales."""
            ),
            later=_lines(
                """Weighed {who} again, {value} this time.
                {who} is at {value} now.
                The scales say {value} for {who} today."""
            ),
            up=("{who} has put on weight: {value}.", "{who} got heavier, {value} by now."),
            down=("{who} has lost weight, down to {value}.", "{who} got lighter: {value}."),
            questions=("How much does {who} weigh?", "How heavy is {who}?"),
            cross=(),
            mentions=("Must remember to weigh {who} again.",),
            subjects=_table(
                "who|latin|low",
                """Bruno the dog|Bruno|158
                our cat Mimi|Mimi|37
                Biscuit the guinea pig|Biscuit|9
                the spaniel Pip|Pip|121""",
            ),
        ),
        "address": Kind(
            first=_lines(
                """{who} lives at {street} in {town}.
                Visited {who} at home, {street}, {town}.
                The address of {who}: {street}, {town}."""
            ),
            later=_lines(
                """{who} has moved to {street} in {town}.
                New address of {who}: {street}, {town}.
                Helped {who} carry boxes to {street}, {town}.
                {who} now lives at {street}, {town}."""
            ),
            questions=("Where does {who} live?", "What is the address of {who}?"),
            cross=(),
            mentions=("{who} dreams of a house by the sea.",),
        ),
        "job": Kind(
            first=_lines(
                """{who} works as {job} at {at}.
                Met {who}, who is {job} at {at}.
                {who} earns a living as {job} at {at}."""
            ),
            later=_lines(
                """{who} has changed jobs and is now {job} at {at}.
                {who} started on Monday as {job} at {at}.
                New job for {who}: {job} at {at}.
                {who} quit and works as {job} at {at} now."""
            ),
            questions=("Where does {who} work?", "What does {who} do for a living?"),
            cross=(),
            mentions=("{who} came home late from work and fell asleep on the sofa.",),
        ),
    },
    fillers=_lines(
        """Cooked lentil soup, far too salty.
        Spent the afternoon weeding the garden.
        Slept badly because of the wind.
        Fixed the tap in the bathroom at last.
        Walked along the river with the children.
        Read two chapters on the sofa.
        Rain all day.
        The train was forty minutes late again.
        Played cards until late and laughed a lot.
        Baked bread with walnuts.
        Flat tyre on the way home.
        Found an old lamp at the flea market.
        Long phone call with Mum.
        The neighbours had another party.
        Dentist: all fine.
        The first chanterelles in the woods.
        Watched a film about whales.
        Tidied the cellar and found old letters.
        Swam forty lengths.
        The lilac is in bloom.
        Painted the hallway.
        A quiet day, nothing to report.
        Choir practice was cancelled.
        Cleaned the windows.
        Too much coffee, could not sleep.""",
    ),
)

TONGUES = (GERMAN, SPANISH, FRENCH, ITALIAN, PORTUGUESE, DUTCH, RUSSIAN, CHINESE, JAPANESE)
