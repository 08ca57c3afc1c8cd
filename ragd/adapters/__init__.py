"""What touches the world outside: sockets, the vault, models, the store. Each behind a port."""
