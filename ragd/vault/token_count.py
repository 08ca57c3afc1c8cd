"""The tokeniser that counts the tokens of notes, with the vocabulary that comes with ragd."""

from importlib.resources import files as resources

from ragd.notes.wordpiece import WordPiece


def shipped_word_pieces() -> WordPiece:
    """A new one, with caches of its own."""
    return WordPiece(resources("ragd").joinpath("data", "vocab.txt").read_text("utf-8"))
