"""Sets of questions, each with its right notes: made from a seed, half for tuning, half for tests.

`python -m bench.sets` asks them of a real daemon. docs/sets.md says what each set shows.
"""
