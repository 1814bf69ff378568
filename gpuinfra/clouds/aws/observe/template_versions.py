"""Whether a reference to a launch template runs what the template's inputs declare.

Every change of a template makes a new version and keeps the old ones; a group on an older version
goes on starting what that one says:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/manage-launch-template-versions.html
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.observing.values import at, flag, whole
from gpuinfra.graph import Symbol
from gpuinfra.model import UNKNOWN, Resource, Unknown

LATEST: Final = "$Latest"
DEFAULT: Final = "$Default"
"""Taken where a reference names no version:
https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_LaunchTemplateSpecification.html"""

_OF_THE_TEMPLATE: Final = frozenset(
    {"name", "namePrefix", "tags", "tagsAll", "region", "defaultVersion", "updateDefaultVersion"}
)
"""Inputs whose change makes no version; every other is in one:
https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/ec2_launch_template.go"""
_FIRST: Final = 1
"""The version of a template that is not made yet."""
_OTHER: Final = (
    "it starts version {} of the launch template {}, and what is declared here may be another:"
    " name the version $Latest, or refer to the template's latestVersion"
)
_DEFAULT: Final = (
    "it starts the default version of the launch template {}, and what is declared here may be"
    " another: name the version $Latest, refer to the template's latestVersion, or set"
    " updateDefaultVersion on the template"
)
_LATER: Final = "the version of the launch template {} that it starts is not known yet"


def not_declared(spec: Any, template: Resource, related: Sequence[str]) -> str:
    """Say why a reference may start something else than the inputs declare; empty where not.

    Args:
        spec: the reference, of which `version` is read.
        template: what it refers to.
        related: the URNs that the input around the reference takes its values from.
    """
    version = at(spec, "version")
    if version in {None, "", DEFAULT}:
        return "" if _default_is_latest(template) else _DEFAULT.format(template.name)
    if isinstance(version, Unknown):
        # A number that only the update knows: the template's, where no other resource gives it.
        ours = template.urn in related and all(_is_template(urn) for urn in related)
        return "" if ours else _LATER.format(template.name)
    if version == LATEST or _is_latest(version, template):
        return ""
    return _OTHER.format(version, template.name)


def _is_template(urn: str) -> bool:
    return urn.split("::")[2].rpartition("$")[2] == "aws:ec2/launchTemplate:LaunchTemplate"


def _is_latest(version: Any, template: Resource) -> bool:
    """Whether a number is that of the newest version, as far as the template shows it."""
    latest = template.outputs.get("latestVersion")
    if isinstance(latest, Symbol) and str(version) == latest:
        return True
    number, known = whole(version), whole(latest)
    if not _stands(template):
        return number == _FIRST
    if not isinstance(number, int) or not isinstance(known, int):
        return False
    return number == (known + 1 if _changes(template) else known)


def _default_is_latest(template: Resource) -> bool:
    """Whether the default version is what the inputs declare."""
    if flag(template.inputs.get("updateDefaultVersion")) is True:
        return True
    stated = template.inputs.get("defaultVersion")
    if stated is not None:
        return _is_latest(stated, template)
    if not _stands(template):
        return True
    default = template.outputs.get("defaultVersion")
    return not isinstance(default, Unknown) and _is_latest(default, template)


def _stands(template: Resource) -> bool:
    """Whether a template was made before: until then it has one version, its default."""
    identity = template.outputs.get("id")
    return isinstance(identity, str) and not isinstance(identity, Symbol)


def _changes(template: Resource) -> bool:
    """Whether the inputs are not those of the version that the outputs tell."""
    return any(
        _differs(template.inputs.get(key), template.outputs[key])
        for key in {*template.inputs, *_DECIDING} - _OF_THE_TEMPLATE
        if key in template.outputs
    )


_DECIDING: Final = frozenset(
    {"instanceType", "instanceRequirements", "instanceMarketOptions", "imageId"}
)
"""What an input that was removed leaves in the outputs."""


def _differs(stated: Any, shown: Any) -> bool:
    """Whether an output is not what an input says; a default that the cloud adds is the same.

    A secret of a state is unknown on both sides, and the same.
    """
    if stated is UNKNOWN or shown is UNKNOWN:
        return stated is not shown
    if isinstance(stated, Mapping) and isinstance(shown, Mapping):
        return any(_differs(value, shown.get(key)) for key, value in stated.items())
    if isinstance(stated, list | tuple) and isinstance(shown, list | tuple):
        pairs = zip(stated, shown, strict=False)
        return len(stated) != len(shown) or any(_differs(one, other) for one, other in pairs)
    if not stated or not shown:
        return bool(stated) != bool(shown)
    return str(stated).lower() != str(shown).lower()
