"""`network`: the user's own network, by its ids, or the settings of a new one."""

from collections.abc import Mapping
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from gpuinfra.records import record
from gpuinfra.specs import values as v
from gpuinfra.specs.fields import input_error, text
from gpuinfra.specs.forms import Form, ListRule

_NAME: Final = r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PROJECT: Final = r"projects/[a-z][a-z0-9.:-]{4,61}[a-z0-9]"
_GROUP: Final = r"/subscriptions/[0-9A-Za-z-]+/resourceGroups/[^/]+"
_VIRTUAL_NETWORK: Final = rf"{_GROUP}/providers/Microsoft\.Network/virtualNetworks/[^/]+"
_AZURE_EXAMPLE: Final = (
    "/subscriptions/ID/resourceGroups/GROUP/providers/Microsoft.Network/virtualNetworks/main"
)


@record
class NetworkIds:
    """The form of a cloud's ids.

    Attributes:
        network: the pattern of a network's id.
        subnet: that of a subnet's.
        network_example: one of the first.
        subnet_example: one of the second.
        is_subnet_in_one_zone: whether servers in several zones take a subnet in each.
        is_subnet_below_network: whether a subnet's id begins with its network's.
    """

    network: str
    subnet: str
    network_example: str
    subnet_example: str
    is_subnet_in_one_zone: bool = False
    is_subnet_below_network: bool = False


NETWORK_IDS: Final[Mapping[str, NetworkIds]] = {
    "aws": NetworkIds(
        network=r"vpc-[0-9a-f]{8,17}",
        subnet=r"subnet-[0-9a-f]{8,17}",
        network_example="vpc-0123456789abcdef0",
        subnet_example="subnet-0123456789abcdef0",
        is_subnet_in_one_zone=True,
    ),
    "gcp": NetworkIds(
        network=rf"{_PROJECT}/global/networks/{_NAME}",
        subnet=rf"{_PROJECT}/regions/[a-z0-9-]+/subnetworks/{_NAME}",
        network_example="projects/my-project/global/networks/main",
        subnet_example="projects/my-project/regions/us-central1/subnetworks/gpu",
    ),
    "azure": NetworkIds(
        network=_VIRTUAL_NETWORK,
        subnet=rf"{_VIRTUAL_NETWORK}/subnets/[^/]+",
        network_example=_AZURE_EXAMPLE,
        subnet_example=f"{_AZURE_EXAMPLE}/subnets/gpu",
        is_subnet_below_network=True,
    ),
}
"""https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
https://docs.cloud.google.com/compute/docs/reference/rest/v1/subnetworks
https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules"""

NETWORK: Final = "|".join(ids.network for ids in NETWORK_IDS.values())
SUBNET: Final = "|".join(ids.subnet for ids in NETWORK_IDS.values())
"""An id of any cloud."""

NETWORK_EXAMPLES: Final = ", ".join(ids.network_example for ids in NETWORK_IDS.values())
SUBNET_EXAMPLES: Final = ", ".join(ids.subnet_example for ids in NETWORK_IDS.values())

LONGEST: Final = 400
"""Characters of an id: Azure's have four names, of up to 90 characters."""

Vpc = Annotated[
    str,
    text(
        NETWORK,
        f"a network, for example {NETWORK_EXAMPLES}",
        longest=LONGEST,
    ),
]
SubnetId = Annotated[
    str,
    text(
        SUBNET,
        f"a subnet, for example {SUBNET_EXAMPLES}",
        longest=LONGEST,
    ),
]
Subnets = Annotated[
    tuple[SubnetId, ...],
    ListRule("subnets: [subnet-0123456789abcdef0]", empty=False, repeated=False),
]


class NetworkSpec(Form):
    """The network of the machines: existing subnets, or a new network."""

    vpc: Vpc | None = Field(default=None, description="The id of an existing network.")
    subnets: Subnets | None = Field(
        default=None,
        description="Its private subnets: one, and for a pool on AWS two or more.",
    )
    cidr: v.Cidr | None = Field(
        default=None, description="Its address range, or that of the network that is created."
    )
    nat: v.Flag = Field(
        default=True,
        description="A NAT gateway; without one the network has endpoints of the services.",
    )
    flow_logs: v.Flag = Field(default=False, description="Log the network's connections.")
    shared: v.Flag = Field(
        default=False,
        description="One network and one NAT gateway for the workloads of a region; else each "
        "workload has its own. Machines of all of them reach a pool's load balancer. Changing it "
        "replaces the network, and with it the machines.",
    )
    zones: v.ZoneCount | None = Field(
        default=None, description="Zones of a pool's own network; two when absent."
    )

    @model_validator(mode="after")
    def _one_or_the_other(self) -> Self:
        if (self.vpc is None) != (self.subnets is None):
            raise input_error(
                f"has {'subnets' if self.vpc is None else 'a vpc'} but no "
                f"{'vpc' if self.vpc is None else 'subnets'}",
                allowed="both, or neither",
                fix="write network: {vpc: …, subnets: […]}",
                structural=False,
            )
        shaped = sorted({"nat", "flow_logs", "shared", "zones"} & self.model_fields_set)
        if self.vpc is not None and shaped:
            raise input_error(
                f"has vpc and {' and '.join(shaped)}: only for a network that gpuinfra creates",
                allowed="vpc, subnets, cidr",
                fix=f"remove {' and '.join(shaped)}",
                structural=False,
            )
        return self
