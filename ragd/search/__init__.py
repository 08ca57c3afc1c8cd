"""What is done with a question and with the passages found for it. Pure."""
