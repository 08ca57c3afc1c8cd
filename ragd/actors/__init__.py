"""The actors: each awaits its input, calls pure code, and appends what happened as a fact.

They share nothing and hold no reference to each other; the log is all that is between them.
"""
