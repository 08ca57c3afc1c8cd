"""Limits that both ends of the socket know. It imports nothing, so that the quick client may."""

RESULTS_MAX = 50
PAUSE_MAX_S = 30 * 86_400
