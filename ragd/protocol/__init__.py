"""The format of messages on the socket: the envelope and the tools' schemas. Pure."""
