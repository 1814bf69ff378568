"""The components' arguments, written as in a stack file.

They are plain values, but for those that are typed as `pulumi.Input`: nothing is chosen by these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, Literal

import pulumi

from gpuinfra.records import record


@record
class Mount:
    """A part of a bucket that the machines see as a folder under /data.

    `bucket` is a key of the `buckets` that the component is given.
    """

    bucket: str
    prefix: str = ""
    mode: Literal["read", "write"] = "read"


@record
class Checkpoints:
    """The location (`CHECKPOINT_DIR`) and interval of a run's checkpoints, for example 10m."""

    bucket: str
    prefix: str = "checkpoints/"
    every: str = "10m"


@record
class TrainingArgs:
    """The arguments of a training node or cluster; the names are the stack file's keys.

    Attributes:
        region: where, for example us-east-1.
        gpu: the GPUs of one machine, for example H100:8; or say `instance`.
        instance: a machine type, for example p5.48xlarge.
        nodes: machines; a TrainingNode has one.
        fabric: RDMA between nodes; required when there are several.
        capacity: spot or on-demand; or one step, for example {"on-demand": {"reserve": True}},
            {"reserved": {"reservation": "cr-…"}} or {"capacity-block": {"reservation": "cr-…",
            "ends": "2026-12-01T11:30Z"}}.
        max_price: USD per node-hour that a spot request may cost; on-demand's price when absent.
        duration: how long a run takes, for example 72h.
        time_to_live: how long the machines stay at most from the first up, for example 80h; not
            on AWS, where a stack file ends them.
        data: buckets that the machines see.
        checkpoints: where a run saves itself.
        disk: the machine's own disk, for example 200GB.
        machine_image: an `ami-` id or an SSM parameter, instead of the public image; an output is
            an image's id.
        command: what each machine starts, for example gpuinfra-torchrun train.py.
        framework: versions that the job needs of the image, for example {"cuda": "12.8"}.
        shared_storage: a parallel file system beside the machines, for example {"size": "4.8TiB",
            "throughput": 250}.
        all_or_nothing: all machines in one request, or none of them.
        efa_layout: standard, most-ip, fewest-ip or classic.
        ena_express: between the machines' IP interfaces.
        preflight: whether GPUs and fabric are checked before a machine joins the run.
        zones: only these zones.
        notify: who is told of idle GPUs, full GPU memory, GPU errors and interruptions (AWS):
            e-mail addresses, and the ARNs of your own SNS topics, which an output is. On other
            clouds declare alerts of your own: its refusal names their types.
        owner: who answers for it, a tag; the Pulumi project when absent.
        cloud: whose region it is.
    """

    region: str
    gpu: str | Mapping[str, Any] | None = None
    instance: str | None = None
    nodes: int = 1
    fabric: Literal["required", "preferred", "none"] | None = None
    capacity: Literal["spot", "on-demand"] | Mapping[str, Any] = "on-demand"
    max_price: float | str | None = None
    duration: str | None = None
    time_to_live: str | None = None
    data: Sequence[Mount] = ()
    checkpoints: Checkpoints | None = None
    disk: str | Mapping[str, Any] | None = None
    machine_image: pulumi.Input[str] | None = None
    command: str | None = None
    framework: Mapping[str, str] | None = None
    shared_storage: Mapping[str, Any] | None = None
    all_or_nothing: bool | None = None
    efa_layout: Literal["standard", "most-ip", "fewest-ip", "classic"] | None = None
    ena_express: bool | None = None
    preflight: bool | None = None
    zones: Sequence[str] = ()
    notify: Sequence[pulumi.Input[str]] = ()
    owner: str | None = None
    cloud: str = "aws"


