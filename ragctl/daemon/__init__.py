"""The daemon as a client sees it: connect, start, stop, wait."""
