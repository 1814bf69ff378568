"""The combinations of inputs that AWS requires or forbids, beyond the types' tables.

All of it can be read off one resource's inputs, so `Check` already refuses it.
"""

from collections.abc import Callable, Iterator
from typing import Any

from gpuinfra.sandbox.plugin.aws import lustre_needs
from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.input_counts import count_failures
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.wire import Unknown

_EC2_API = "docs.aws.amazon.com/AWSEC2/latest/APIReference"


def problems(token: str, inputs: Inputs) -> list[Failure]:
    """Return the problems of the combined inputs; unknown inputs count as set."""
    failures = count_failures("aws", token, inputs)
    extra = _EXTRA.get(token)
    return failures + (list(extra(inputs)) if extra else [])


def _group(inputs: Inputs) -> Iterator[Failure]:
    sizes: list[Any] = [inputs.get(key) for key in ("minSize", "desiredCapacity", "maxSize")]
    low, desired, high = sizes
    if isinstance(low, int) and isinstance(high, int) and low > high:
        yield Failure("minSize", f"min size {low} is above max size {high}")
        return
    if all(isinstance(size, int) for size in sizes) and sorted(sizes) != sizes:
        reason = (
            f"Desired capacity:{desired} must be between the specified min size:{low} "
            f"and max size:{high}"
        )
        yield Failure("desiredCapacity", reason)


def _template(inputs: Inputs) -> Iterator[Failure]:
    nics = inputs.get("networkInterfaces")
    if isinstance(nics, list) and nics and inputs.get("vpcSecurityGroupIds"):
        reason = (
            "network interfaces and instance-level security groups may not be specified on the "
            f"same request: put them on each interface ({_EC2_API}/API_RunInstances.html)"
        )
        yield Failure("vpcSecurityGroupIds", reason)
    devices = inputs.get("blockDeviceMappings")
    for index, device in enumerate(devices if isinstance(devices, list) else ()):
        disk = device.get("ebs") if isinstance(device, dict) else None
        if isinstance(disk, dict):
            yield from _disk(disk, f"blockDeviceMappings[{index}].ebs")


def _target_group(inputs: Inputs) -> Iterator[Failure]:
    if inputs.get("targetType") == "lambda":
        return
    for key in ("port", "protocol", "vpcId"):
        if inputs.get(key) is None:
            yield Failure(key, f"missing required property '{key}' of a group that is not lambda")


def _instance(inputs: Inputs) -> Iterator[Failure]:
    root = inputs.get("rootBlockDevice")
    if isinstance(root, dict):
        yield from _disk(root, "rootBlockDevice")


def _disk(disk: Inputs, path: str) -> Iterator[Failure]:
    kind = disk.get("volumeType")
    if kind is None or isinstance(kind, Unknown):
        return
    size, iops, rate = (disk.get(key) for key in ("volumeSize", "iops", "throughput"))
    if kind != "gp3":
        if rate is not None:
            yield Failure(f"{path}.throughput", f"throughput is not supported for {kind} volumes")
        return
    yield from _gp3(path, *(None if isinstance(x, Unknown) else x for x in (size, iops, rate)))


# gp3 since 2025-09: 3000-80000 IOPS, 125-2000 MiB/s, 500 IOPS per GiB, 0.25 MiB/s per IOPS, 64 TiB
# (aws.amazon.com/about-aws/whats-new, "Amazon EBS increases the maximum size and performance of
# General Purpose (gp3) volumes").
_GP3_LIMITS = {"iops": (3000, 80_000), "throughput": (125, 2000), "volumeSize": (1, 65_536)}


def _gp3(path: str, size: int | None, iops: int | None, rate: int | None) -> Iterator[Failure]:
    gp3_values = {"volumeSize": size, "iops": iops, "throughput": rate}
    for key, (low, high) in _GP3_LIMITS.items():
        value = gp3_values[key]
        if value is not None and not low <= value <= high:
            yield Failure(f"{path}.{key}", f"{key} of {value} is outside {low}-{high} for gp3")
    if size and iops and iops > max(3000, 500 * size):
        reason = f"iops to volume size ratio of {iops / size:.0f} is above 500 per GiB for gp3"
        yield Failure(f"{path}.iops", reason)
    if rate and rate > (iops or 3000) * 0.25:
        reason = f"throughput of {rate} needs more than {iops or 3000} iops (0.25 MiB/s per IOPS)"
        yield Failure(f"{path}.throughput", reason)


_EXTRA: dict[str, Callable[[Inputs], Iterator[Failure]]] = {
    "aws:autoscaling/group:Group": _group,
    "aws:ec2/instance:Instance": _instance,
    "aws:ec2/launchTemplate:LaunchTemplate": _template,
    "aws:fsx/lustreFileSystem:LustreFileSystem": lustre_needs.problems,
    "aws:lb/targetGroup:TargetGroup": _target_group,
}
