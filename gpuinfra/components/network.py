"""The caller's own network, as run-time values."""

from collections.abc import Sequence

import pulumi

from gpuinfra.records import record


@record
class Network:
    """A network to build in, instead of one of the component's own.

    Attributes:
        vpc_id: the VPC; on Google Cloud the network's id, on Azure the virtual network's.
        subnet_ids: private subnets with a way to the internet and to the buckets. A training
            component takes one, since its fabric does not leave a zone. A pool on AWS takes two
            or more, each in a zone of its own, for its load balancer; on Google Cloud one, which
            spans its region's zones; on Azure one.
        cidr_block: who may call a pool, for example 10.0.0.0/16; training does not need it, but on
            Azure says with it who its machines are to each other.
    """

    vpc_id: pulumi.Input[str]
    subnet_ids: pulumi.Input[Sequence[pulumi.Input[str]]]
    cidr_block: pulumi.Input[str] | None = None
