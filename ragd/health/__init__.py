"""Probes of the daemon's dependencies, and explanations of its health.

The table `REASONS` in `ragd.folds.health_reasons` lists which facts raise and clear a reason.
"""
