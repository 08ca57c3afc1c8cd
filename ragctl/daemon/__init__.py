"""The client side of the daemon: connect, start, stop, wait."""
