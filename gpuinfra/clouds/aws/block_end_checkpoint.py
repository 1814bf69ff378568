"""The time before a capacity block's end at which the final checkpoint of a run starts."""

from decimal import Decimal
from typing import Final

from gpuinfra.clouds.aws.tables import TABLES

_HOUR: Final = 60


def block_lead(machine: str) -> Decimal:
    """Return the hours before a block's end at which the agent starts the final checkpoint.

    Args:
        machine: the type of the block's machines.
    """
    rows = [row for row in TABLES.rows("capacity_blocks") if machine.startswith(row["machines"])]
    longest = max(rows, key=lambda row: len(row["machines"]))
    return Decimal(longest["checkpoint_starts"]) / _HOUR
