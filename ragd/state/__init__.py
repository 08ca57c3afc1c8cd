"""The log and its folds as one, and what is written from them."""
