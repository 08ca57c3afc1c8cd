"""One module per command: `EXAMPLES`, `options(parser)` and `run(args)`. None imports another."""
