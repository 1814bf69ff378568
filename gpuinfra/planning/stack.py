"""A stack file to a plan: every workload with its ladder, disks, network and facts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from gpuinfra.catalog import Request
from gpuinfra.clouds import room
from gpuinfra.errors import InputError, PathPart, Problem
from gpuinfra.model import Bucket, Caps, Group, Item, Plan, Purpose, Rung
from gpuinfra.planning import checks
from gpuinfra.planning.collection import paused
from gpuinfra.planning.ladder import Ask, Way, ladder, with_fabric
from gpuinfra.planning.offers import Offer, settle
from gpuinfra.planning.places import ANY, Place, known_region, places
from gpuinfra.planning.standing import named
from gpuinfra.planning.ties import bucket_cloud, mounts, ties
from gpuinfra.stackfile.schema import Bucket as StackBucket
from gpuinfra.stackfile.schema import Inference, Stack, Training
from gpuinfra.units import gigabytes, hours

Path = tuple[PathPart, ...]

POOL_ZONES = 2
"""A pool's machines stand in two zones, a training workload's in one."""


@paused()
def from_stack(stack: Stack, *, rungs: Mapping[str, str] | None = None) -> Plan:
    """Plan a stack file; `rungs` names a workload's standing rung by label or way to buy.

    Where `cloud: any` leaves a choice, each workload takes the cloud that holds it at the least
    price, together with those that share a bucket with it; its group says why.

    Raises:
        InputError: every planning problem of the file, by path, in the order of the file.
    """
    planner = _Planner(stack)
    offers = planner.offers()
    taken = settle(offers, ties(stack, planner.top), planner.problems)
    groups = tuple(group for one in taken.values() if (group := one.group) is not None)
    items = [item for one in taken.values() for item in one.items]
    buckets = tuple(planner.buckets({name: one.cloud for name, one in taken.items()}, items))
    groups = named(groups, rungs or {}, (*stack.training, *stack.inference), planner.problems)
    if planner.problems:
        raise InputError(planner.problems)
    clouds = {one.cloud for one in groups} | {one.cloud for one in buckets}
    return Plan(
        name=stack.name,
        owner=stack.owner,
        caps=caps(stack),
        groups=groups,
        items=tuple(items),
        buckets=buckets,
        cloud_budget=_mirrored(caps(stack), clouds),
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
        billing_account=budget.billing_account,
    )


def _mirrored(limits: Caps, clouds: set[str]) -> Decimal | None:
    """The month's cap, where at least one of the clouds can keep it as a budget of its own."""
    kept = any(room(cloud).has_budget(limits) for cloud in clouds)
    return limits.per_month if kept else None


