"""Parses values that people type on the command line."""
