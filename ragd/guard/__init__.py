"""Finds sensitive content, suspected prompt injection, and facts worth remembering."""
