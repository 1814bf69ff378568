"""The start-up scripts of workloads as the build writes them, checked against EC2's limit."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.agent.install import AgentSettings
from gpuinfra.clouds.aws.images import IMAGE_FORMS, image_fault
from gpuinfra.clouds.aws.nccl_environment import every_environment
from gpuinfra.clouds.aws.payload import MAX_USER_DATA, SPARE, is_accepted_by_ec2, pack
from gpuinfra.clouds.aws.regions import REGIONS
from gpuinfra.clouds.aws.script_host import Host, SharedFolder
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.startup import (
    MOST_GPUS,
    BucketMount,
    every_stand_in,
    server_start,
    stand_in,
    stand_ins,
    training_start,
)
from gpuinfra.clouds.startup_faults import image_faults, too_long

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Inference, Training

LONGEST_STACK: Final = 64
_QUEUE: Final = f"https://sqs.ap-southeast-99.amazonaws.com.cn/123456789012/{'q' * 80}"
_TARGETS: Final = (
    "arn:aws-us-gov:elasticloadbalancing:ap-southeast-99:123456789012:targetgroup/"
    f"{'t' * 32}/0123456789abcdef"
)
_LONGEST_END_TIME: Final = "2026-12-01T11:30:00Z"
_FOLDER: Final = SharedFolder(
    dns_name="fs-0123456789abcdef0.fsx.ap-southeast-99.amazonaws.com.cn",
    mount_name="abcdefgh",
    efa=True,
)
"""Stands in for a file system that is not made yet; such names are all about that long."""


def training_script(
    spec: BuildSpec,
    workload: "Training",
    mounts: tuple[BucketMount, ...],
    *,
    host: Host,
    end_time: str | None = None,
    shared: SharedFolder | None = None,
) -> str:
    """Return the script of a training workload; a share for checkpoints comes last.

    Args:
        spec: whose it is, where, and who watches it.
        workload: the workload.
        mounts: the parts of buckets that it mounts.
        host: the machine.
        end_time: when its capacity block is over, ISO 8601 in UTC.
        shared: the file system beside the machines, where there is one.
    """
    checkpoints = workload.checkpoints
    start = training_start(
        spec.name,
        spec.region,
        workload,
        mounts,
        gpus=host.gpus,
        environment=host.environment,
    )
    setup = userdata.ScriptSetup(
        stack=spec.stack,
        host=host,
        checkpoint_size=None if checkpoints is None else checkpoints.size,
        shared=shared,
        interruptions=None,
        preflight=workload.preflight,
        driver="" if workload.framework is None else workload.framework.driver or "",
        gpu_metrics=spec.metrics,
        exporter=bool(spec.prometheus),
    )
    if checkpoints is not None:
        agent = _agent(spec, workload, userdata.checkpoint_address(start), end_time)
        setup = replace(setup, interruptions=agent)
    return userdata.training_script(start, setup)


def pool_script(
    spec: BuildSpec,
    workload: "Inference",
    mounts: tuple[BucketMount, ...],
    *,
    image: str,
    queue: str = "",
    targets: str = "",
) -> str:
    """Return the script of an inference pool, from an image that may be pinned.

    A container that works off a queue is told its address and, as the metadata service gives
    boto3 none, the region. A spot machine leaves its `targets` before it is interrupted.
    """
    start = replace(
        server_start(spec.name, workload, mounts),
        image=image,
        environment={"QUEUE_URL": queue, "AWS_REGION": spec.region} if queue else {},
        gpu_errors=spec.metrics,
        exporter=bool(spec.prometheus),
    )
    return userdata.server_script(start, targets=targets)


def training_stand_in(
    spec: BuildSpec, workload: "Training", *, host: Host, end_time: str | None = None
) -> str:
    """Return the longest possible script, before the buckets and the file system are known."""
    shared = None if workload.shared_storage is None else _FOLDER
    return training_script(
        spec, workload, every_stand_in(workload), host=host, end_time=end_time, shared=shared
    )


def pool_stand_in(spec: BuildSpec, workload: "Inference") -> str:
    """Return the longest possible script of a pool, before its buckets are known."""
    queue, targets = ("", _TARGETS) if workload.scale_on.queue is None else (_QUEUE, "")
    image = f"{workload.image}@sha256:{'0' * 64}"
    mounts = tuple(stand_ins(workload.data))
    return pool_script(spec, workload, mounts, image=image, queue=queue, targets=targets)


def training_start_faults(name: str, workload: "Training") -> Iterator[KeyFault]:
    """Yield the fault of a script too long for EC2, before bucket, region and machine are known.

    They stand in as long as they can be, so that what passes here passes at the build. With a
    bucket, there is always a place for it.
    """
    yield from image_faults(workload.machine_image, IMAGE_FORMS, image_fault)
    if workload.data or workload.checkpoints is not None:
        return
    host = Host(
        gpus=MOST_GPUS,
        nvlink="some",
        efa=MOST_GPUS,
        local_disks=True,
        environment=every_environment(),
    )
    script = training_stand_in(
        _longest_build_spec(name), workload, host=host, end_time=_LONGEST_END_TIME
    )
    yield from _faults(name, script, workload, "data or checkpoints")


def pool_start_faults(name: str, workload: "Inference") -> Iterator[KeyFault]:
    """Yield the fault of a pool's script too long for EC2, as for a training workload."""
    yield from image_faults(workload.machine_image, IMAGE_FORMS, image_fault)
    if not workload.data:
        yield from _faults(
            name, pool_stand_in(_longest_build_spec(name), workload), workload, "data"
        )


def _agent(
    spec: BuildSpec, workload: "Training", address: str, end_time: str | None
) -> AgentSettings:
    """Return the interruption agent's settings; machines of a fleet have no lifecycle hook."""
    return AgentSettings(
        stack=spec.stack,
        workload=spec.name,
        region=spec.region,
        checkpoints=address,
        lifecycle=not workload.all_or_nothing,
        block_ends=end_time,
    )


def _longest_build_spec(name: str) -> BuildSpec:
    """Return a build spec with every setting that makes a script longer."""
    return BuildSpec(
        name=name,
        stack=stand_in(name, "", False, LONGEST_STACK).bucket,
        owner="",
        region=max(REGIONS.all(), key=len),
        metrics=True,
        prometheus="0.0.0.0/0",
    )


def _faults(
    name: str, script: str, workload: "Training | Inference", mounts: str
) -> Iterator[KeyFault]:
    """Yield the fault of a script that is too long; `mounts` are keys that may name a bucket."""
    if not is_accepted_by_ec2(script, SPARE):
        size, limit = (
            f"{len(pack(script)):,} bytes compressed",
            f"{MAX_USER_DATA - SPARE:,} bytes compressed",
        )
        fault = too_long(name, size, limit, workload, ())
        bucket_hint = f"or name a bucket in {mounts}, where the script is then stored"
        yield replace(fault, fix=f"{fault.fix}; {bucket_hint}")
