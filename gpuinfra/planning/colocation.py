"""The workloads that must be on one cloud, because they share a bucket."""

from collections.abc import Iterable, Mapping, Sequence

from gpuinfra.catalog import cloud_with
from gpuinfra.planning.cloud_offers import ColocatedWorkloads
from gpuinfra.specs.schema import Inference, Stack, Training
from gpuinfra.specs.storage import Bucket


def mounts(stack: Stack) -> dict[str, tuple[str, ...]]:
    """Return the workloads that mount each bucket, in the order of the file."""
    holders: dict[str, dict[str, None]] = {}
    for name, work in stack.workloads.items():
        for bucket in used_buckets(work):
            holders.setdefault(bucket, {})[name] = None
    return {bucket: tuple(names) for bucket, names in holders.items()}


def used_buckets(workload: Training | Inference) -> tuple[str, ...]:
    """Return the buckets that a workload uses, each once: for data, checkpoints, shared files."""
    names = [mount.bucket for mount in workload.data]
    if isinstance(workload, Training):
        names += [] if workload.checkpoints is None else [workload.checkpoints.bucket]
        shared = workload.shared_storage
        names += [] if shared is None or shared.bucket is None else [shared.bucket]
    return tuple(dict.fromkeys(names))


def colocated_workloads(
    stack: Stack, mounted: Mapping[str, Sequence[str]], clouds: Sequence[str]
) -> tuple[ColocatedWorkloads, ...]:
    """Return every workload once, grouped with those that it shares buckets with.

    `clouds` are those that a bucket's own region may be of.
    """
    leader: dict[str, str] = {name: name for name in (*stack.training, *stack.inference)}

    def root(name: str) -> str:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    for names in mounted.values():
        for other in names[1:]:
            leader[root(other)] = root(names[0])
    members: dict[str, list[str]] = {}
    for name in leader:
        members.setdefault(root(name), []).append(name)
    buckets: dict[str, list[str]] = {}
    for bucket, names in mounted.items():
        buckets.setdefault(root(names[0]), []).append(bucket)
    return tuple(
        _colocated_workloads(names, buckets.get(first, []), stack.buckets, clouds)
        for first, names in members.items()
    )


def _colocated_workloads(
    names: Iterable[str],
    shared: Sequence[str],
    buckets: Mapping[str, Bucket],
    clouds: Sequence[str],
) -> ColocatedWorkloads:
    """Return a group of workloads, tied to the cloud of the first bucket with its own region."""
    for name in shared:
        region = buckets[name].region if name in buckets else None
        cloud = cloud_with(region, clouds) if region is not None else None
        if cloud is not None:
            return ColocatedWorkloads(
                workloads=tuple(names),
                buckets=tuple(shared),
                required_cloud=cloud,
                required_by=name,
            )
    return ColocatedWorkloads(workloads=tuple(names), buckets=tuple(shared))
