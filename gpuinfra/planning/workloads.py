"""The plan of one workload on one cloud: its ladder, and the choices for its machines."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.choosing.request import on_fabric
from gpuinfra.clouds import provider_of
from gpuinfra.clouds.observing.values import all_of
from gpuinfra.clouds.secrets import script_secrets, value_secrets
from gpuinfra.errors import Problem, printable
from gpuinfra.model import (
    FAR_DAYS,
    UNKNOWN,
    Fabric,
    Group,
    GroupLifecycle,
    Rung,
    Safety,
    Unknown,
    WorkloadNeeds,
)
from gpuinfra.planning import unsupported_keys
from gpuinfra.planning.ladder import ladder, with_fabric
from gpuinfra.planning.ladder_request import LadderRequest, PurchaseOption
from gpuinfra.planning.locations import CloudPlace
from gpuinfra.planning.machine_request import requested_machine
from gpuinfra.planning.usage import checkpoint_writes, restart_hours
from gpuinfra.records import record
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.schema import Inference, Training
from gpuinfra.units import hours

LockedMachines = Mapping[str, str]
"""The machine type of each rung, by its label, that a lock chose before."""

EMPTY: Final[LockedMachines] = MappingProxyType({})


@record
class PlanningContext:
    """The context in which a workload is planned.

    Attributes:
        place: the cloud, and where there.
        prices: those that count.
        problems: what is wrong is added to these.
    """

    place: CloudPlace
    prices: PriceBook
    problems: list[Problem]


_LONGEST_LINE: Final = 300
"""Characters of a container's arguments that a plan shows."""

POOL_ZONES: Final = 2
"""The number of zones: two for a pool, one for a training workload."""


def training(
    name: str,
    workload: Training,
    ground: PlanningContext,
    locked: LockedMachines = EMPTY,
    network: NetworkSpec | None = None,
) -> Group | None:
    """Return a training workload on one cloud; None if nothing fits, and why in `problems`."""
    path = ("training", name)
    options = tuple(
        PurchaseOption(
            capacity=step.kind,
            region=step.region,
            max_price=step.max_price or workload.max_price,
            reservation=step.reservation,
            reserve=step.reserve,
            ends=None if step.ends is None else step.ends.isoformat(),
            placement_group=step.placement_group,
            path=(*path, "capacity", index),
        )
        for index, step in enumerate(workload.capacity)
    )
    machine = requested_machine(workload, ground.place, path, ground.problems)
    if machine is None:
        return None
    ask = LadderRequest(
        path=path,
        place=ground.place,
        machine_request=machine,
        purchase_options=options,
        zones=1,
        prices=ground.prices,
        locked=locked,
    )
    if workload.fabric == "required":
        ask = replace(ask, machine_request=on_fabric(ask.machine_request))
    elif workload.fabric == "preferred" and workload.nodes > 1:
        ask = with_fabric(ask)
    rungs = _rungs(ask, workload, ground.problems, network)
    if not rungs:
        return None
    fabric = _fabric(ground.place.cloud, workload, rungs) if ask.machine_request.fabric else None
    saves_checkpoints = workload.checkpoints is not None
    return Group(
        **_common_fields(path, workload, ground.place, rungs, network),
        fabric=fabric,
        minimum=workload.nodes,
        maximum=workload.nodes,
        needs=WorkloadNeeds(
            hours=None if workload.duration is None else hours(workload.duration),
            ends_after=None if workload.time_to_live is None else hours(workload.time_to_live),
            runs=Decimal(workload.runs),
            checkpoints=saves_checkpoints,
            interruptible=saves_checkpoints,
            writes=checkpoint_writes(workload),
            restart=restart_hours(workload),
            interrupted_share=workload.interruptions,
            nvlink=_wants_nvlink(workload),
            fabric="none" if workload.fabric == "none" and workload.nodes > 1 else None,
        ),
        lifecycle=GroupLifecycle(
            ends=_has_time_limit(workload), stops_idle=workload.idle_stop is not None
        ),
    )


