"""`network`: the user's own network, or the settings of a new one."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from gpuinfra.specs import values as v
from gpuinfra.specs.fields import input_error
from gpuinfra.specs.forms import Form, ListRule

Subnets = Annotated[
    tuple[v.SubnetId, ...],
    ListRule("subnets: [subnet-0123456789abcdef0]", empty=False, repeated=False),
]


class NetworkSpec(Form):
    """The network of the machines: existing subnets, or a new network."""

    vpc: v.Vpc | None = Field(default=None, description="The id of an existing network.")
    subnets: Subnets | None = Field(
        default=None, description="Its private subnets: one for training, two or more for a pool."
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
                fix="write network: {vpc: vpc-…, subnets: [subnet-…]}",
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
