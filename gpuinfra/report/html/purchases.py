"""What a stack buys, for the head of the page: machines and data, one line each."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.model import Group, Rung
from gpuinfra.records import record
from gpuinfra.report.html.content import PageContent
from gpuinfra.report.html.topology import Topology
from gpuinfra.units import BYTES, format_size, plain

MOST: Final = 12
"""The maximum number of lines; the sections below have all."""


@record
class PurchasedResource:
    """A workload, a file system or a bucket, and what is bought for it, in words."""

    name: str
    description: str


def purchases(content: PageContent) -> Iterator[PurchasedResource]:
    """Yield what is bought: of a stack file all of it, of other sources the machines."""
    plan = content.plan
    for group, drawn in zip(plan.groups, content.topology, strict=False):
        yield PurchasedResource(name=group.name, description=_machines(group, drawn))
    if not plan.from_file:
        return
    for files in plan.file_systems:
        size = f" of {files.size_gib:,} GiB" if isinstance(files.size_gib, int) else ""
        yield PurchasedResource(name=files.name, description=f"file system{size}, {files.kind}")
    for bucket in plan.buckets:
        size = "" if bucket.size_gb is None else f" of {format_size(int(bucket.size_gb * GB))}"
        bucket_location = " ".join(filter(None, (bucket.cloud, bucket.region)))
        yield PurchasedResource(name=bucket.name, description=f"bucket{size}, {bucket_location}")


GB: Final = BYTES["GB"]


def _machines(group: Group, drawn: Topology) -> str:
    gpus = f" ({drawn.gpus})" if drawn.gpus else ""
    parts = [f"{drawn.count} × {drawn.machine}{gpus}", _capacity(group)]
    parts.append(
        ", ".join(dict.fromkeys(f"{group.cloud} {_region(rung)}" for rung in group.rungs))
    )
    needs = group.needs
    if needs.hours is not None:
        parts.append(f"a run of {plain(needs.hours)} h")
    if needs.ends_after is not None:
        parts.append(f"ends after {plain(needs.ends_after)} h")
    return ", ".join(parts)


def _region(rung: Rung) -> str:
    return rung.region or "unknown region"


def _capacity(group: Group) -> str:
    """Return how machines are bought: each rung in turn, or a pool's parts."""
    base = group.rung.on_demand_base
    if base:
        return f"{base} on demand and the others {_words(group.rung)}"
    return ", then ".join(dict.fromkeys(map(_words, group.rungs)))


def _words(rung: Rung) -> str:
    return rung.capacity.replace("-", " ")
