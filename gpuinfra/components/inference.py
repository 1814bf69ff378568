"""The inference component: machines that serve behind an internal load balancer, and scale."""

from collections.abc import Mapping
from typing import Any, Final

import pulumi

from gpuinfra.clouds import part
from gpuinfra.components.args import PoolArgs
from gpuinfra.components.given import Buckets, given
from gpuinfra.components.messages import readable
from gpuinfra.components.network import Network
from gpuinfra.components.planned import Planned, plan_inference
from gpuinfra.stackfile import Inference

POOL: Final = "gpuinfra:index:InferencePool"


class InferencePool(pulumi.ComponentResource):
    """A pool of GPU machines that serve a container and follow one figure.

    Args:
        name: lower-case letters, digits and hyphens; the children's names start with it.
        args: what is wanted, in the words of the stack file.
        network: the caller's own network, with two subnets or more and its `cidr_block`.
        buckets: a DataBucket or a bucket's physical name, by each name that `data` uses.
        tags: on everything that takes tags, beside ours, which start with `gpuinfra:`.
        customize: argument values by child and argument, which join or replace the component's:
            {"listener": {"certificate_arn": "…"}}. A block keeps its other keys, and
            all tags stay; a list replaces; None takes away. Unknown names are refused.
        opts: children inherit providers, aliases, protection and transforms.

    Raises:
        ProgramError: something does not fit; shown by the engine without a traceback.
    """

    url: pulumi.Output[str]
    """Where it answers, inside its network."""
    group_name: pulumi.Output[str]
    """The scaling group that holds the machines."""
    launch_template_id: pulumi.Output[str]
    load_balancer_arn: pulumi.Output[str]
    role_name: pulumi.Output[str]
    """The machines' role, to attach further policies to."""
    security_group_id: pulumi.Output[str]
    vpc_id: pulumi.Output[str]
    image_id: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        args: PoolArgs | Planned[Inference],
        *,
        network: Network | None = None,
        buckets: Buckets | None = None,
        tags: Mapping[str, str] | None = None,
        customize: Mapping[str, Mapping[str, Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        with readable():
            wanted = plan_inference(name, args)
            super().__init__(POOL, name, None, opts)
            built = part(wanted.cloud, "build").build_pool(
                wanted.order(name, tags),
                wanted.machines,
                wanted.wanted,
                given(self, name, network, buckets, customize),
            )
        self.url = built.url
        self.group_name = built.group_name
        self.launch_template_id = built.launch_template_id
        self.load_balancer_arn = built.load_balancer_arn
        self.role_name = built.role_name
        self.security_group_id = built.security_group_id
        self.vpc_id = built.vpc_id
        self.image_id = built.image_id
        self.register_outputs(self.shown())

    def shown(self) -> dict[str, pulumi.Output[str]]:
        """The outputs, as Pulumi spells them."""
        return {
            "url": self.url,
            "groupName": self.group_name,
            "launchTemplateId": self.launch_template_id,
            "loadBalancerArn": self.load_balancer_arn,
            "roleName": self.role_name,
            "securityGroupId": self.security_group_id,
            "vpcId": self.vpc_id,
            "imageId": self.image_id,
        }
