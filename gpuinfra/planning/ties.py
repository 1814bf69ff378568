"""Which workloads stand on one cloud together: those that share a bucket, which is on one."""

from collections.abc import Mapping

from gpuinfra.planning.offers import Tie
from gpuinfra.planning.places import Places, cloud_with
from gpuinfra.stackfile.schema import Bucket, Stack, Training


def mounts(stack: Stack) -> dict[str, tuple[str, ...]]:
    """The workloads that mount each bucket, in the order of the file."""
    found: dict[str, dict[str, None]] = {}
    for name, work in {**stack.training, **stack.inference}.items():
        kept = work.checkpoints if isinstance(work, Training) else None
        for bucket in (*(one.bucket for one in work.data), *((kept.bucket,) if kept else ())):
            found.setdefault(bucket, {})[name] = None
    return {bucket: tuple(names) for bucket, names in found.items()}


def ties(stack: Stack, top: Places) -> tuple[Tie, ...]:
    """Every workload once, with those that it shares buckets with, directly or through others."""
    shared = mounts(stack)
    leader: dict[str, str] = {name: name for name in (*stack.training, *stack.inference)}

    def root(name: str) -> str:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    for names in shared.values():
        for other in names[1:]:
            leader[root(other)] = root(names[0])
    members: dict[str, list[str]] = {}
    for name in leader:
        members.setdefault(root(name), []).append(name)
    buckets: dict[str, list[str]] = {}
    for bucket, names in shared.items():
        buckets.setdefault(root(names[0]), []).append(bucket)
    return tuple(
        Tie(
            workloads=tuple(names),
            buckets=tuple(buckets.get(first, ())),
            only=_demanded(buckets.get(first, ()), stack.buckets, top),
        )
        for first, names in members.items()
    )


def bucket_cloud(bucket: Bucket, top: Places) -> str | None:
    """The cloud that a bucket's own region names; None where it names none.

    With one cloud, that is it, whatever the region: a wrong one is told as such.
    """
    if bucket.region is None:
        return None
    if len(top.places) == 1:
        return top.first.cloud
    return cloud_with(bucket.region)


def _demanded(
    names: list[str] | tuple[()], buckets: Mapping[str, Bucket], top: Places
) -> str | None:
    """The cloud that the first bucket with a region demands."""
    known = (bucket_cloud(buckets[name], top) for name in names if name in buckets)
    return next((cloud for cloud in known if cloud is not None), None)
