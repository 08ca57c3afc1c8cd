"""The order of passages and the score of each. Pure."""
