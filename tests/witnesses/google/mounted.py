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
        found = [
            Mount(bucket, prefix.strip("'"), use)
            for bucket, prefix, use in MOUNT.findall(str(inputs.get("metadataStartupScript")))
        ]
        if account is None:
            continue
        mounts.setdefault(account.key, []).extend(found)
        own = [said for _, said in grants if stack.named(said.get("member")) is account]
        for one in found:
            if not any(_lets(said, one) for said in own):
                yield f"{template.key}: nothing lets it {one.use} {one.prefix} of {one.bucket}"
    for grant, said in grants:
        account = stack.named(said.get("member"))
        if account is not None and account.key in mounts:
            yield from _wide(grant, said, mounts[account.key])


def _lets(said: dict[str, Any], mount: Mount) -> bool:
    opened = _prefix(said)
    return (
        _bucket(said) == mount.bucket
        and said.get("role") in ROLES[mount.use]
        and (opened is None or mount.prefix.startswith(opened))
    )


def _wide(grant: Resource, said: dict[str, Any], mounts: list[Mount]) -> Iterator[str]:
    there = [one for one in mounts if one.bucket == _bucket(said)]
    if not there:
        yield f"{grant.key}: nothing mounts its bucket"
    elif _prefix(said) is None and all(one.prefix for one in there):
        yield f"{grant.key}: it opens the whole bucket, of which parts are mounted"


def _bucket(said: dict[str, Any]) -> str:
    """A bucket as scripts have it: by its name, or the symbol of one that is made with them."""
    bucket = said.get("bucket")
    return str(Symbol(bucket.ref)) if isinstance(bucket, values.Output) else str(bucket)


def _prefix(said: dict[str, Any]) -> str | None:
    """What the names of the opened objects begin with; None for all of them."""
    expression = next(each(said, "condition.expression"), None)
    if expression is None:
        return None
    found = OBJECTS.search(str(expression))
    return found[1] if found else "?"
