"""Words that hold a sentence together and do not say what it is about, in a few languages. Pure."""

ENGLISH = """
a about after again all also am an and any are as at back be because been before being between both
but by can could d did do does doing done down each ever every few for from get give gives go got
had has have having he her here hers him his how i if in into is it its just last let like ll m many
me more most much my near no nor not now of off on once one only or other our out over own please
re s said same say says she should show so some such t tell than that the their them then there
these they thing things this those through time to too under until up us use used ve very was way
we were what whats when where which while who whom whose why will with would yes you your yours
"""

GERMAN = """
aber alle als also am an auch auf aus bei beim bin bis bist da damit dann das dass dem den denn
der des dich die dies diese dieser dieses dir doch du durch ein eine einem einen einer eines er es
etwas für gab gibt hab habe haben hat hatte hatten ich ihm ihn ihr ihre im in ins ist ja kann kein
keine mal man mehr mein meine mich mir mit nach nicht noch nun nur ob oder ohne schon sein seine
sich sie sind so um und uns unser unter vom von vor wann war waren warum was weil welche welchem
welchen welcher welches wenn wer werden wie wieder will wir wird wo wurde wurden zu zum zur
zwischen über
"""

FRENCH_SPANISH_ITALIAN = """
al algo au aux avec ce ces cette che chi ci come comment como con cosa cual cuando cui cuándo cómo
da dal dalla dans de dei del della delle di donde dove du dónde e ed el ella elle ellos en entre
era es ese est esta este esto et eux fue gli ha han hay ho i il ils io je la las le les leur lo
loro los lui ma mais me mes mi mia mio mis mon muy más ne nel nella non nos nous o on ont ou où
par para pas per perché pero più por pour pourquoi qu quale quand quando quanto que quel quelle
questa questo qui quién qué sa se ser ses si sin sobre son sono sont su sul sulla sur sus ta
también te tes tiene toi ton tra tu un una une uno vos votre vous y ya yo
"""

ALL = f"{ENGLISH} {GERMAN} {FRENCH_SPANISH_ITALIAN}"
