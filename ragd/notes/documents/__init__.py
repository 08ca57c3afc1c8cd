"""Readers for every kind of document: from the bytes of a file to a `Document`. Pure."""
