"""What all sections of the configuration have in common. Pure."""

import msgspec


class ConfigSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All sections are immutable, and an unknown key in them is an error."""
