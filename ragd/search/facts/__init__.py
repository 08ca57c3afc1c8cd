"""Facts that change over time: what a question asks for, what a sentence states, which is newest.
Pure.
"""
