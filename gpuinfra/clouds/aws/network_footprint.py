"""What a workload's network costs, as facts that planning and build share."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from gpuinfra.clouds.aws.network import ENDPOINTS, POOL_ZONES, pool_zones
from gpuinfra.clouds.footprint import Workload
from gpuinfra.model import Item, Rung

if TYPE_CHECKING:
    from gpuinfra.stackfile.networks import NetworkWish


def network_items(work: Workload, wish: "NetworkWish | None", *, zones: int) -> tuple[Item, ...]:
    """What goes out of a network and what looks at it; nothing of a caller's own.

    Args:
        work: whose it is.
        wish: as the stack file shapes it; None for the usual one.
        zones: that it spans.
    """
    if wish is None:
        return _nat(work)
    if wish.vpc is not None:
        return ()
    return (
        *(_nat(work) if wish.nat else _endpoints(work, zones)),
        *(_logs(work) if wish.flow_logs else ()),
    )


def spanned(wish: "NetworkWish | None", rungs: Sequence[Rung] = ()) -> int:
    """How many zones a pool's own network spans, as the build makes it; the most of all rungs.

    What the region does not have is refused apart, and counts as it is asked for here.
    """
    asked = POOL_ZONES if wish is None or wish.zones is None else wish.zones
    return max([asked, *(_made(rung, wish) for rung in rungs)])


def _made(rung: Rung, wish: "NetworkWish | None") -> int:
    try:
        return len(pool_zones(rung.region, rung.zones, wish))
    except ValueError:
        return 0


def _nat(work: Workload) -> tuple[Item, ...]:
    """One NAT gateway with its public address; nobody knows how much goes through it."""
    return (
        work.item("NAT gateway", "nat-gateway-hour", "hour", Decimal(1)),
        work.item("NAT gateway", "nat-gateway-data", "GB", None),
        work.item("address", "public-ipv4-hour", "hour", Decimal(1)),
    )


def _endpoints(work: Workload, zones: int) -> tuple[Item, ...]:
    """Each endpoint is paid for by the zone, and by data that nobody can count."""
    hour, data = "vpc-interface-endpoint-hour", "vpc-interface-endpoint-data-first-1pb"
    return tuple(
        item
        for _ in ENDPOINTS
        for item in (
            work.item("network", hour, "hour", Decimal(zones)),
            work.item("network", data, "GB", None),
        )
    )


def _logs(work: Workload) -> tuple[Item, ...]:
    """The log of connections, by what it takes in and keeps."""
    return (
        work.item("logs", "cloudwatch-logs-ingest", "GB", None),
        work.item("logs", "cloudwatch-logs-archive", "GB-month", None),
    )
