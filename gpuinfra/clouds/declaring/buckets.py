"""The buckets that machines mount: the grants, and the shares of the start-up script."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from gpuinfra.clouds.startup import BucketMount
from gpuinfra.errors import InputError, Problem
from gpuinfra.graph import format_values
from gpuinfra.records import record
from gpuinfra.similar_words import nearest
from gpuinfra.specs.schema import Inference, Mount, Training


@record
class NameForm:
    """A cloud's form of bucket names: the pattern, the cloud's term, and the allowed names."""

    pattern: re.Pattern[str]
    cloud: str
    allowed: str


@record
class BucketGrant:
    """A part of a bucket that the machines may read, or also write.

    `bucket` is its physical name, a value of the graph; so is `key`, the key of the customer's
    that it is encrypted with, None for the cloud's own.
    """

    bucket: Any
    prefix: str
    writable: bool
    key: Any = None


@record
class BucketUse:
    """A part of a bucket, by the bucket's name in the stack."""

    bucket: str
    prefix: str
    writable: bool


def uses(mounts: Sequence[Mount]) -> tuple[BucketUse, ...]:
    """Return the bucket parts that data mounts use."""
    return tuple(
        BucketUse(bucket=mount.bucket, prefix=mount.prefix, writable=mount.mode == "write")
        for mount in mounts
    )


def checkpoints(workload: Training) -> tuple[BucketUse, ...]:
    """Return the bucket part that checkpoints use; empty without checkpoints."""
    if workload.checkpoints is None:
        return ()
    target = workload.checkpoints
    return (BucketUse(bucket=target.bucket, prefix=target.prefix, writable=True),)


def grants(
    name: str,
    bucket_uses: Sequence[BucketUse],
    buckets: Mapping[str, Any],
    form: NameForm,
    *,
    keys: Mapping[str, Any] = MappingProxyType({}),
    other_buckets: Sequence[str] = (),
) -> tuple[BucketGrant, ...]:
    """Return the access that the machines get.

    Args:
        name: of the component.
        bucket_uses: the mounted buckets.
        buckets: physical names by the names that mounts use.
        form: how the cloud names buckets.
        keys: the keys of buckets that are encrypted with the customer's.
        other_buckets: buckets that something else of the component uses.

    Raises:
        InputError: it is not stated which bucket of the cloud a name stands for, it is no
            bucket's name, or nothing uses it.
    """
    used_buckets = dict.fromkeys((*(use.bucket for use in bucket_uses), *other_buckets))
    problems = [
        _bucket_not_passed(name, missing) for missing in used_buckets if missing not in buckets
    ]
    for granted_name, bucket in buckets.items():
        if granted_name not in used_buckets:
            problems.append(_unused_bucket_problem(name, granted_name, used_buckets))
        elif isinstance(bucket, str) and not form.pattern.fullmatch(bucket):
            problems.append(_invalid_name_problem(name, granted_name, bucket, form))
    if problems:
        raise InputError(problems)
    return tuple(
        BucketGrant(
            bucket=buckets[use.bucket],
            prefix=use.prefix,
            writable=use.writable,
            key=keys.get(use.bucket),
        )
        for use in bucket_uses
    )


def script(
    bucket_uses: Sequence[BucketUse],
    grants: Sequence[BucketGrant],
    write: Callable[..., str],
    **values: Any,
) -> Any:
    """Return a start-up script, written with the buckets' physical names and these values."""
    names = [grant.bucket for grant in grants]
    return format_values(partial(_script, bucket_uses, write), names, values)


def with_arguments(write: Callable[..., str], workload: Inference) -> Callable[..., str]:
    """Return a pool's script writer that knows the container's arguments, possibly outputs.

    Args:
        write: writes it from the workload, the shares and other values.
        workload: the workload.
    """
    return partial(_with_arguments, write, workload)


def _with_arguments(
    write: Callable[..., str],
    workload: Inference,
    mounts: tuple[BucketMount, ...],
    *,
    args: Sequence[str] | None,
    **values: Any,
) -> str:
    with_arguments = workload.model_copy(update={"args": tuple(args or ())})
    return write(with_arguments, mounts, **values)


def _script(
    bucket_uses: Sequence[BucketUse],
    write: Callable[..., str],
    names: Sequence[str],
    values: Mapping[str, Any],
) -> str:
    mounts = tuple(
        BucketMount(name=use.bucket, bucket=name, prefix=use.prefix, writable=use.writable)
        for use, name in zip(bucket_uses, names, strict=True)
    )
    return write(mounts, **values)


def _bucket_not_passed(name: str, bucket: str) -> Problem:
    return Problem(
        message=f"{name}: the bucket {bucket!r} is not passed",
        path=(name, "buckets", bucket),
        allowed="the cloud name of every bucket that the workload uses",
        fix=f'pass buckets={{"{bucket}": your_bucket.bucket_name}}',
    )


def _unused_bucket_problem(name: str, bucket: str, used_buckets: Iterable[str]) -> Problem:
    return Problem(
        message=f"{name}: the bucket {bucket!r} is passed but not mounted",
        path=(name, "buckets", bucket),
        value=bucket,
        allowed=", ".join(used_buckets) or "none: neither data nor checkpoints name a bucket",
        suggestion=nearest(bucket, used_buckets),
        fix="name it in data or checkpoints, or remove it",
    )


def _invalid_name_problem(name: str, bucket: str, physical: str, form: NameForm) -> Problem:
    return Problem(
        message=f"{name}: buckets.{bucket} is not a valid bucket name on {form.cloud}",
        path=(name, "buckets", bucket),
        value=repr(physical),
        allowed=form.allowed,
    )
