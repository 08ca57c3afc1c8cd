"""Generates pages of docs/ from the code: `make docs` writes them, a test compares them."""
