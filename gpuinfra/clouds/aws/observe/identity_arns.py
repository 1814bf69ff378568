"""The ARNs of the identities and policies of the stack, made already or not."""

from typing import Final

from gpuinfra.clouds.observing.name_patterns import PROBE_NAME, matches_pattern
from gpuinfra.model import Resource

_FIELDS: Final = 6
_ANYWHERE: Final = ("arn", "aws", "iam", "", PROBE_NAME, "")
"""The fields of an ARN of an account that no pattern names."""


def matches_identity(pattern: str, identity: Resource, kind: str = "role") -> bool:
    """Return whether a pattern matches an ARN, which ends in the kind, the path and the name.

    The account of an identity that is not made yet may be the pattern's:
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
    """
    arn = identity.outputs.get("arn")
    if isinstance(arn, str):
        return matches_pattern(pattern, arn)
    parts = pattern.split(":", _FIELDS - 1)
    _, partition, _, _, account, _ = parts if len(parts) == _FIELDS else _ANYWHERE
    name = identity.inputs.get("name") or f"{identity.inputs.get('namePrefix') or ''}{PROBE_NAME}"
    path = identity.inputs.get("path") or "/"
    if not isinstance(name, str) or not isinstance(path, str):
        name, path = PROBE_NAME, "/"
    own = f"arn:{partition}:iam::{identity.account or account}:{kind}{path}{name}"
    return matches_pattern(pattern, own)
