"""The rules whose faults each cloud's observers report.

A fault is `model.Fault`; what is listed here and has none was looked at and is fine. What is not
listed is no setting of that cloud, or is a rule of the plan's numbers.
"""

from collections.abc import Mapping
from typing import Final

_EVERYWHERE: Final = frozenset(
    {
        *("disk-limits", "scaling-settings", "shared-storage-settings", "spot-settings"),
        *("valid-names", "wildcard-policy"),
    }
)

JUDGED_RULES: Final[Mapping[str, frozenset[str]]] = {
    "aws": _EVERYWHERE.union(
        ("bucket-safeguards", "capacity-block", "fabric-cards", "fabric-interfaces"),
        ("launch-settings", "machine-upkeep", "network-access", "pool-maximum"),
        ("resource-settings",),
    ),
    "gcp": _EVERYWHERE.union(
        ("bucket-safeguards", "fabric-interfaces", "fabric-networks", "fabric-placement"),
        ("flex-start", "launch-settings", "login-identity", "machine-upkeep", "network-access"),
    ),
    "azure": _EVERYWHERE.union(
        ("bucket-safeguards", "eviction-policy", "fabric-scale-set", "launch-settings"),
        ("machine-upkeep", "network-access", "password-login"),
    ),
}
"""The ids of rules by cloud."""

PARTLY_JUDGED_RULES: Final[Mapping[str, frozenset[str]]] = {
    "aws": frozenset({"disk-encrypted", "force-destroy", "login-identity", "metadata-v2"})
}
"""Rules of which a cloud's observers report some faults: no fault does not mean fine."""


def judges(cloud: str, rule: str) -> bool:
    """Return whether a cloud's observers look for what a rule reports."""
    return rule in JUDGED_RULES.get(cloud, ())
