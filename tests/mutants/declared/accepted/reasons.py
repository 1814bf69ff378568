"""Reasons that several clouds' rows share."""

from typing import Final

TUNING: Final = "how long, how often or how much: each value near it works, and is a choice"
PEOPLE: Final = "told to people only"
PROVIDER: Final = "without it the provider's own region holds, which is the stack's"
LABELS: Final = "labels of what costs nothing itself; owner-label judges machines and data"
DEFAULT: Final = "dropped, the cloud's default is the same"

Row = tuple[str, str, str, str]
"""Type, field and kind of mutation as patterns, and the reason."""
