"""The needs of a stack that the account must allow: machines and their locations, by workload."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws.account.declared_needs import DeclaredNeeds, declared_needs
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.network import ENDPOINTS
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.aws.registries import region_of
from gpuinfra.model import Group, Machine, Plan, Resource, Rung, Unknown
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Inference, Stack, Training

CLOUD: Final = "aws"


@record
class WorkloadNeed(DeclaredNeeds):
    """The needs of one workload's resources on one rung.

    `count` is the most machines that it may have, None where it is not known. `on_demand` and
    `spot` are how many of them are bought so; machines of a reservation that is there are neither.
    `allowed_zones` are those that the file names. `subnets` are the caller's own, None where a
    network is made, `queue` one that is there.
    """

    workload: str
    rung: Rung
    count: int | None
    on_demand: int | None
    spot: int | None
    one_zone: bool
    allowed_zones: tuple[str, ...] = ()
    network: str | None = None
    subnets: tuple[str, ...] | None = None
    container: str | None = None
    queue: str | None = None
    services: tuple[str, ...] = ()

    @property
    def machine(self) -> Machine | None:
        """The machine type of the rung; None when the table has no such type."""
        return machine(self.rung.machine)

    @property
    def workload_and_rung(self) -> str:
        """The name of the workload and of its rung, for messages."""
        return f"{self.workload} on {self.rung.label}"


DeclaredResources = Callable[[Group], Sequence[Resource]]
"""The resources that a workload declares on the active rung."""


def stack_needs(
    plan: Plan, stack: "Stack", declared_resources: DeclaredResources, *, all_rungs: bool
) -> tuple[WorkloadNeed, ...]:
    """Return the needs of each workload of a plan, on the active rung or on all rungs."""
    return tuple(
        _workload_need(
            group,
            rung,
            stack,
            declared_needs(declared_resources(replace(group, rungs=(rung,), active_rung=0))),
        )
        for group in plan.groups
        if group.cloud == CLOUD
        for rung in (group.rungs if all_rungs else (group.rung,))
    )


def machine_counts(group: Group, rung: Rung) -> tuple[int | None, int | None]:
    """Return the maximum numbers of on-demand and of spot machines; None where unknown.

    Machines of a reservation that is there count already in the account's use, and a capacity
    block is bought apart.
    """
    if rung.capacity in {"reserved", "capacity-block"}:
        return 0, 0
    count = None if isinstance(group.ceiling, Unknown) else group.ceiling
    if rung.capacity != "spot":
        return count, 0
    if group.purpose != "inference":
        return 0, count
    if count is None:
        return None, None
    spot = max(count - rung.on_demand_base, 0) * rung.spot_share_above_base
    return count - math.floor(spot), math.ceil(spot)


def _workload_need(
    group: Group, rung: Rung, stack: "Stack", declared_needs: DeclaredNeeds
) -> WorkloadNeed:
    train, pool = stack.training.get(group.name), stack.inference.get(group.name)
    work: Training | Inference | None = train or pool
    on_demand, spot = machine_counts(group, rung)
    spec = None if work is None else work.network or stack.network
    where = stack.where if work is None or work.where is None else work.where
    return WorkloadNeed(
        **{field.name: getattr(declared_needs, field.name) for field in fields(declared_needs)},
        workload=group.name,
        rung=rung,
        count=None if isinstance(group.ceiling, Unknown) else group.ceiling,
        on_demand=on_demand,
        spot=spot,
        allowed_zones=tuple(zone for zone in where.zones if zone in REGIONS.zones(rung.region)),
        one_zone=pool is None,
        network=spec.vpc if spec is not None else None,
        subnets=spec.subnets if spec is not None else None,
        container=pool.image if pool is not None else None,
        queue=pool.scale_on.queue.name if pool is not None and pool.scale_on.queue else None,
        services=tuple(_services(pool)),
    )


def _services(pool: "Inference | None") -> Iterator[str]:
    """Yield the services that machines without internet access reach only through endpoints."""
    yield "s3"
    unused = set()
    if pool is None or region_of(pool.image) is None:
        unused |= {"ecr.api", "ecr.dkr"}
    if pool is None or pool.scale_on.queue is None:
        unused.add("sqs")
    if pool is None or pool.scale_on.queue is not None:
        unused.add("elasticloadbalancing")
    yield from (endpoint for endpoint in ENDPOINTS if endpoint not in unused)
