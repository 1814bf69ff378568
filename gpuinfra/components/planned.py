"""One workload as planned: from a component's arguments, or from a whole stack file's plan."""

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast

import pulumi
from pydantic import ValidationError

from gpuinfra.clouds.order import Order
from gpuinfra.components.args import BucketArgs, PoolArgs, TrainingArgs, written
from gpuinfra.errors import InputError
from gpuinfra.model import Group
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import Bucket, Inference, Stack, Training, problems_of

Wanted = TypeVar("Wanted", Training, Inference, Bucket)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(Generic[Wanted]):
    """What is to be built: plan-time values only.

    Attributes:
        wanted: what was asked for, as the stack file's grammar reads it.
        group: the machines that planning chose; None for a bucket.
        stack: the stack it belongs to.
        owner: who answers for it.
        cloud: whose room builds it.
        region: where.
    """

    wanted: Wanted
    group: Group | None
    stack: str
    owner: str
    cloud: str
    region: str

    def order(self, name: str, tags: dict[str, str]) -> Order:
        """What the room's build is told."""
        return Order(name=name, stack=self.stack, owner=self.owner, region=self.region, tags=tags)

    @property
    def machines(self) -> Group:
        """The machines of a workload that has some."""
        if self.group is None:
            raise LookupError("a bucket has no machines")
        return self.group


def plan_training(name: str, args: TrainingArgs | Planned[Training]) -> Planned[Training]:
    """A training workload, planned.

    Raises:
        InputError: the arguments are wrong, or nothing fits them.
    """
    if isinstance(args, Planned):
        return args
    stack = _stack("training", name, args)
    return _of(stack, stack.training[name], name, args)


def plan_inference(name: str, args: PoolArgs | Planned[Inference]) -> Planned[Inference]:
    """An inference pool, planned.

    Raises:
        InputError: the arguments are wrong, or nothing fits them.
    """
    if isinstance(args, Planned):
        return args
    stack = _stack("inference", name, args)
    return _of(stack, stack.inference[name], name, args)


def plan_bucket(name: str, args: BucketArgs | Planned[Bucket]) -> Planned[Bucket]:
    """A bucket, planned.

    Raises:
        InputError: the arguments are wrong.
    """
    if isinstance(args, Planned):
        return args
    stack = _stack("buckets", name, args)
    return _of(stack, stack.buckets[name], name, args)


def _stack(
    kind: Literal["training", "inference", "buckets"],
    name: str,
    args: TrainingArgs | PoolArgs | BucketArgs,
) -> Stack:
    """The stack of one workload, with the buckets that it mounts."""
    values = written(args)
    where = {"cloud": args.cloud, "regions": [args.region], "zones": _zones(args)}
    document: dict[str, Any] = {
        "version": 1,
        "name": "component",
        "owner": args.owner or pulumi.get_project(),
        "where": where,
        "buckets": {one: {} for one in _mounted(values)},
    }
    document[kind] = {**document.get(kind, {}), name: values}
    try:
        return Stack.model_validate(document)
    except ValidationError as error:
        raise InputError(problems_of(error)) from error


def _zones(args: TrainingArgs | PoolArgs | BucketArgs) -> list[str]:
    return [] if isinstance(args, BucketArgs) else list(args.zones)


def _mounted(values: dict[str, Any]) -> list[str]:
    mounts = [*values.get("data", ()), values.get("checkpoints") or {}]
    return [mount["bucket"] for mount in mounts if "bucket" in mount]


def _of(
    stack: Stack, wanted: Wanted, name: str, args: TrainingArgs | PoolArgs | BucketArgs
) -> Planned[Wanted]:
    plan = from_stack(stack)
    groups = [group for group in plan.groups if group.name == name]
    return cast(
        "Planned[Wanted]",
        Planned(
            wanted=wanted,
            group=groups[0] if groups else None,
            stack=pulumi.get_project(),
            owner=stack.owner,
            cloud=args.cloud,
            region=groups[0].rung.region if groups else args.region,
        ),
    )
