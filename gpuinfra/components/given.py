"""What a component is given at run time, checked: buckets, network, customised children."""

from collections.abc import Awaitable, Mapping
from typing import Any, Final

import pulumi

from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.caller import Caller
from gpuinfra.components.network import Network
from gpuinfra.errors import InputError, Problem

Buckets = Mapping[str, DataBucket | pulumi.Input[str]]

ACCEPTED: Final = "a DataBucket, a bucket's name in the cloud, or an output that is one"


def given(
    parent: pulumi.Resource,
    name: str,
    network: Network | None,
    buckets: Buckets | None,
    customize: Mapping[str, Mapping[str, Any]] | None,
) -> Caller:
    """The run-time values of a component that has machines.

    Raises:
        InputError: a bucket is something else than a bucket.
    """
    stood = {} if buckets is None else buckets
    return Caller(
        parent=parent,
        network=network,
        buckets=physical(name, stood),
        keys={
            key: bucket.key_id
            for key, bucket in stood.items()
            if isinstance(bucket, DataBucket) and bucket.key_id is not None
        },
        customize=customize or {},
    )


def physical(name: str, buckets: Any) -> dict[str, pulumi.Input[str]]:
    """The buckets' names in the cloud, by the names that `data` and `checkpoints` use.

    Raises:
        InputError: some are neither a bucket nor a name.
    """
    if not isinstance(buckets, Mapping):
        problem = _problem((name, "buckets"), buckets, f"a mapping; its values: {ACCEPTED}")
        raise InputError([problem])
    names = {
        key: bucket.bucket_name if isinstance(bucket, DataBucket) else bucket
        for key, bucket in buckets.items()
    }
    problems = [
        _problem((name, "buckets", str(key)), output, ACCEPTED)
        for key, output in names.items()
        if not isinstance(output, str | pulumi.Output | Awaitable)
    ]
    if problems:
        raise InputError(problems)
    return names


def _problem(place: tuple[str, ...], value: Any, allowed: str) -> Problem:
    fix = (
        "pass its name, for example your_bucket.bucket"
        if isinstance(value, pulumi.Resource)
        else ""
    )
    return Problem(
        message=f"{place[0]}: {'.'.join(place[1:])} does not accept {type(value).__name__}",
        path=place,
        allowed=allowed,
        fix=fix,
    )
