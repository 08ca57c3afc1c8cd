"""`ragctl serve`: a small web server on this machine for the page and for MCP clients over HTTP."""
