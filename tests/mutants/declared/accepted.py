"""Mutants that need no judge: what is said for people only, or does the same either way."""

from fnmatch import fnmatchcase
from typing import Final

from tests.mutants.declared.changes import Mutant

_TUNING: Final = "how long, how often or how much: each value near it works, and is a choice"
_PEOPLE: Final = "told to people only"
_PROVIDER: Final = "without it the provider's own region holds, which is the stack's"
_LABELS: Final = "labels of what costs nothing itself; owner-label judges machines and data"
_DEFAULT: Final = "dropped, the cloud's default is the same"

ACCEPTED: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("*", "tags*", "*", _LABELS),
    ("*", "*.tags*", "*", _LABELS),
    ("*", "tagSpecifications*", "*", _LABELS),
    ("*", "labels*", "*", _LABELS),
    ("*", "*.labels*", "*", _LABELS),
    ("*", "*abel", "misspelt", _PEOPLE),
    ("*", "description", "*", _PEOPLE),
    ("*", "*.description", "*", _PEOPLE),
    ("*", "displayName", "*", _PEOPLE),
    ("aws:*", "name", "*", _PEOPLE),
    ("aws:*", "region", "dropped", _PROVIDER),
    ("gcp:*", "region", "dropped", _PROVIDER),
    ("*", "*.Version", "*", "policies without variables mean the same in the older language"),
    ("*", "*.Sid", "*", _PEOPLE),
    ("*", "*.id", "misspelt", _PEOPLE),
    ("*:TargetGroup", "healthCheck.*", "number", _TUNING),
    ("*:TargetGroup", "deregistrationDelay", "*", _TUNING),
    ("*:Group", "healthCheckGracePeriod", "*", _TUNING),
    ("*:Group", "instanceRefresh*", "number", _TUNING),
    ("*:Group", "waitForCapacityTimeout", "*", _TUNING),
    ("*:LifecycleHook", "heartbeatTimeout", "number", _TUNING),
    ("aws:autoscaling/policy:Policy", "*", "number", _TUNING),
    ("*", "*threshold", "number", _TUNING),
    ("*", "*hreshold", "number", _TUNING),
    ("*", "*Warmup", "*", _TUNING),
    ("*", "*eriod*", "number", _TUNING),
    ("*", "*imeout*", "number", _TUNING),
    ("*", "*nterval*", "number", _TUNING),
    ("*", "*etention*", "number", _TUNING),
    ("*", "*ays*", "number", _TUNING),
    ("*", "*.age", "number", _TUNING),
    ("*", "*daysSince*", "number", _TUNING),
    (
        "aws:ec2/launchTemplate:LaunchTemplate",
        "networkInterfaces.networkCardIndex",
        "dropped",
        _DEFAULT,
    ),
    (
        "aws:ec2/launchTemplate:LaunchTemplate",
        "networkInterfaces.deviceIndex",
        "dropped",
        _DEFAULT,
    ),
    ("aws:ec2/launchTemplate:LaunchTemplate", "metadataOptions.httpEndpoint", "dropped", _DEFAULT),
    ("aws:ec2/launchTemplate:LaunchTemplate", "*.spotInstanceType", "dropped", _DEFAULT),
    ("aws:ec2/subnet:Subnet", "mapPublicIpOnLaunch", "dropped", _DEFAULT),
    ("aws:ec2/vpc:Vpc", "enableDnsSupport", "dropped", _DEFAULT),
    ("aws:lb/targetGroup:TargetGroup", "targetType", "dropped", _DEFAULT),
    ("aws:lb/loadBalancer:LoadBalancer", "loadBalancerType", "dropped", _DEFAULT),
    ("aws:lb/listener:Listener", "protocol", "dropped", _DEFAULT),
)
"""Type, field and kind of mutation as patterns, and the reason."""


def reason(mutant: Mutant) -> str:
    """Why nobody has to notice a mutant; empty where somebody has to."""
    for type_, field, kind, why in ACCEPTED:
        named = zip((mutant.type, mutant.field, mutant.kind), (type_, field, kind), strict=True)
        if all(fnmatchcase(value, pattern) for value, pattern in named):
            return why
    return ""
