"""What crosses the socket: the envelope and the tools' schemas. Pure."""
