"""What a script mounts of buckets, against the roles that its machines have there."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from gpuinfra.graph import Resource, Symbol
from tests.witnesses import values
from tests.witnesses.aws.stack import Stack, each

MOUNT: Final = re.compile(r"^mount_bucket \S+ '?([^'\s]+)'? (\S+) (read|write)$", re.MULTILINE)
ROLES: Final = {
    "read": frozenset({"roles/storage.objectViewer", "roles/storage.objectUser"}),
    "write": frozenset({"roles/storage.objectUser"}),
}
"""The narrowest predefined roles:
https://docs.cloud.google.com/storage/docs/access-control/iam-roles"""

OBJECTS: Final = re.compile(r'/objects/([^"]*)"')


class Mount(NamedTuple):
    """A part of a bucket, and what is done with it."""

    bucket: str
    prefix: str
    use: str


def complaints(stack: Stack) -> Iterator[str]:
    """Mounts without a role, and roles that are wider than every mount, or without one."""
    grants = list(stack.of("BucketIAMMember"))
    mounts: dict[str, list[Mount]] = {}
    for template, inputs in stack.of("InstanceTemplate"):
        account = stack.named(next(each(inputs, "serviceAccount.email"), None))
        own_mounts = [
            Mount(bucket, prefix.strip("'"), use)
            for bucket, prefix, use in MOUNT.findall(str(inputs.get("metadataStartupScript")))
        ]
        if account is None:
            continue
        mounts.setdefault(account.key, []).extend(own_mounts)
        own = [inputs for _, inputs in grants if stack.named(inputs.get("member")) is account]
        for mount in own_mounts:
            if not any(_lets(inputs, mount) for inputs in own):
                what = f"{mount.use} {mount.prefix} of {mount.bucket}"
                yield f"{template.key}: nothing lets it {what}"
    for grant, grant_inputs in grants:
        account = stack.named(grant_inputs.get("member"))
        if account is not None and account.key in mounts:
            yield from _wide(grant, grant_inputs, mounts[account.key])


def _lets(inputs: dict[str, Any], mount: Mount) -> bool:
    opened = _prefix(inputs)
    return (
        _bucket(inputs) == mount.bucket
        and inputs.get("role") in ROLES[mount.use]
        and (opened is None or mount.prefix.startswith(opened))
    )


def _wide(grant: Resource, inputs: dict[str, Any], mounts: list[Mount]) -> Iterator[str]:
    there = [mount for mount in mounts if mount.bucket == _bucket(inputs)]
    if not there:
        yield f"{grant.key}: nothing mounts its bucket"
    elif _prefix(inputs) is None and all(mount.prefix for mount in there):
        yield f"{grant.key}: it opens the whole bucket, of which parts are mounted"


def _bucket(inputs: dict[str, Any]) -> str:
    """A bucket as scripts have it: by its name, or the symbol of one that is made with them."""
    bucket = inputs.get("bucket")
    return str(Symbol(bucket.ref)) if isinstance(bucket, values.Output) else str(bucket)


def _prefix(inputs: dict[str, Any]) -> str | None:
    """What the names of the opened objects begin with; None for all of them."""
    expression = next(each(inputs, "condition.expression"), None)
    if expression is None:
        return None
    match = OBJECTS.search(str(expression))
    return match[1] if match else "?"
