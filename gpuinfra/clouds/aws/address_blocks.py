"""The address blocks that a network created by gpuinfra may have."""

from ipaddress import IPv4Network
from typing import Final

WIDEST: Final = 16
NARROWEST: Final = 22
"""Prefixes of a network of a workload's own: a VPC takes /16 to /28, and one longer than /22 is
too small for subnets in each zone:
https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
"""

PRIVATE: Final = tuple(
    IPv4Network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
)
"""https://www.rfc-editor.org/rfc/rfc1918#section-3"""

DOCKERS: Final = IPv4Network("172.17.0.0/16")
"""The bridge that Docker makes on every machine, and services of AWS use too:
https://docs.docker.com/engine/network/#subnet-allocation and
https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html"""


def cidr_fault(cidr: str) -> str:
    """Return why a workload's own network can't have this block; empty when it can."""
    try:
        block = IPv4Network(cidr)
    except ValueError:
        return "is not a network: it has bits set after its prefix, or a number above 255"
    if not WIDEST <= block.prefixlen <= NARROWEST:
        return f"has a prefix of /{block.prefixlen}; allowed: /{WIDEST} to /{NARROWEST}"
    if not any(block.subnet_of(network) for network in PRIVATE):
        return f"is not private; private are {', '.join(map(str, PRIVATE))}"
    if block.overlaps(DOCKERS):
        return f"overlaps {DOCKERS}, the Docker network of every machine"
    return ""
