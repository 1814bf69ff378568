"""Values that are not known yet: unknown is unknown, never zero or false."""

from enum import Enum
from typing import Final


class Unknown(Enum):
    """A value that cannot be known yet; never zero, never false."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN

Known = bool | Unknown
"""Three-valued truth: true, false, or not knowable yet."""
