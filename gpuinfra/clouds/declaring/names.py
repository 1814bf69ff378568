"""Names of children: the same for the same things, and unique."""

import hashlib
from collections.abc import Sequence
from typing import Final

SUFFIX: Final = 8
"""What Pulumi appends to make a physical name of a logical one: a hyphen and seven digits."""

DIGITS: Final = 12


def digest(parts: Sequence[str]) -> str:
    """Return hexadecimal digits that identify these parts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:DIGITS]


def logical(name: str, name_part: str, limit: int | None = None) -> str:
    """Return a child's logical name; for a limited physical name, the component's part is cut.

    A cut name carries a digest, so that two long names stay apart.
    """
    ending = f"-{name_part.replace('_', '-')}"
    if limit is None or len(name) + len(ending) <= limit - SUFFIX:
        return f"{name}{ending}"
    most_characters = limit - SUFFIX - len(ending) - SUFFIX
    return f"{name[:most_characters].rstrip('-')}-{digest([name])[: SUFFIX - 1]}{ending}"


def group_resource(workload: str) -> str:
    """Return the logical name of a workload's machines among the resources."""
    return logical(workload, "group")


def bucket_resource(bucket: str) -> str:
    """Return the logical name of a bucket among the resources.

    Its copy and its log are called bucket/copy or bucket/log.
    """
    name, _, folder = bucket.partition("/")
    return logical(name, f"bucket-{folder}" if folder else "bucket")


def replica_name(bucket: str) -> str:
    """Return the name of a bucket's copy in a second region, invalid for a file's bucket."""
    return f"{bucket}/replica"


def logs_name(bucket: str) -> str:
    """Return the name of the bucket that stores another bucket's access logs."""
    return f"{bucket}/logs"
