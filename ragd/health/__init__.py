"""Probes of what the daemon depends on, and health in words.

Which facts raise and clear a health reason is the table `REASONS` in `ragd.folds.health`.
"""
