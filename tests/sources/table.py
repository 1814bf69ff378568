"""The table over sources: which stacks, and what a source can't decide that another can."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from tests.sources.sources import Stack, changed, shipped, stranger

STACKS: Final = Path(__file__).parents[2] / "stacks"

STRANGERS: Final = (
    *("aws_efa_cluster", "aws_spot_service", "aws_node_group", "gcp_open_group"),
    *("azure_loose_set", "aws_hidden_environment", "scaled_site", "gpu_box", "azure_gpu_machine"),
)
"""Programs as strangers write them; the first six break rules of every family."""

SHIPPED: Final = (
    *("quickstart", "training", "research-aws", "startup-gcp"),
    *("enterprise-gcp", "enterprise-azure", "import-components"),
)


def _refused(document: dict[str, Any]) -> None:
    """Lower the cap, demand more spot, and take away what spot machines save their work with."""
    document["budget"]["per_hour"] = 0.5
    document.setdefault("rules", {})["spot-share"] = {"minimum": "99%"}
    (training,) = document["training"].values()
    training["capacity"] = ["spot"]
    del training["checkpoints"]


CHANGED: Final[Mapping[str, tuple[str, Callable[[dict[str, Any]], None]]]] = {
    "refused": ("quickstart", _refused),
}
"""Shipped stacks with changes in them that rules refuse."""

FAULTS: Final[Mapping[str, set[str]]] = {
    "aws_efa_cluster": {
        *("fabric-interfaces", "fabric-one-zone", "fabric-placement", "fabric-self-egress"),
        *("metadata-v2", "metadata-hop-limit", "disk-encrypted", "open-login"),
        *("secret-in-script", "no-cap", "time-limit"),
    },
    "aws_spot_service": {
        *("spot-only-pool", "spot-allocation", "administrator-role", "wildcard-policy"),
        *("bucket-private", "bucket-tls", "bucket-versioned-expiry", "front-tls", "no-cap"),
    },
    "aws_node_group": {"administrator-role", "wildcard-policy", "no-cap"},
    "gcp_open_group": {
        *("administrator-role", "wildcard-policy", "open-login", "public-address"),
        *("bucket-private", "secret-in-script", "secure-boot", "no-cap"),
    },
    "azure_loose_set": {
        *("open-login", "public-address", "secret-in-script"),
        *("bucket-private", "bucket-tls", "secure-boot", "no-cap"),
    },
    "aws_hidden_environment": {"metadata-v2", "no-cap"},
    "refused": {"cap-per-hour", "spot-share", "spot-checkpoints"},
}
"""What is wrong with a stack, from every source but the stream, which may not relate it."""

UNSEEN: Final[Mapping[str, str]] = {
    "fabric-driver": "what is in an image is told by the catalog of a stack file's own images; "
    "a resource has an id that exists only once the image was looked up",
    "time-limit": "what a function does that a schedule calls is in no resource",
}
"""Rules that resources can't decide and a stack file can, with the fact that they don't show."""

_NAMES_ITS_TARGETS: Final = {
    *("administrator-role", "wildcard-policy", "long-lived-key", "secret-in-script"),
    "price-unknown",
}
"""Of a pool with spot machines on AWS, whose role and start-up script name its target group: what
the role lets start is in the same text."""

_NAMES_WHAT_ENDS_IT: Final = {"secret-in-output", "wildcard-policy", "price-unknown"}
"""Of a stack on AWS with a time to live, whose function's role names what it may end."""

LATER: Final[Mapping[str, set[str]]] = {
    **dict.fromkeys(("quickstart", *CHANGED), _NAMES_ITS_TARGETS | _NAMES_WHAT_ENDS_IT),
    "training": _NAMES_ITS_TARGETS | _NAMES_WHAT_ENDS_IT,
    "research-aws": _NAMES_WHAT_ENDS_IT,
    "aws_hidden_environment": {
        *("disk-encrypted", "metadata-hop-limit", "public-address", "secret-in-output"),
    },
    # Its start-up script names the identity that its machines get.
    "enterprise-azure": {"long-lived-key", "secret-in-script"},
}
"""Rules that the previews of a stack leave to what stands: the update writes the text that
decides, or the cloud says its own default."""

PREVIEWS: Final = frozenset({"digest", "program"})
"""Sources that show a stack before anything of it is made."""

UNSHOWN: Final = frozenset({("secret-in-output", "digest")})
"""Rules that say nothing of the stack itself in a source: a digest does not show its outputs.
`check` of the program does. What a rule says of resources, each source says."""


def disabled(name: str) -> set[str]:
    """The rules that a shipped stack file disables, which only it says."""
    file = STACKS / name / "stack.yaml"
    rules = YAML(typ="safe").load(file).get("rules", {}) if file.exists() else {}
    return {rule for rule, settings in rules.items() if settings.get("level") == "disabled"}


def stack(name: str, into: Path) -> Stack:
    """A stack of the table, in a folder of its own."""
    if name in STRANGERS:
        return stranger(name, into)
    if name in CHANGED:
        return changed(name, *CHANGED[name], into)
    return shipped(name, into)
