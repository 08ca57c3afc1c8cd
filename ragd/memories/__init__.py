"""Facts that were asked to be remembered: stored, matched, forgotten."""
