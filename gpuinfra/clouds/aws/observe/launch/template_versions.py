"""Checks whether a reference to a launch template means the version whose inputs are known.

The program and the state have the inputs of one version, the latest. What AWS starts by default
is the template's default version, which stays at the first until it is moved:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/manage-launch-template-versions.html
"""

from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.observing.values import at, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown

_LATEST: Final = "$Latest"
_DEFAULT: Final = "$Default"
_FIRST_VERSION: Final = 1
_NO_VERSION: Final = frozenset(
    {"name", "namePrefix", "tags", "tagsAll", "region", "defaultVersion", "updateDefaultVersion"}
)
"""Inputs of which a change makes no further version:
https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/ec2_launch_template.go
(resourceLaunchTemplateUpdate)"""


def template_at_version(
    resource: Resource, prop: str, spec: Any, template: Resource
) -> Resource | str:
    """Return the template with the inputs of the referenced version, or why it is unknown.

    What an update replaces as the latest version is still known, by the inputs before it.

    Args:
        resource: that refers to the template.
        prop: its input that does.
        spec: the reference; without a version it means the template's default.
        template: the launch template.
    """
    version = at(spec, "version")
    is_default_version = version in (None, "", _DEFAULT)
    if is_default_version:
        version = _default(template)
    if version == _LATEST or (template.before is None and version == _version_reference(template)):
        return template
    if isinstance(version, Unknown) and not is_default_version:
        comes_from_it = template.urn in resource.relations.get(prop, ())
        makes_version = comes_from_it and _makes_version(template)
        return template if makes_version else _reason("a version not known yet")
    number = whole_number(version)
    if isinstance(number, int):
        template_before, latest = (
            template.before,
            whole_number(template.outputs.get("latestVersion")),
        )
        if template_before is not None and number == latest and _changes(template) is not False:
            return replace(template, inputs=template_before, before=None)
        if number in _latest(template):
            return template
    return _reason("the default version" if is_default_version else f"version {version}")


def _reason(version: str) -> str:
    return (
        f"it starts {version} of its launch template, but only the latest version is known; "
        f"set it to {_LATEST} or to the template's latestVersion"
    )


def _version_reference(template: Resource) -> Any:
    """Return the value that refers to a template version before it exists."""
    latest = template.outputs.get("latestVersion")
    return latest if isinstance(latest, str) else _LATEST


def _is_new(template: Resource) -> bool:
    return not isinstance(template.outputs.get("id"), str)


def _makes_version(template: Resource) -> bool:
    """Return whether the update may create a template version, whose number is not known yet."""
    latest = whole_number(template.outputs.get("latestVersion"))
    return _is_new(template) or isinstance(latest, Unknown) or template.before is not None


def _latest(template: Resource) -> frozenset[int]:
    """Return the possible numbers of the latest version; empty where it is not known."""
    if _is_new(template):
        return frozenset({_FIRST_VERSION})
    latest = whole_number(template.outputs.get("latestVersion"))
    if not isinstance(latest, int):
        return frozenset()
    numbers = {False: {latest}, True: {latest + 1}, UNKNOWN: {latest, latest + 1}}
    return frozenset(numbers[_changes(template)])


def _changes(template: Resource) -> bool | Unknown:
    """Return whether the update changes the launch settings of machines."""
    if template.before is None:
        return False
    keys = {*template.before, *template.inputs} - _NO_VERSION
    pairs = [(template.before.get(key), template.inputs.get(key)) for key in keys]
    changed_pairs = [pair for pair in pairs if pair[0] != pair[1]]
    if any(UNKNOWN not in pair for pair in changed_pairs):
        return True
    return UNKNOWN if changed_pairs else False


def _default(template: Resource) -> Any:
    """Return the version that a template starts by default: a number, or the latest."""
    if _is_new(template):
        return _FIRST_VERSION
    default = whole_number(template.outputs.get("defaultVersion"))
    if template.before is None and not isinstance(default, Unknown):
        return default
    if template.inputs.get("updateDefaultVersion") is True:
        return _LATEST
    default_version = whole_number(template.inputs.get("defaultVersion"))
    return default if default_version is None else default_version
