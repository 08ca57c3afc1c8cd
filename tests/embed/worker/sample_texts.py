"""Texts of several kinds and languages, for tests of the embedded models."""

TEXTS = [
    "The cat sleeps on the warm windowsill.",
    "# Meeting\n\nWe decided to move the launch to March; Anna writes to the printers.",
    "Kubernetes restarts a pod whose liveness probe fails three times in a row.",
    "Schmetterlinge überwintern als Puppe. 蝴蝶以蛹越冬。",
]
