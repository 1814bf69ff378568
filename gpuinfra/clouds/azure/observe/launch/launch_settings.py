"""The launch settings of machines: their own inputs, or the model of a scale set or fleet."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import any_of, as_list, at, is_present
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

_PATHS: Final[dict[str, tuple[str, ...]]] = {
    resource_types.SCALE_SET: ("virtualMachineProfile",),
    resource_types.FLEET: ("computeProfile", "baseVirtualMachineProfile"),
}
"""The path of the model of a machine; a machine is its own."""

_ADDRESSES: Final = ("publicIPAddress", "publicIPAddressConfiguration")
"""An address that exists, and one that is made with the machine."""

_BALANCER_POOL_KEYS: Final = (
    "loadBalancerBackendAddressPools",
    "applicationGatewayBackendAddressPools",
)


@record(kw_only=False)
class Reference:
    """A value that refers to something, with its resource and its input."""

    holder: Resource
    prop: str
    value: Any

    def targets(self, index: Index, kind: str) -> Targets:
        """Return the resources that the value refers to."""
        return index.targets(self.holder, self.prop, kind, [self.value])


@record(kw_only=False)
class Profile:
    """The settings of one resource for its machines.

    Attributes:
        resource: the machine, scale set or fleet.
        path: the path of its machine model; empty when it is the machine.
    """

    resource: Resource
    path: tuple[str, ...]

    def get(self, *keys: str) -> Any:
        """Return a value of the model; UNKNOWN below an unknown."""
        return at(self.resource.inputs, *self.path, *keys)

    def reference(self, *keys: str) -> Reference:
        """Return a value of the model as a reference, to look up its target."""
        prop = (*self.path, *keys)[0]
        return Reference(self.resource, prop, self.get(*keys))


@record(kw_only=False)
class ObservedInterface:
    """A network interface: a separate resource, or declared with its machine."""

    holder: Resource
    prop: str
    spec: Any

    def reference(self, key: str, value: Any) -> Reference:
        """Return a reference from this interface under the key."""
        return Reference(self.holder, self.prop or key, value)

    @property
    def addresses(self) -> tuple[Any, ...]:
        """Its IP configurations."""
        return as_list(at(self.spec, "ipConfigurations"))

    @property
    def firewall(self) -> Reference:
        """Its own network security group."""
        return self.reference("networkSecurityGroup", at(self.spec, "networkSecurityGroup", "id"))

    @property
    def subnets(self) -> tuple[Reference, ...]:
        """The subnets of its addresses."""
        return tuple(
            self.reference("ipConfigurations", at(address, "subnet", "id"))
            for address in self.addresses
        )

    @property
    def public(self) -> Known:
        """Whether one of its addresses is public."""
        return any_of(
            is_present(at(address, key)) for address in self.addresses for key in _ADDRESSES
        )

    @property
    def receives_requests(self) -> bool:
        """Whether a load balancer or gateway sends it requests."""
        return any(at(address, key) for address in self.addresses for key in _BALANCER_POOL_KEYS)


def profile_of(resource: Resource) -> Profile:
    """Return the settings of a machine, scale set or fleet for its machines."""
    return Profile(resource, _PATHS.get(resource_types.canonical(resource.type), ()))


def interfaces_of(profile: Profile, index: Index) -> tuple[ObservedInterface, ...] | Unknown:
    """Return the network interfaces of one machine; UNKNOWN when they can't be seen."""
    network = profile.get("networkProfile")
    declared_interfaces = at(network, "networkInterfaceConfigurations")
    interface_references = at(network, "networkInterfaces")
    if isinstance(declared_interfaces, Unknown) or isinstance(interface_references, Unknown):
        return UNKNOWN
    interfaces = list(_declared_interfaces(profile, as_list(declared_interfaces)))
    if interface_references is None:
        return tuple(interfaces)
    ids = [at(reference, "id") for reference in as_list(interface_references)]
    prop = (*profile.path, "networkProfile")[0]
    targets = index.targets(profile.resource, prop, resource_types.INTERFACE, ids)
    if not targets.exact:
        return UNKNOWN
    return (*interfaces, *(ObservedInterface(nic, "", nic.inputs) for nic in targets.certain))


def _declared_interfaces(
    profile: Profile, configurations: tuple[Any, ...]
) -> Iterator[ObservedInterface]:
    prop = (*profile.path, "networkProfile")[0]
    for configuration in configurations:
        interface_properties = at(configuration, "properties")
        yield ObservedInterface(
            profile.resource,
            prop,
            configuration if interface_properties is None else interface_properties,
        )
