"""A stack file to a plan: every workload with its ladder, disks, network and facts."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gpuinfra.catalog import Request
from gpuinfra.clouds import room
from gpuinfra.errors import InputError, PathPart, Problem
from gpuinfra.model import Bucket, Caps, Group, Item, Plan, Purpose, Rung
from gpuinfra.planning import checks
from gpuinfra.planning.collection import paused
from gpuinfra.planning.ladder import Ask, Way, ladder, with_fabric
from gpuinfra.planning.places import Place, cloud_of, known_region, place
from gpuinfra.planning.standing import named
from gpuinfra.stackfile.schema import Inference, Stack, Training
from gpuinfra.units import gigabytes, hours

Path = tuple[PathPart, ...]

POOL_ZONES = 2
"""A pool's machines stand in two zones, a training workload's in one."""


@paused()
def from_stack(stack: Stack, *, rungs: Mapping[str, str] | None = None) -> Plan:
    """Plan a stack file; `rungs` names a workload's standing rung by label or way to buy.

    Raises:
        InputError: every planning problem of the file, by path, in the order of the file.
    """
    planner = _Planner(stack)
    groups = tuple(planner.groups())
    buckets = tuple(planner.buckets())
    groups = named(groups, rungs or {}, (*stack.training, *stack.inference), planner.problems)
    if planner.problems:
        raise InputError(planner.problems)
    return Plan(
        name=stack.name,
        owner=stack.owner,
        caps=caps(stack),
        groups=groups,
        items=tuple(planner.items),
        buckets=buckets,
        cloud_budget=stack.budget.per_month if stack.budget else None,
    )


def caps(stack: Stack) -> Caps:
    """The caps that a stack file sets."""
    budget = stack.budget
    if budget is None:
        return Caps()
    return Caps(
        per_hour=budget.per_hour,
        per_run=budget.per_run,
        per_month=budget.per_month,
        notify=budget.notify,
    )


class _Planner:
    """Walks a stack in the order of the file and keeps what is wrong with it."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.items: list[Item] = []
        self.place = place(stack.where, ("where",))
        self.problems: list[Problem] = list(self.place.problems)

    def groups(self) -> list[Group]:
        """The groups of all workloads that can be planned."""
        planned = [self._training(name, work) for name, work in self.stack.training.items()]
        planned += [self._pool(name, work) for name, work in self.stack.inference.items()]
        return [group for group in planned if group is not None]

    def buckets(self) -> list[Bucket]:
        """The buckets, with their cost rows added to the items."""
        cloud = cloud_of(self.stack.where)
        made = []
        for name, bucket in self.stack.buckets.items():
            region = bucket.region or self.stack.where.regions[0]
            if bucket.region is not None:
                wrong = known_region(cloud, region, ("buckets", name, "region"))
                self.problems += [] if wrong is None else [wrong]
            size = None if bucket.size is None else gigabytes(bucket.size)
            subject = f"buckets.{name}"
            made.append(
                room(cloud).bucket_facts(
                    name, subject, region=region, size_gb=size, versioned=bucket.versioned
                )
            )
            self.items += room(cloud).bucket_items(name, subject, region=region, size_gb=size)
        return made

    def _training(self, name: str, work: Training) -> Group | None:
        path: Path = ("training", name)
        where = self._where(work, path)
        ways = tuple(
            Way(
                capacity=step.kind,
                region=step.region,
                max_price=step.max_price or work.max_price,
                path=(*path, "capacity", index),
            )
            for index, step in enumerate(work.capacity)
        )
        self._check(name, work, where, path)
        ask = _ask(work, where, path, ways, 1)
        if work.fabric == "required":
            ask = replace(ask, machine=replace(ask.machine, fabric=True))
        elif work.fabric == "preferred" and work.nodes > 1:
            ask = with_fabric(ask)
        rungs = ladder(ask, self.problems)
        if not rungs:
            return None
        subject = f"training.{name}"
        disk = work.disk
        self.items += room(where.cloud).training_items(
            name, subject, size=disk.size, iops=disk.iops, throughput=disk.throughput
        )
        saves = work.checkpoints is not None
        fabric = None
        machine = room(where.cloud).machine(rungs[0].machine)
        if ask.machine.fabric and machine is not None:
            fabric = room(where.cloud).fabric_facts(
                machine, work.nodes, work.fabric, own_image=work.machine_image is not None
            )
        return Group(
            **_common(name, subject, "training", work, where, rungs),
            fabric=fabric,
            minimum=work.nodes,
            maximum=work.nodes,
            hours=None if work.duration is None else hours(work.duration),
            checkpoints=saves,
            interruptible=saves,
        )

    def _pool(self, name: str, work: Inference) -> Group | None:
        path: Path = ("inference", name)
        where = self._where(work, path)
        way = Way(
            capacity=work.capacity.above,
            max_price=work.max_price,
            on_demand_base=work.capacity.on_demand_base,
            path=(*path, "capacity"),
        )
        self._check(name, work, where, path)
        rungs = ladder(_ask(work, where, path, (way,), POOL_ZONES), self.problems)
        if not rungs:
            return None
        subject = f"inference.{name}"
        disk = work.disk
        self.items += room(where.cloud).pool_items(
            name, subject, size=disk.size, iops=disk.iops, throughput=disk.throughput
        )
        return Group(
            **_common(name, subject, "inference", work, where, rungs),
            minimum=work.replicas.minimum,
            maximum=work.replicas.maximum or work.replicas.minimum,
            checkpoints=False,
            interruptible=True,
        )

    def _where(self, work: Training | Inference, path: Path) -> Place:
        if work.where is None:
            return self.place
        own = place(work.where, (*path, "where"))
        self.problems += own.problems
        return own

    def _check(self, name: str, work: Training | Inference, where: Place, path: Path) -> None:
        self.problems += checks.of_spot_price(work, path)
        self.problems += checks.of_disk(where.cloud, work, path)
        self.problems += checks.of_start(where.cloud, name, work, path)


def _ask(
    work: Training | Inference, where: Place, path: Path, ways: tuple[Way, ...], zones: int
) -> Ask:
    gpu = work.gpu
    purpose: Purpose = "training" if isinstance(work, Training) else "inference"
    machine = Request(
        cloud=where.cloud,
        regions=where.regions,
        gpu=gpu.model if gpu else None,
        memory=gpu.memory if gpu else None,
        count=gpu.count if gpu else None,
        nvlink=gpu.nvlink if gpu else None,
        instance=work.instance,
        purpose=purpose if work.machine_image is None else None,
    )
    return Ask(path=path, place=where, machine=machine, ways=ways, zones=zones)


def _common(
    name: str,
    subject: str,
    purpose: Purpose,
    work: Training | Inference,
    where: Place,
    rungs: tuple[Rung, ...],
) -> dict[str, Any]:
    return {
        "name": name,
        "subject": subject,
        "purpose": purpose,
        "cloud": where.cloud,
        "rungs": rungs,
        "nvlink_wish": work.gpu is not None and work.gpu.nvlink is True,
        "safety": room(where.cloud).SAFETY,
    }
