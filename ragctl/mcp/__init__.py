"""The tools and notes for MCP clients."""
