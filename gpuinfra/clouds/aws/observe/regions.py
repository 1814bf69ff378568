"""Resources of one network in one region: EC2 finds nothing of another."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.model import Resource

_REGIONAL: Final = ("aws:ec2/", "aws:vpc/", "aws:lb/", "aws:autoscaling/")
_ACROSS: Final = ("Peering", "transitGateway", "TransitGateway", "copy", "Copy")
"""Services whose resources name others of their own region, and types that reach beyond it:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resources.html"""


def of_stack(machines: Resource, index: Index) -> Iterator[tuple[bool, str]]:
    """Yield resources that refer to one of another region, beside machines or for them."""
    found = index.once("regions", lambda: _by_parent(index))
    for words in found.get(machines.parent or "", ()):
        yield False, words


def _by_parent(index: Index) -> Mapping[str, Sequence[str]]:
    """What stands apart, by the component; one word for each resource."""
    named = {one.urn: one for one in index if _is_regional(one)}
    found: dict[str, list[str]] = {}
    for one in named.values():
        for urn in dict.fromkeys(to for urns in one.relations.values() for to in urns):
            other = named.get(urn)
            if other is not None and other.inputs["region"] != one.inputs["region"]:
                words = (
                    f"{one.name} in {one.inputs['region']} refers to {other.name} in"
                    f" {other.inputs['region']}"
                )
                found.setdefault(one.parent or "", []).append(words)
    return found


def _is_regional(resource: Resource) -> bool:
    return (
        resource.type.startswith(_REGIONAL)
        and isinstance(resource.inputs.get("region"), str)
        and not any(word in resource.type for word in _ACROSS)
    )