@record
class PoolArgs:
    """The arguments of an inference pool; the names are the stack file's keys.

    Attributes:
        region: where, for example us-east-1.
        replicas: machines: 2, or a range like 1..20.
        scale_on: the one figure it follows: {"gpu_utilization": "70%"}, {"gpu_memory": "80%"},
            {"requests_per_target": 500} or {"queue": {"messages_per_machine": 10}}.
        image: the container that serves; an output should name its digest.
        args: arguments that the container is started with, in this order; without them the image's
            own. An output that is a secret stays one in the state, and who may list the machines
            reads it in their user data.
        port: the container's port.
        health: the path that answers 200 when it is ready.
        gpu: the GPUs of one machine, for example L4:1; or say `instance`.
        instance: a machine type, for example g6.xlarge.
        capacity: spot, on-demand, or {"on_demand_base": 1, "above": "spot"}.
        max_price: USD per machine-hour that a spot request may cost.
        data: buckets that the machines and the container see.
        disk: the machine's own disk, for example 200GB.
        machine_image: an `ami-` id or an SSM parameter, instead of the public image; an output is
            an image's id.
        mixed: other machine types that the pool may hold.
        certificate: the ARN of the certificate that it answers with, by HTTPS.
        idle_timeout: how long a connection may say nothing, for example 10m.
        zones: only these zones.
        notify: who is told of idle GPUs, full GPU memory, GPU errors and unhealthy machines (AWS):
            e-mail addresses, and the ARNs of your own SNS topics, which an output is. On other
            clouds declare alerts of your own: its refusal names their types.
        owner: who answers for it, a tag; the Pulumi project when absent.
        cloud: whose region it is.
    """

    region: str
    replicas: int | str
    scale_on: Mapping[str, Any]
    image: pulumi.Input[str]
    port: int
    args: pulumi.Input[Sequence[pulumi.Input[str]]] | None = None
    health: str = "/health"
    gpu: str | Mapping[str, Any] | None = None
    instance: str | None = None
    capacity: str | Mapping[str, Any] = "on-demand"
    max_price: float | str | None = None
    data: Sequence[Mount] = ()
    disk: str | Mapping[str, Any] | None = None
    machine_image: pulumi.Input[str] | None = None
    mixed: Sequence[str] | None = None
    certificate: pulumi.Input[str] | None = None
    idle_timeout: str | None = None
    zones: Sequence[str] = ()
    notify: Sequence[pulumi.Input[str]] = ()
    owner: str | None = None
    cloud: str = "aws"


@record
class BucketArgs:
    """The arguments of a data bucket; the names are the stack file's keys.

    Attributes:
        region: where, for example us-east-1.
        versioned: keep old versions of objects.
        keep_noncurrent: how long an old version stays, for example 30d.
        size: expected content for a quote, for example 2TB.
        encryption: managed, kms for a key of its own, or a key's ARN, which an output is.
        tiering: age at which objects move to the cheaper tier, for example 30d.
        expire: parts whose objects are deleted by age: {"prefix": "tmp/", "after": "7d"}.
        access_logs: own, or the bucket that takes the log of all requests, which an output is.
        object_lock: {"mode": "governance", "keep": "30d"}.
        replicate_to: a second region that has a copy of everything.
        owner: who answers for it, a tag; the Pulumi project when absent.
        cloud: whose region it is.
    """

    region: str
    versioned: bool = True
    keep_noncurrent: str = "30d"
    size: str | None = None
    encryption: pulumi.Input[str] | None = None
    tiering: str | None = None
    expire: Sequence[Mapping[str, str]] | None = None
    access_logs: pulumi.Input[str] | None = None
    object_lock: Mapping[str, str] | None = None
    replicate_to: str | None = None
    owner: str | None = None
    cloud: str = "aws"


PLACES: Final = frozenset({"cloud", "region", "zones", "notify", "owner"})
"""Arguments that a stack file sets outside of the workload."""


def arguments_as_mapping(args: TrainingArgs | PoolArgs | BucketArgs) -> dict[str, Any]:
    """Return the arguments as a stack file's mapping, without those that are not set."""
    values = {field.name: getattr(args, field.name) for field in fields(args)}
    if isinstance(args, TrainingArgs) and isinstance(args.capacity, Mapping):
        values["capacity"] = [args.capacity]
    return {
        name: _plain_value(value)
        for name, value in values.items()
        if name not in PLACES and value is not None
    }


def _plain_value(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain_value(entry) for entry in value]
    return value
