"""How long a test waits for what must happen.

Only a test that fails spends this time, so it is generous: a machine that is busy with other things
must not make a test fail. A test never uses it to show that something does *not* happen.
"""

PATIENCE_S = 240.0
