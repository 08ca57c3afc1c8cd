"""The checks of `ragctl doctor`, and its bug report."""
