"""What takes the objects of a bucket away by age, in words that all clouds share."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.observing.faults import Remark
from gpuinfra.model import Unknown

SOON: Final = 7
"""Days: what is gone sooner is gone before a run that stopped over a weekend goes on."""


def emptied(days: int | Unknown | None) -> Iterator[Remark]:
    """Yield what is wrong with a rule that deletes all current objects at an age."""
    if isinstance(days, int) and days < SOON:
        words = f"all that it holds is deleted after {days} days, checkpoints too"
        yield False, f"{words}: name the part that may go, or keep it for {SOON} days and more"


def emptied_once(moment: str) -> Iterator[Remark]:
    """Yield what is wrong with a rule that deletes all current objects at a date."""
    yield False, f"all that it holds is deleted on {moment}: name the part that may go"
