"""Function words, which do not show what a sentence is about, by language. Pure."""

ENGLISH = """
a about after again all also am an and any anyone anything are as at back be because been before
being between both but by can could d did do does doing done down each ever every everyone
everything few for from get give gives go got had has have having he her here hers him his how i
if in into is it its just last let like ll m many me more most much my near no nor not now of
off on once one only or other our out over own please re s said same say says she should show so
some someone something such t tell than that the their them then there these they thing things
think this those through time to too under until up us use used ve very was way we were what
whats when where which while who whom whose why will with would yes you your yours
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

FRENCH = """
a au aux avait avec avez c ce ces cette comment d dans de des du elle en est et eux fait il ils j
je l la le les leur lui m ma mais me mes mon n ne nous on ont ou où par pas pour pourquoi qu quand
que quel quelle qui s sa ses son sont sur t ta te tes toi ton tu un une vos votre vous y à était
être
"""

SPANISH = """
al algo como con cual cuando cuándo cómo de del donde dónde el ella ellos en entre era es ese esta
este esto fue ha han hay la las lo los me mi mis muy más nos o para pero por que quién qué se ser
si sin sobre su sus también te tiene tu un una y ya yo
"""

ITALIAN = """
al alla che chi ci come con cosa cui da dal dalla dei del della delle di dove e ed era gli ha ho i
il in io la le lo loro ma mi mia mio ne nel nella non per perché più quale quando quanto questa
questo sono su sul sulla tra un una uno
"""

ALL = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN)  # if two fit equally, the first is used
