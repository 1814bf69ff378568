"""The outbound paths of machines: to the internet, and to Google's own services."""

import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.launch.launch_settings import scripts_of
from gpuinfra.clouds.gcp.observe.network import traffic
from gpuinfra.clouds.gcp.observe.network.addresses import public_address
from gpuinfra.clouds.gcp.observe.network.firewall_targets import FirewallTargets
from gpuinfra.clouds.gcp.observe.network.nat import gateways_of, serves
from gpuinfra.clouds.gcp.observe.network.networks import ObservedInterface, Vpc, resources_on
from gpuinfra.clouds.observing.address_ranges import read_range
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import any_of, as_list, equals, flag, text
from gpuinfra.model import Known, Resource

HTTPS: Final = 443
_MANUAL: Final = "MANUAL_ONLY"
_AUTO_RANGE: Final = IPv4Network("10.128.0.0/9")
"""The range of the subnets of an auto mode network, which no other subnet of it may overlap:
https://docs.cloud.google.com/vpc/docs/subnets#ip-ranges"""

_INSTALL: Final = re.compile(
    r"^[^#]*\b(?:apt|apt-get|dnf|yum|pip|pip3|conda)\s[^#]*?\b(?:install|update)\b(?P<rest>.*)"
)
_PRINTED: Final = re.compile(
    r"""^\s*(?:echo|printf)\b(?:"[^"]*"|'[^']*'|[^;&|"'\n])*""", re.MULTILINE
)
_HERE_DOCUMENT: Final = re.compile(
    r"""^(?![ \t]*#)(?P<command>.*(?<!<)<<(?!<)-?[ \t]*"""
    r"""(?P<quote>["']?)(?P<end>\w+)(?P=quote).*)\n"""
    r"""(?:[^\n]*\n)*?[ \t]*(?P=end)[ \t]*$""",
    re.MULTILINE,
)
_SHELL: Final = re.compile(
    r"(?:^|[\s|;&(/])(?:(?:ba|da|k|z)?sh|su|chroot|sudo(?:\s+-u\s+\S+)?\s+-\w*[is]\w*)(?=\s|$)"
)
"""A here-document is data, unless it is a shell that reads it, or a file that is run afterwards:
https://www.gnu.org/software/bash/manual/html_node/Redirections.html#Here-Documents"""
_WRITTEN: Final = re.compile(r"(?:(?<!<)>{1,2}|\btee\b(?:\s+-\w+)*)\s*[\"']?([^\s\"'|;&<>]+)")
_RUN: Final = (
    r"(?:^|[;&|])[ \t]*(?:(?:sudo|exec|nohup|time|source|\.|\S*\b(?:ba|da|k|z)?sh|-\S+)[ \t]+)*"
)
_COMMAND_ENDS: Final = re.compile(r"\n|;|&&|\||\s[\d&]?>")
_OFFLINE: Final = re.compile(
    r"--(?:no-index|offline)\b|--disablerepo[= ][\"']?(?:\*|all\b)|Dir::Etc"
)
"""What keeps one command from the public mirrors (*unverified*: the pages were not re-read):
https://pip.pypa.io/en/stable/cli/pip_install/#cmdoption-no-index
https://docs.conda.io/projects/conda/en/stable/commands/install.html
https://dnf.readthedocs.io/en/latest/command_ref.html"""
_OWN_MIRROR: Final = re.compile(
    r"https?_proxy|Acquire::|index-url|PIP_INDEX_URL|PIP_NO_INDEX|pkg\.dev", re.IGNORECASE
)
"""What leads the programs that install packages to another place than a public mirror. Artifact
Registry, on pkg.dev, is a service of Google's own (*unverified*: the page was not re-read):
https://docs.cloud.google.com/artifact-registry/docs/os-packages/debian/configure"""