class _Planner:
    """Walks a stack in the order of the file and keeps what is wrong with it."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.top = places(stack.where, ("where",))
        self.problems: list[Problem] = list(self.top.problems)

    def offers(self) -> dict[str, tuple[Offer, ...]]:
        """What each cloud that a workload allows offers it."""
        return {
            **{
                name: self._offers(work, ("training", name), partial(_training, name, work))
                for name, work in self.stack.training.items()
            },
            **{
                name: self._offers(work, ("inference", name), partial(_pool, name, work))
                for name, work in self.stack.inference.items()
            },
        }

    def buckets(self, standing: Mapping[str, str], items: list[Item]) -> Iterator[Bucket]:
        """The buckets, each on the cloud of those that mount it; their cost rows join `items`."""
        mounted = mounts(self.stack)
        for name, bucket in self.stack.buckets.items():
            beside = [standing[one] for one in mounted.get(name, ()) if one in standing]
            place = self._bucket_place(name, bucket, beside[0] if beside else None)
            if place is None:
                continue
            cloud, region = place
            size = None if bucket.size is None else gigabytes(bucket.size)
            subject = f"buckets.{name}"
            yield room(cloud).bucket_facts(
                name, subject, region=region, size_gb=size, versioned=bucket.versioned
            )
            items += room(cloud).bucket_items(name, subject, region=region, size_gb=size)

    def _bucket_place(
        self, name: str, bucket: StackBucket, beside: str | None
    ) -> tuple[str, str] | None:
        """The cloud and region of a bucket: its own, or those of what mounts it."""
        path: Path = ("buckets", name, "region")
        if bucket.region is not None:
            cloud = beside or bucket_cloud(bucket, self.top) or self.top.first.cloud
            wrong = known_region(cloud, bucket.region, path)
            self.problems += [] if wrong is None else [wrong]
            return None if wrong else (cloud, bucket.region)
        cloud = beside or self.top.first.cloud
        works = (*self.stack.training.values(), *self.stack.inference.values())
        own = [places(work.where, ()).places for work in works if work.where is not None]
        known = (*self.top.places, *(place for each in own for place in each))
        return cloud, next(place.regions[0] for place in known if place.cloud == cloud)

    def _offers(
        self,
        work: Training | Inference,
        path: Path,
        plan: Callable[[Place, list[Problem]], tuple[Group, tuple[Item, ...]] | None],
    ) -> tuple[Offer, ...]:
        where = self.top
        if work.where is not None:
            where = places(work.where, (*path, "where"))
            self.problems += where.problems
        self.problems += checks.of_spot_price(work, path)
        found = []
        for place in where.places:
            problems: list[Problem] = []
            planned = plan(place, problems)
            problems += checks.of_start(place.cloud, work, path)
            if work.where is not None or self.stack.where.cloud != ANY:
                problems += checks.of_spot_maximum(place.cloud, work, path)
            group, items = planned or (None, ())
            found.append(
                Offer(cloud=place.cloud, group=group, items=items, problems=tuple(problems))
            )
        return tuple(found)


def _training(
    name: str, work: Training, place: Place, problems: list[Problem]
) -> tuple[Group, tuple[Item, ...]] | None:
    path: Path = ("training", name)
    ways = tuple(
        Way(
            capacity=step.kind,
            region=step.region,
            max_price=step.max_price or work.max_price,
            path=(*path, "capacity", index),
        )
        for index, step in enumerate(work.capacity)
    )
    ask = _ask(work, place, path, ways, 1)
    if work.fabric == "required":
        ask = replace(ask, machine=replace(ask.machine, fabric=True))
    elif work.fabric == "preferred" and work.nodes > 1:
        ask = with_fabric(ask)
    rungs = ladder(ask, problems)
    known = room(place.cloud)
    machine = known.machine(rungs[0].machine) if rungs else None
    problems += checks.of_disk(place.cloud, work, path, machine)
    if not rungs:
        return None
    subject = f"training.{name}"
    disk = work.disk
    items = known.training_items(
        name,
        subject,
        size=disk.size,
        iops=disk.iops,
        throughput=disk.throughput,
        machine=machine,
    )
    fabric = None
    if ask.machine.fabric and machine is not None:
        fabric = known.fabric_facts(
            machine, work.nodes, work.fabric, own_image=work.machine_image is not None
        )
    saves = work.checkpoints is not None
    group = Group(
        **_common(name, subject, "training", work, place, rungs),
        fabric=fabric,
        minimum=work.nodes,
        maximum=work.nodes,
        hours=None if work.duration is None else hours(work.duration),
        checkpoints=saves,
        interruptible=saves,
    )
    return group, items


def _pool(
    name: str, work: Inference, place: Place, problems: list[Problem]
) -> tuple[Group, tuple[Item, ...]] | None:
    path: Path = ("inference", name)
    way = Way(
        capacity=work.capacity.above,
        max_price=work.max_price,
        on_demand_base=work.capacity.on_demand_base,
        path=(*path, "capacity"),
    )
    rungs = ladder(_ask(work, place, path, (way,), POOL_ZONES), problems)
    known = room(place.cloud)
    machine = known.machine(rungs[0].machine) if rungs else None
    problems += checks.of_disk(place.cloud, work, path, machine)
    if not rungs:
        return None
    subject = f"inference.{name}"
    disk = work.disk
    items = known.pool_items(
        name,
        subject,
        size=disk.size,
        iops=disk.iops,
        throughput=disk.throughput,
        machine=machine,
    )
    group = Group(
        **_common(name, subject, "inference", work, place, rungs),
        minimum=work.replicas.minimum,
        maximum=work.replicas.maximum or work.replicas.minimum,
        checkpoints=False,
        interruptible=True,
    )
    return group, items


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
        "maintenance": room(where.cloud).MAINTENANCE,
    }
