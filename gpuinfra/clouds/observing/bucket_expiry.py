"""Lifecycle rules that delete all of a bucket's objects, in wording shared by all clouds."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.model import Unknown
from gpuinfra.units import format_count

SOON: Final = 7
"""Days. Checkpoints deleted earlier are gone before a run that stopped on a weekend resumes."""


def whole_bucket_expiry(days: int | Unknown | None) -> Iterator[Remark]:
    """Yield the fault of a rule that deletes all current objects at an age."""
    if isinstance(days, int) and days < SOON:
        age = format_count(days, "day")
        expiry_text = f"all of its objects are deleted after {age}, checkpoints too"
        yield (
            False,
            f"{expiry_text}: limit the rule to a prefix, or keep objects for at least {SOON} days",
        )


def emptied_once(moment: str) -> Iterator[Remark]:
    """Yield the fault of a rule that deletes all current objects at a date."""
    yield False, f"all of its objects are deleted on {moment}: limit the rule to a prefix"
