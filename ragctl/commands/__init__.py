"""One module per command, with `EXAMPLES`, `options(parser)` and `run(args)`."""
