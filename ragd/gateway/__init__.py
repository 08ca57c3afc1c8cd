"""The tool gateway: the socket, its routes and its answers."""
