"""What Markdown and Obsidian add to plain text. Pure."""
