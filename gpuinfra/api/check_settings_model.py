"""The parsed settings for a Pulumi preview or state."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from gpuinfra.catalog import PriceBook
from gpuinfra.crossguard.policy_settings import PolicySettings
from gpuinfra.errors import PathPart, Position
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.price_overrides.prices import OwnPrices
    from gpuinfra.source import Source

Locate = Callable[[Sequence[PathPart]], Position | None]


def _no_position(_: Sequence[PathPart]) -> Position | None:
    return None


@record
class CheckSettings:
    """The settings for a Pulumi file, from a settings file or a stack file.

    `stack` is the stack file; `own_prices` are the prices of the prices.yaml beside it or beside
    the settings, and `prices` the book that they make. Without these, a program's own make the
    book. `resource_names` are the names of the resources that the settings refer to.
    """

    policy: PolicySettings = field(default_factory=PolicySettings)
    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    region: str | None = None
    prices: PriceBook | None = None
    own_prices: "OwnPrices | None" = None
    stack: "Source | None" = None
    locate: Locate = _no_position
    resource_names: tuple[str, ...] = ()
