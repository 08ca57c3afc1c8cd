"""How long a test waits for an event that must happen.

Only a failing test spends this time, so it is long: a busy machine must not make a test fail. No
test uses it to show that something does *not* happen.
"""

PATIENCE_S = 240.0
