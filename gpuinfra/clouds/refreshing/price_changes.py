"""The price changes of a refresh."""

from collections.abc import Mapping
from decimal import Decimal

from gpuinfra.records import record

Key = tuple[str, str, str]
"""Mode, machine type and region."""


@record
class PriceChange:
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
class ChangeCounts:
    """The counts of a mode's price changes, each machine type in each region counted once."""

    mode: str
    up: int
    down: int
    same: int
    new: int
    gone: int


def count_changes(
    prices_before: Mapping[Key, Decimal], prices_after: Mapping[Key, Decimal]
) -> tuple[ChangeCounts, ...]:
    """Return the counts of each mode."""
    modes = {mode for mode, _, _ in (*prices_before, *prices_after)}
    return tuple(_counts_of_mode(mode, prices_before, prices_after) for mode in sorted(modes))


def price_changes(
    prices_before: Mapping[Key, Decimal], prices_after: Mapping[Key, Decimal]
) -> tuple[PriceChange, ...]:
    """Return the changed prices, the biggest first by share, ties by name."""
    changes = [
        PriceChange(
            machine=machine, region=region, mode=mode, before=prices_before[key], after=price
        )
        for key, price in prices_after.items()
        for mode, machine, region in (key,)
        if key in prices_before and prices_before[key] and prices_before[key] != price
    ]
    return tuple(
        sorted(
            changes,
            key=lambda price_change: (
                -abs(price_change.share),
                price_change.mode,
                price_change.machine,
                price_change.region,
            ),
        )
    )


def _counts_of_mode(
    mode: str, prices_before: Mapping[Key, Decimal], prices_after: Mapping[Key, Decimal]
) -> ChangeCounts:
    old = {key: price for key, price in prices_before.items() if key[0] == mode}
    new = {key: price for key, price in prices_after.items() if key[0] == mode}
    both = [(old[key], new[key]) for key in new if key in old]
    return ChangeCounts(
        mode=mode,
        up=sum(is_ > old_price for old_price, is_ in both),
        down=sum(is_ < old_price for old_price, is_ in both),
        same=sum(is_ == old_price for old_price, is_ in both),
        new=len(new) - len(both),
        gone=len(old) - len(both),
    )
