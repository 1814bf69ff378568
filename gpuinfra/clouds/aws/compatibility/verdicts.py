"""The verdict on whether two things are compatible, as a value with its reason."""

from typing import Final

from gpuinfra.records import record

IMAGE: Final = "machine_image"
"""The subject of a verdict about only the image and the machine."""


@record
class CompatibilityVerdict:
    """The verdict on whether two things are compatible.

    Attributes:
        key: the key of `framework` that is judged, or IMAGE.
        fits: None where it is not known, which never counts as True.
        reason: in one sentence, without a full stop.
        allowed: what would fit, where something certainly does not and that can be said.
        other_image: whether another image would help.
    """

    key: str
    fits: bool | None
    reason: str
    allowed: str = ""
    other_image: bool = False


def fit(key: str, because: str) -> CompatibilityVerdict:
    """Return the verdict that they are compatible."""
    return CompatibilityVerdict(key=key, fits=True, reason=because)


def incompatible(
    key: str, because: str, allowed: str = "", *, other_image: bool = True
) -> CompatibilityVerdict:
    """Return the verdict that they are certainly incompatible."""
    return CompatibilityVerdict(
        key=key, fits=False, reason=because, allowed=allowed, other_image=other_image
    )


def unknown(key: str, because: str) -> CompatibilityVerdict:
    """Return the verdict that compatibility is unknown, or depends on unstated facts."""
    return CompatibilityVerdict(key=key, fits=None, reason=because)
