"""The price changes of a refresh."""

from collections.abc import Mapping
from decimal import Decimal

from gpuinfra.records import record

Key = tuple[str, str, str]
"""Mode, machine type and region."""


@record
class PriceMove:
    """A changed price per hour; `share` is the change relative to the old price."""

    machine: str
    region: str
    mode: str
    before: Decimal
    after: Decimal

    @property
    def share(self) -> Decimal:
        """The change relative to the old price."""
        return self.after / self.before - 1


@record
class Changes:
    """The counts of a mode's price changes, each machine type in each region counted once."""

    mode: str
    up: int
    down: int
    same: int
    new: int
    gone: int


def changes(before: Mapping[Key, Decimal], after: Mapping[Key, Decimal]) -> tuple[Changes, ...]:
    """Return the counts of each mode."""
    modes = {mode for mode, _, _ in (*before, *after)}
    return tuple(_of(mode, before, after) for mode in sorted(modes))


def moves(before: Mapping[Key, Decimal], after: Mapping[Key, Decimal]) -> tuple[PriceMove, ...]:
    """Return the changed prices, the biggest first by share, ties by name."""
    moved = [
        PriceMove(machine=machine, region=region, mode=mode, before=before[key], after=price)
        for key, price in after.items()
        for mode, machine, region in (key,)
        if key in before and before[key] and before[key] != price
    ]
    return tuple(
        sorted(moved, key=lambda move: (-abs(move.share), move.mode, move.machine, move.region))
    )


def _of(mode: str, before: Mapping[Key, Decimal], after: Mapping[Key, Decimal]) -> Changes:
    old = {key: price for key, price in before.items() if key[0] == mode}
    new = {key: price for key, price in after.items() if key[0] == mode}
    both = [(old[key], new[key]) for key in new if key in old]
    return Changes(
        mode=mode,
        up=sum(is_ > was for was, is_ in both),
        down=sum(is_ < was for was, is_ in both),
        same=sum(is_ == was for was, is_ in both),
        new=len(new) - len(both),
        gone=len(old) - len(both),
    )
