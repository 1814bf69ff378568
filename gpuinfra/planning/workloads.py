"""One workload planned on one cloud: its ladder, and what is chosen of its machines."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from gpuinfra.catalog import Book
from gpuinfra.clouds import provider_of
from gpuinfra.clouds.secrets import in_script, in_value
from gpuinfra.errors import Problem, printable
from gpuinfra.model import (
    FAR_DAYS,
    UNKNOWN,
    Fabric,
    Group,
    GroupLifecycle,
    Machine,
    Rung,
    Safety,
    Unknown,
    WorkloadNeeds,
)
from gpuinfra.planning import checks
from gpuinfra.planning.ladder import ladder, with_fabric
from gpuinfra.planning.ladder_request import LadderRequest, PurchaseOption
from gpuinfra.planning.machine_request import requested_machine
from gpuinfra.planning.places import CloudPlace
from gpuinfra.records import record
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.schema import Inference, Training
from gpuinfra.units import hours

Locked = Mapping[str, str]
"""The machine type of each rung, by its label, that a lock chose before."""

NOTHING: Final[Locked] = MappingProxyType({})


@record
class Ground:
    """What a workload is planned on.

    Attributes:
        place: the cloud, and where there.
        prices: those that count.
        problems: what is wrong is added to these.
    """

    place: CloudPlace
    prices: Book
    problems: list[Problem]


_LONGEST_LINE: Final = 300
"""Characters of a container's arguments that a plan shows."""

POOL_ZONES: Final = 2
"""A pool's machines stand in two zones, a training workload's in one."""


def training(
    name: str,
    work: Training,
    ground: Ground,
    locked: Locked = NOTHING,
    network: NetworkSpec | None = None,
) -> Group | None:
    """A training workload on one cloud; None where nothing fits, which its problems then tell."""
    path = ("training", name)
    ways = tuple(
        PurchaseOption(
            capacity=step.kind,
            region=step.region,
            max_price=step.max_price or work.max_price,
            reservation=step.reservation,
            reserve=step.reserve,
            ends=None if step.ends is None else step.ends.isoformat(),
            placement_group=step.placement_group,
            path=(*path, "capacity", index),
        )
        for index, step in enumerate(work.capacity)
    )
    machine = requested_machine(work, ground.place, path, ground.problems)
    if machine is None:
        return None
    ask = LadderRequest(
        path=path,
        place=ground.place,
        machine=machine,
        ways=ways,
        zones=1,
        prices=ground.prices,
        locked=locked,
    )
    if work.fabric == "required":
        ask = replace(ask, machine=replace(ask.machine, fabric=True))
    elif work.fabric == "preferred" and work.nodes > 1:
        ask = with_fabric(ask)
    rungs, first = _rungs(ask, work, ground.problems, network)
    if not rungs:
        return None
    known = provider_of(ground.place.cloud)
    fabric = None
    if ask.machine.fabric and first and known.fabric.uses_fabric(first, work.nodes, work.fabric):
        served = known.fabric.driver_image(first, own_image=work.machine_image is not None)
        fabric = Fabric(wish=work.fabric, interfaces=UNKNOWN, driver_image=served)
    saves = work.checkpoints is not None
    return Group(
        **_common(path, work, ground.place, rungs, network),
        fabric=fabric,
        minimum=work.nodes,
        maximum=work.nodes,
        wishes=WorkloadNeeds(
            hours=None if work.duration is None else hours(work.duration),
            ends_after=None if work.time_to_live is None else hours(work.time_to_live),
            runs=Decimal(work.runs),
            checkpoints=saves,
            interruptible=saves,
            nvlink=_wants_nvlink(work),
            fabric="none" if work.fabric == "none" and work.nodes > 1 else None,
        ),
        lifecycle=GroupLifecycle(ends=_ends(work), stops_idle=work.idle_stop is not None),
    )


def _ends(work: Training) -> bool:
    """Whether a run is limited to a time, and not to one that ends no run."""
    return work.time_to_live is not None and work.time_to_live.days <= FAR_DAYS


def pool(
    name: str,
    work: Inference,
    ground: Ground,
    locked: Locked = NOTHING,
    network: NetworkSpec | None = None,
) -> Group | None:
    """An inference pool on one cloud; None where nothing fits, which its problems then tell."""
    path = ("inference", name)
    way = PurchaseOption(
        capacity=work.capacity.above,
        max_price=work.max_price,
        on_demand_base=work.capacity.on_demand_base,
        path=(*path, "capacity"),
    )
    machine = requested_machine(work, ground.place, path, ground.problems)
    if machine is None:
        return None
    ask = LadderRequest(
        path=path,
        place=ground.place,
        machine=machine,
        ways=(way,),
        zones=POOL_ZONES if network is None or network.zones is None else network.zones,
        prices=ground.prices,
        locked=locked,
    )
    rungs, _ = _rungs(ask, work, ground.problems, network)
    if not rungs:
        return None
    return Group(
        **_common(path, work, ground.place, rungs, network),
        minimum=work.replicas.minimum,
        maximum=work.replicas.maximum or work.replicas.minimum,
        machines=(rungs[0].machine, *work.mixed) if work.mixed else (),
        wishes=WorkloadNeeds(
            expected=None if work.expected is None else Decimal(work.expected),
            ends_after=None if work.time_to_live is None else hours(work.time_to_live),
            checkpoints=False,
            interruptible=True,
            nvlink=_wants_nvlink(work),
        ),
    )


def _wants_nvlink(work: Training | Inference) -> bool:
    return work.gpu is not None and work.gpu.nvlink is True


def _rungs(
    ask: LadderRequest,
    work: Training | Inference,
    problems: list[Problem],
    network: NetworkSpec | None,
) -> tuple[tuple[Rung, ...], Machine | None]:
    """The rungs of a workload, and the machine of the first, whose disk has to take its wishes."""
    rungs = ladder(ask, problems)
    cloud = ask.place.cloud
    machine = provider_of(cloud).machines.get(rungs[0].machine) if rungs else None
    problems += checks.of_workload(cloud, work, ask.path, rungs, machine, network)
    return rungs, machine


def _common(
    path: tuple[str, str],
    work: Training | Inference,
    where: CloudPlace,
    rungs: tuple[Rung, ...],
    network: NetworkSpec | None,
) -> dict[str, Any]:
    purpose, name = path
    return {
        "name": name,
        "subject": f"{purpose}.{name}",
        "purpose": purpose,
        "cloud": where.cloud,
        "rungs": rungs,
        "safety": Safety(secrets=_secrets(work)),
        "notes": (
            *provider_of(where.cloud).accepts.workload_notes(work, rungs, network),
            *_arguments(work),
        ),
    }


def _secrets(work: Training | Inference) -> tuple[str, ...] | Unknown:
    """The passwords and keys in what a workload's machines run."""
    if isinstance(work, Training):
        return in_script(work.command, "command")
    return tuple(dict.fromkeys(in_value(work.args or (), "args")))


def _arguments(work: Training | Inference) -> Iterator[str]:
    """What a pool's container is started with, unless a secret stands in it."""
    args = work.args if isinstance(work, Inference) else None
    if not args:
        return
    if _secrets(work):
        yield "the container's arguments are not shown: a password or key is in them"
        return
    line = printable(shlex.join(args))
    more = "…" if len(line) > _LONGEST_LINE else ""
    yield f"the container's arguments: {line[:_LONGEST_LINE]}{more}"
