"""Values that are not known yet, which are never treated as zero or false."""

from enum import Enum
from typing import Final


class Unknown(Enum):
    """A value that is not known yet; never zero, never false."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN

Known = bool | Unknown
"""Three-valued truth: true, false, or not knowable yet."""
