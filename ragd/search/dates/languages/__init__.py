"""The names and words of times in the languages whose times are rewritten in English. Pure.

One module for each language; `language` says what it contains. The modules contain no code.
"""
