"""The validation of a component's run-time values: buckets, network, custom arguments."""

from collections.abc import Awaitable, Mapping
from typing import Any, Final

import pulumi

from gpuinfra.clouds.supported_keys import accepts
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.caller import CallerInputs
from gpuinfra.components.network import Network
from gpuinfra.errors import InputError, Problem, unknown_word
from gpuinfra.records import record

Buckets = Mapping[str, DataBucket | pulumi.Input[str]]
Keys = Mapping[str, pulumi.Input[str]]

BUCKET_FORMS: Final = "a DataBucket, a bucket's name in the cloud, or an output that is one"


_RUN_TIME_HINTS: Final = {
    "buckets": "pass its name, for example your_bucket.bucket",
    "keys": "pass its ARN, for example your_key.arn",
}


@record
class PassedValues:
    """The run-time arguments of a component with machines."""

    network: Network | None
    buckets: Buckets | None
    keys: Keys | None
    customize: Mapping[str, Mapping[str, Any]] | None


def caller_of(
    parent: pulumi.Resource, name: str, cloud: str, passed: PassedValues
) -> CallerInputs:
    """Return the run-time values of a component that has machines.

    Raises:
        InputError: a bucket is something else than a bucket, or a key is of none.
    """
    passed_buckets = {} if passed.buckets is None else passed.buckets
    buckets = physical(name, passed_buckets)
    own_keys = {
        key: bucket.key_id
        for key, bucket in passed_buckets.items()
        if isinstance(bucket, DataBucket) and bucket.key_id is not None
    }
    return CallerInputs(
        parent=parent,
        network=passed.network,
        buckets=buckets,
        keys={**own_keys, **keys_of(name, cloud, passed_buckets, passed.keys)},
        customize=passed.customize or {},
    )


def keys_of(name: str, cloud: str, buckets: Buckets, keys: Any) -> Keys:
    """Return the keys of buckets that are passed by name, by the same names.

    Raises:
        InputError: one is no key, or belongs to no bucket that needs one.
    """
    if keys is None:
        return {}
    if not isinstance(keys, Mapping):
        allowed = "a mapping; its values: a key's ARN, or an output that is one"
        raise InputError([_problem((name, "keys"), keys, allowed)])
    problems = [
        problem
        for bucket, key in keys.items()
        if (problem := _fault_of_key((name, "keys", str(bucket)), cloud, buckets, key))
    ]
    if problems:
        raise InputError(problems)
    return dict(keys)


def _fault_of_key(
    key_path: tuple[str, ...], cloud: str, buckets: Buckets, key: Any
) -> Problem | None:
    """Return the problem of a bucket's key; None if it is valid."""
    name, bucket = key_path[0], key_path[-1]
    if not accepts(cloud, "encryption"):
        return Problem(
            message=f"{name}: keys is not used on {cloud}",
            path=key_path,
            fix="remove keys; the storage service uses the key for the machines",
        )
    if bucket not in buckets:
        message = f"{name}: keys names the bucket {bucket!r}, which is not passed"
        return unknown_word(message, bucket, buckets, key_path)
    if isinstance(buckets[bucket], DataBucket):
        return Problem(
            message=f"{name}: the DataBucket {bucket!r} has its key with it",
            path=key_path,
            fix="remove it from keys",
        )
    if isinstance(key, str) and not key.startswith("arn:"):
        return Problem(
            message=f"{name}: keys.{bucket} is not the ARN of a key",
            path=key_path,
            value=repr(key),
            allowed="arn:aws:kms:…:key/…",
            fix="pass its ARN, for example your_key.arn",
        )
    if not isinstance(key, str | pulumi.Output | Awaitable):
        return _problem(key_path, key, "a key's ARN, or an output that is one")
    return None


def physical(name: str, buckets: Any) -> dict[str, pulumi.Input[str]]:
    """Return the buckets' names in the cloud, by the names that `data` and `checkpoints` use.

    Raises:
        InputError: some are neither a bucket nor a name.
    """
    if not isinstance(buckets, Mapping):
        problem = _problem((name, "buckets"), buckets, f"a mapping; its values: {BUCKET_FORMS}")
        raise InputError([problem])
    names = {
        key: bucket.bucket_name if isinstance(bucket, DataBucket) else bucket
        for key, bucket in buckets.items()
    }
    problems = [
        _problem((name, "buckets", str(key)), output, BUCKET_FORMS)
        for key, output in names.items()
        if not isinstance(output, str | pulumi.Output | Awaitable)
    ]
    if problems:
        raise InputError(problems)
    return names


def _problem(key_path: tuple[str, ...], value: Any, allowed: str) -> Problem:
    fix = _RUN_TIME_HINTS[key_path[1]] if isinstance(value, pulumi.Resource) else ""
    return Problem(
        message=f"{key_path[0]}: {'.'.join(key_path[1:])} does not accept {type(value).__name__}",
        path=key_path,
        allowed=allowed,
        fix=fix,
    )
