"""What one machine is started with: an instance's own inputs over those of its launch template."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import amount, at, listed, text
from gpuinfra.model import UNKNOWN, Capacity, Resource, Unknown


@dataclass(frozen=True, slots=True)
class Launch:
    """The resources that say how a machine starts, the strongest first.

    Attributes:
        layers: an instance and its launch template, or the template alone.
        hidden: why a template that is referred to can't be read; empty when all is seen.
    """

    layers: tuple[Resource, ...]
    hidden: str = ""

    def get(self, key: str) -> Any:
        """Return an input of the strongest layer that has it; UNKNOWN where a hidden one may."""
        return self.stated(key)[1]

    def stated(self, key: str) -> tuple[Resource | None, Any]:
        """Return the layer that states an input, and its value."""
        for layer in self.layers:
            value = layer.inputs.get(key)
            if value is not None:
                return layer, value
        return None, UNKNOWN if self.hidden else None

    def targets(self, index: Index, key: str, kind: str, *path: str) -> Targets | None:
        """Return what an input refers to; None when it is not stated and none is hidden."""
        layer, value = self.stated(key)
        if layer is None:
            return None if value is None else Targets(complete=False)
        value = at(value, *path) if isinstance(value, Mapping) else value
        return None if value is None else index.targets(layer, key, kind, value)


@dataclass(frozen=True, slots=True)
class Market:
    """How a machine is bought, and the most a spot request may pay an hour (UNKNOWN: not yet)."""

    capacity: Capacity = "on-demand"
    max_price: Decimal | Unknown | None = None


def of_instance(resource: Resource, index: Index) -> Launch:
    """Return how an instance starts."""
    template = resource.inputs.get("launchTemplate")
    if template is None:
        return Launch((resource,))
    below = of_template(resource, "launchTemplate", template, index)
    return Launch((resource, *below.layers), below.hidden)


def of_template(resource: Resource, prop: str, spec: Any, index: Index) -> Launch:
    """Return how machines start from a template reference (`id`, `name` or the long spellings)."""
    wanted: Any = None
    for key in ("id", "launchTemplateId", "name", "launchTemplateName"):
        wanted = at(spec, key)
        if wanted is not None:
            break
    if wanted is None:
        return Launch((), "it names no launch template")
    found = index.targets(resource, prop, kinds.TEMPLATE, wanted)
    if found.exact and len(found.certain) == 1:
        return Launch(found.certain)
    if isinstance(wanted, Unknown):
        return Launch((), "its launch template is not known yet")
    return Launch((), f"its launch template {wanted} is not in this stack")


def market_of(launch: Launch) -> Market:
    """Return how a template or an instance asks to be bought."""
    options = launch.get("instanceMarketOptions")
    kind = at(options, "marketType")
    if kind == "spot" or (kind is None and at(options, "spotOptions") is not None):
        return Market("spot", amount(at(options, "spotOptions", "maxPrice")))
    if kind == "capacity-block":
        return Market("capacity-block")
    return Market()


def machine_of(launch: Launch) -> str | Unknown | None:
    """Return the machine type a template or instance names; None when it names none."""
    return text(launch.get("instanceType"))


def interfaces_of(launch: Launch) -> tuple[Any, ...] | Unknown:
    """Return the declared network interfaces; UNKNOWN when they can't be seen.

    An interface that exists already (networkInterfaceId) does not show its kind here.
    """
    nics = launch.get("networkInterfaces")
    if isinstance(nics, Unknown) or launch.get("primaryNetworkInterface") is not None:
        return UNKNOWN
    existing = any(at(nic, "networkInterfaceId") is not None for nic in listed(nics))
    return UNKNOWN if existing else listed(nics)


def security_groups(launch: Launch, index: Index, nic: Any = None) -> Targets:
    """Return the security groups of one interface, or of the machine where it declares none."""
    layer, nics = launch.stated("networkInterfaces")
    groups = at(nic, "securityGroups")
    if layer is not None and groups is not None:
        return index.targets(layer, "networkInterfaces", kinds.SECURITY_GROUP, groups)
    if isinstance(nics, Unknown) and layer is not None:
        return index.targets(layer, "networkInterfaces", kinds.SECURITY_GROUP, UNKNOWN)
    for key in ("vpcSecurityGroupIds", "securityGroups", "securityGroupNames"):
        found = launch.targets(index, key, kinds.SECURITY_GROUP)
        if found is not None:
            return found
    return Targets(complete=False)
