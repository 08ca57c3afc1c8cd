"""English words that say nothing by themselves, and the names of days and months. Pure."""

_LITTLE = """
a about after again all also am an and any are as at be because been before being but by can could
did do does doing don down for from had has have having he her here hers him his how i if in into
is it its just ll many me more most much my no nor not now of off on once only or other our out
over own re s same she should so some still such t than that the their them then there these they
this those to too under until up ve very was we were what when where which while who whom why will
with would yes you your
"""
_DAYS = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december today yesterday tomorrow
"""

COMMON = frozenset(_LITTLE.split())
CALENDAR = frozenset(_DAYS.split())
