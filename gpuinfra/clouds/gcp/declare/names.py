"""Names that Google Cloud accepts: valid, the same for the same things, and unique."""

import re
from collections.abc import Sequence
from typing import Final

from gpuinfra.clouds.declaring.buckets import NameForm
from gpuinfra.clouds.declaring.names import DIGITS, digest

MAX_NAME_LENGTH: Final = 63
"""Characters of a name in Compute Engine:
https://docs.cloud.google.com/compute/docs/naming-resources"""

ACCOUNT: Final = 30
"""Characters of a service account's id:
https://docs.cloud.google.com/iam/docs/service-accounts-create"""

MACHINES: Final = 58
"""Characters of a group's base name, to which it adds a hyphen and four for each machine:
https://docs.cloud.google.com/compute/docs/reference/rest/v1/instanceGroupManagers"""

BUCKET: Final = 63
NOT_OURS: Final = re.compile("g[o0]{2}g")
"""A bucket's name neither holds the cloud's own name nor looks like it:
https://docs.cloud.google.com/storage/docs/buckets#naming"""

BUCKETS: Final = NameForm(
    pattern=re.compile(r"[a-z0-9](?:[a-z0-9._-]{1,61}|[a-z0-9._-]{1,220})[a-z0-9]"),
    cloud="Google Cloud",
    allowed="the bare name, a-z, 0-9, dots, hyphens and underscores; no gs:// address",
)


def bucket_name(stack: str, name: str, identity: Sequence[str]) -> str:
    """Return a bucket's globally unique physical name; `identity` distinguishes equal names.

    It is the stack's and the bucket's name, cut to what the cloud takes, and a digest of the
    whole.
    """
    readable = re.sub("[^a-z0-9]+", "-", f"{stack}-{name}".lower()).strip("-")
    shortened = NOT_OURS.sub("g-g", readable)[: BUCKET - DIGITS - 1].rstrip("-")
    return f"{shortened}-{digest([stack, name, *identity])}"


def machines_name(workload: str, suffix: str = "") -> str:
    """Return the prefix of the machines' names, from the workload and the pool part.

    Two long names may be cut alike: Google Cloud gives each machine four characters of its own.
    """
    kind = suffix.replace("_", "-")
    return f"{workload[: MACHINES - len(kind)].rstrip('-')}{kind}"
