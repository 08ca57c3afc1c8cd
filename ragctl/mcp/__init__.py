"""The four tools for MCP clients."""