_ROUTE: Final = "gcp:compute/route:Route"
_OTHER_WAYS: Final = (
    "gcp:compute/networkPeering:NetworkPeering",
    "gcp:compute/vPNTunnel:VPNTunnel",
    "gcp:compute/interconnectAttachment:InterconnectAttachment",
    "gcp:networkconnectivity/spoke:Spoke",
    "gcp:networkservices/gateway:Gateway",
)
"""What may lead out of a network beside a NAT, for example through a proxy or another network:
https://docs.cloud.google.com/vpc/docs/routes"""


def outbound_remarks(
    launch: LaunchSources,
    interface: ObservedInterface,
    targets: FirewallTargets,
    region: str,
    index: Index,
) -> Iterator[Remark]:
    """Yield the outbound paths of a machine's first interface, and those that are blocked.

    It yields nothing for a network outside of the stack.
    """
    if not isinstance(interface.vpc, Vpc) or interface.vpc.resource is None:
        return
    if traffic.lets_through(interface.vpc, "EGRESS", HTTPS, None, targets, index) is False:
        yield False, f"no firewall of {interface.vpc.name} allows outbound HTTPS (TCP 443)"
    public = public_address(launch)
    if public is True:
        yield True, "the internet through a public address"
    gateways = gateways_of(interface.vpc, region, index)
    to_internet = (gateway for gateway in gateways if not _is_private(gateway))
    has_nat = any_of(serves(gateway, interface) for gateway in to_internet)
    for resource in gateways:
        yield from _nat_address_faults(resource, index)
    if interface.subnet is not None:
        closed = _has_no_egress(public, has_nat, interface.vpc, index)
        yield from _google_api_remarks(interface.subnet, closed)
        if closed and _installs_packages(launch):
            words = "its start-up script installs packages"
            yield False, f"{words}, and {interface.subnet.name} has no NAT to the internet"


def refused_of(interface: ObservedInterface) -> Iterator[Remark]:
    """Yield the settings of an interface's subnet that its network refuses."""
    network = interface.vpc.resource if isinstance(interface.vpc, Vpc) else None
    subnet = interface.subnet
    if network is None or subnet is None:
        return
    automatic = flag(network.inputs.get("autoCreateSubnetworks"))
    subnet_range = read_range(subnet.inputs.get("ipCidrRange"))
    if subnet.inputs.get("ipCidrRange") is None and not _has_range(subnet):
        yield False, f"the subnet {subnet.name} has no address range"
    if (
        automatic in (None, True)
        and isinstance(subnet_range, IPv4Network)
        and subnet_range.overlaps(_AUTO_RANGE)
    ):
        overlap_text = (
            f"creates subnets automatically in {_AUTO_RANGE}, which overlaps {subnet.name}"
        )
        yield (
            False,
            f"the network {network.name} {overlap_text}: set auto_create_subnetworks to false",
        )


def _has_range(subnet: Resource) -> bool:
    """Return whether a subnet gets its range in another way, or has no IPv4 range."""
    keys = ("reservedInternalRange", "ipCollection")
    return any(subnet.inputs.get(key) is not None for key in keys) or (
        text(subnet.inputs.get("stackType")) == "IPV6_ONLY"
    )


def _nat_address_faults(nat: Resource, index: Index) -> Iterator[Remark]:
    """Yield the faults of a NAT's own addresses, where it is set to use some.

    https://docs.cloud.google.com/compute/docs/reference/rest/v1/routers
    """
    option, addresses = nat.inputs.get("natIpAllocateOption"), nat.inputs.get("natIps")
    if _is_private(nat):
        return
    if option is None and addresses is None:
        yield False, f"the NAT {nat.name} has no addresses, and is not set to allocate any"
    elif option == _MANUAL and addresses is not None and not as_list(addresses):
        yield False, f"the NAT {nat.name} has no address: name some in nat_ips"
    elif option == _MANUAL and addresses is None:
        yield False, f"the NAT {nat.name} uses manual addresses, and names none"
    elif option != _MANUAL and as_list(addresses) and equals(option, _MANUAL) is False:
        yield (
            False,
            (
                f"the NAT {nat.name} names addresses,"
                f" which Google Cloud accepts only with {_MANUAL}"
            ),
        )
    else:
        targets = index.targets(nat, "natIps", resource_types.ADDRESS)
        internal = [
            resource
            for resource in targets.certain
            if resource.inputs.get("addressType") == "INTERNAL"
        ]
        for address in internal:
            yield False, f"the NAT {nat.name} has the address {address.name}, which is internal"
        if not internal:
            yield True, f"the internet through the NAT {nat.name}"