def _fabric(cloud: str, workload: Training, rungs: Sequence[Rung]) -> Fabric | None:
    """Return the fabric that is declared; its software must be in the image on every rung."""
    provider = provider_of(cloud)
    machines = [
        machine for rung in rungs if (machine := provider.machines.get(rung.machine)) is not None
    ]
    if not machines or not provider.fabric.uses_fabric(
        machines[0], workload.nodes, workload.fabric
    ):
        return None
    is_own = workload.machine_image is not None
    driver_images = (
        provider.fabric.driver_image(machine, own_image=is_own) for machine in machines
    )
    return Fabric(
        requirement=workload.fabric, interfaces=UNKNOWN, driver_image=all_of(driver_images)
    )


def _has_time_limit(workload: Training) -> bool:
    """Return whether a run has an effective time limit."""
    return workload.time_to_live is not None and workload.time_to_live.days <= FAR_DAYS


def pool(
    name: str,
    workload: Inference,
    ground: PlanningContext,
    locked: LockedMachines = EMPTY,
    network: NetworkSpec | None = None,
) -> Group | None:
    """Return an inference pool on one cloud; None if nothing fits, and why in `problems`."""
    path = ("inference", name)
    purchase_option = PurchaseOption(
        capacity=workload.capacity.above,
        max_price=workload.max_price,
        on_demand_base=workload.capacity.on_demand_base,
        path=(*path, "capacity"),
    )
    machine = requested_machine(workload, ground.place, path, ground.problems)
    if machine is None:
        return None
    ask = LadderRequest(
        path=path,
        place=ground.place,
        machine_request=machine,
        purchase_options=(purchase_option,),
        zones=POOL_ZONES if network is None or network.zones is None else network.zones,
        prices=ground.prices,
        locked=locked,
    )
    rungs = _rungs(ask, workload, ground.problems, network)
    if not rungs:
        return None
    return Group(
        **_common_fields(path, workload, ground.place, rungs, network),
        minimum=workload.replicas.minimum,
        maximum=workload.replicas.maximum or workload.replicas.minimum,
        machines=(rungs[0].machine, *workload.mixed) if workload.mixed else (),
        needs=WorkloadNeeds(
            expected=None if workload.expected is None else Decimal(workload.expected),
            ends_after=None if workload.time_to_live is None else hours(workload.time_to_live),
            checkpoints=False,
            interruptible=True,
            nvlink=_wants_nvlink(workload),
        ),
    )


def _wants_nvlink(workload: Training | Inference) -> bool:
    return workload.gpu is not None and workload.gpu.nvlink is True


def _rungs(
    ladder_request: LadderRequest,
    workload: Training | Inference,
    problems: list[Problem],
    network: NetworkSpec | None,
) -> tuple[Rung, ...]:
    """Return a workload's rungs; add what the cloud refuses of the workload to `problems`."""
    rungs = ladder(ladder_request, problems)
    cloud = ladder_request.place.cloud
    machine = provider_of(cloud).machines.get(rungs[0].machine) if rungs else None
    problems += unsupported_keys.of_workload(
        cloud, workload, ladder_request.path, rungs, machine, network
    )
    return rungs


def _common_fields(
    path: tuple[str, str],
    workload: Training | Inference,
    cloud_place: CloudPlace,
    rungs: tuple[Rung, ...],
    network: NetworkSpec | None,
) -> dict[str, Any]:
    purpose, name = path
    return {
        "name": name,
        "subject": f"{purpose}.{name}",
        "purpose": purpose,
        "cloud": cloud_place.cloud,
        "rungs": rungs,
        "safety": Safety(secrets=_secrets(workload)),
        "notes": (
            *provider_of(cloud_place.cloud).accepts.workload_notes(workload, rungs, network),
            *_arguments(workload),
        ),
    }


def _secrets(workload: Training | Inference) -> tuple[str, ...] | Unknown:
    """Return the passwords and keys in the scripts of a workload's machines."""
    if isinstance(workload, Training):
        return script_secrets(workload.command, "command")
    return tuple(dict.fromkeys(value_secrets(workload.args or (), "args")))


def _arguments(workload: Training | Inference) -> Iterator[str]:
    """Yield a line with the arguments of a pool's container, hidden if they have a secret."""
    args = workload.args if isinstance(workload, Inference) else None
    if not args:
        return
    if _secrets(workload):
        yield "the container's arguments are not shown: a password or key is in them"
        return
    line = printable(shlex.join(args))
    cut_mark = "…" if len(line) > _LONGEST_LINE else ""
    yield f"the container's arguments: {line[:_LONGEST_LINE]}{cut_mark}"
