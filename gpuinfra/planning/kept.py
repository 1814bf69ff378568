"""How the build keeps what a stack file asks for: labels, images, what scales and what stops."""

from dataclasses import replace

from gpuinfra.clouds import room
from gpuinfra.clouds.footprint import logs_name
from gpuinfra.clouds.observing.lone import is_lone
from gpuinfra.model import Bucket, FileSystem, Group
from gpuinfra.stackfile.schema import Stack


def of_group(group: Group, stack: Stack) -> Group:
    """Return a group with how the build keeps it.

    A pool always follows a figure; what is trained on keeps its size. What a look-up finds as the
    image is kept in the stack's state, or in its lock.
    """
    work = stack.training.get(group.name)
    return replace(
        group,
        labels=labels(group.cloud, stack),
        grows=True if work is None else None,
        stops_idle=(work is not None and work.idle_stop is not None) if is_lone(group) else None,
        image_pinned=True,
    )


def of_bucket(bucket: Bucket, stack: Stack) -> Bucket:
    """Return a bucket with how the build keeps it; old logs expire, a copy keeps everything."""
    name = bucket.subject.partition(".")[2]
    wanted = stack.buckets[name]
    asked = bucket.name == name and bool(wanted.expire or wanted.tiering)
    return replace(
        bucket,
        labels=labels(bucket.cloud, stack),
        expires=asked or bucket.name == logs_name(name) or bucket.expires_noncurrent,
    )


def of_files(files: FileSystem, stack: Stack) -> FileSystem:
    """Return a file system with how the build keeps it."""
    return replace(files, labels=labels(files.cloud, stack))


def labels(cloud: str, stack: Stack) -> frozenset[str]:
    """Return the keys of what everything carries that takes labels."""
    return room(cloud).LABELS | frozenset(stack.tags)