def _installs_packages(launch: LaunchSources) -> bool:
    """Return whether a start-up script surely installs packages from a public mirror.

    Private Google Access reaches Google's own services alone:
    https://docs.cloud.google.com/vpc/docs/private-google-access
    """
    scripts = [script for script in scripts_of(launch) if isinstance(script, str)]
    return any(map(_downloads, scripts)) and not any(map(_OWN_MIRROR.search, scripts))


def _downloads(script: str) -> bool:
    """Return whether a command of a script names packages, and not files of the machine alone."""
    text_of_commands = _HERE_DOCUMENT.sub(_without_data, script.replace("\\\n", " "))
    commands = _COMMAND_ENDS.split(_PRINTED.sub("", text_of_commands))
    installs = (_INSTALL.match(each) for each in commands if not _OFFLINE.search(each))
    return any(not _is_of_files(each["rest"].split()) for each in installs if each)


def _without_data(document: re.Match[str]) -> str:
    """Return a command without the here-document that it reads, unless a shell runs that."""
    command, later = document["command"], document.string[document.end() :]
    is_run = _SHELL.search(command) or any(
        re.search(rf"{_RUN}[\"']?{re.escape(path)}(?=[\s\"';&|]|$)", later, re.MULTILINE)
        for path in _WRITTEN.findall(command)
    )
    return document[0] if is_run else command


def _is_of_files(words: Sequence[str]) -> bool:
    """Return whether what is installed are files by their paths; lists of packages are not."""
    packages = [word.strip("\"'") for word in words if not word.startswith("-")]
    is_list = any(word.startswith(("-r", "--requirement", "--file")) for word in words)
    return bool(packages) and not is_list and all(word.startswith("/") for word in packages)


def _leads_elsewhere(index: Index) -> bool:
    """Return whether a network of the stack may have a way out other than a NAT."""
    return any(map(index.of_kind, _OTHER_WAYS)) or any(
        route.inputs.get("nextHopGateway") is None for route in index.of_kind(_ROUTE)
    )


def _is_private(nat: Resource) -> bool:
    """Return whether a NAT leads to other networks alone, and not to the internet.

    https://docs.cloud.google.com/nat/docs/private-nat
    """
    return text(nat.inputs.get("type")) == "PRIVATE"


def _has_no_egress(public: Known, has_nat: Known, vpc: Vpc, index: Index) -> bool:
    """Return whether machines surely have no address, no NAT of this stack and no other route."""
    routers = resources_on(vpc, resource_types.ROUTER, index)
    routers_are_known = index.memo(
        "each NAT names its router",
        lambda: all(
            index.targets(resource, "router", resource_types.ROUTER).exact
            for resource in index.of_kind(resource_types.NAT)
        ),
    )
    return (
        public is False
        and has_nat is False
        and routers.complete
        and routers_are_known
        and not index.memo(_leads_elsewhere, lambda: _leads_elsewhere(index))
    )


def _google_api_remarks(subnet: Resource, closed: bool) -> Iterator[Remark]:
    """Yield the path to Google's APIs for storage, logs and registries, or its absence.

    A NAT switches Private Google Access on for all subnets that it serves:
    https://docs.cloud.google.com/nat/docs/nat-product-interactions#interactions-pga
    """
    direct = flag(subnet.inputs.get("privateIpGoogleAccess"))
    if not closed or direct is True:
        yield True, "Google APIs through Private Google Access"
    elif direct in (None, False):
        missing = "no public addresses, no NAT, and no Private Google Access"
        yield False, f"the subnet {subnet.name} has no outbound route: {missing}"
