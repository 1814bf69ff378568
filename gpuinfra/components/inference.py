"""The inference component: machines that serve behind an internal load balancer, and scale."""

from collections.abc import Mapping
from typing import Any, Final

import pulumi

from gpuinfra.components.args import PoolArgs
from gpuinfra.components.declared import build
from gpuinfra.components.given import Buckets, Keys, Passed, given
from gpuinfra.components.messages import readable
from gpuinfra.components.network import Network
from gpuinfra.components.planned import Planned, plan_inference
from gpuinfra.specs import Inference

POOL: Final = "gpuinfra:index:InferencePool"


class InferencePool(pulumi.ComponentResource):
    """A pool of GPU machines that serve a container and follow one figure.

    Args:
        name: lower-case letters, digits and hyphens; the children's names start with it.
        args: what is wanted, in the words of the stack file.
        network: the caller's own network, with two subnets or more and its `cidr_block`.
        buckets: a DataBucket or a bucket's physical name, by each name that `data` uses.
        keys: the ARN of the customer's key of each bucket that is passed by name and encrypted
            with one (AWS); a DataBucket has its own with it.
        tags: on everything that takes tags, beside ours, which start with `gpuinfra:`.
        customize: argument values by child and argument, which join or replace the component's:
            {"listener": {"certificate_arn": "…"}}. A block keeps its other keys, and
            all tags stay; a list replaces; None takes away. Unknown names are refused.
        opts: children inherit providers, aliases, protection and transforms.

    Raises:
        ProgramError: something does not fit; shown by the engine without a traceback.
    """

    url: pulumi.Output[str] | None
    """Where it answers, inside its network; None where it works off a queue."""
    queue_url: pulumi.Output[str] | None
    """Where the messages that it works off are sent; None where it serves behind an address."""
    load_balancer_id: pulumi.Output[str] | None
    group_name: pulumi.Output[str]
    """The scaling group, managed instance group or scale set that holds the machines."""
    template_id: pulumi.Output[str] | None
    """The launch or instance template; None on Azure, where the scale set is its own."""
    identity: pulumi.Output[str]
    """What the machines act as, to give it further rights: the role's name (AWS), the service
    account's e-mail address (Google Cloud), the identity's resource id (Azure)."""
    firewall_id: pulumi.Output[str]
    """The machines' security group, firewall or network security group."""
    network_id: pulumi.Output[str]
    image_id: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        args: PoolArgs | Planned[Inference],
        *,
        network: Network | None = None,
        buckets: Buckets | None = None,
        keys: Keys | None = None,
        tags: Mapping[str, pulumi.Input[str]] | None = None,
        customize: Mapping[str, Mapping[str, Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        with readable():
            planned = plan_inference(name, args)
            super().__init__(POOL, name, planned.inputs, opts)
            passed = Passed(network=network, buckets=buckets, keys=keys, customize=customize)
            built, self.graph = build(
                planned,
                planned.order(name, tags),
                caller=given(self, name, planned.cloud, passed),
            )
        self.built = built
        self.url = built.url
        self.queue_url = built.queue_url
        self.load_balancer_id = built.load_balancer_id
        self.group_name = built.group_name
        self.template_id = built.template_id
        self.identity = built.identity
        self.firewall_id = built.firewall_id
        self.network_id = built.network_id
        self.image_id = built.image_id
        self.register_outputs(self.shown())

    def shown(self) -> dict[str, pulumi.Output[str]]:
        """The outputs, as Pulumi spells them."""
        shown = {
            "url": self.url,
            "queueUrl": self.queue_url,
            "loadBalancerId": self.load_balancer_id,
            "groupName": self.group_name,
            "templateId": self.template_id,
            "identity": self.identity,
            "firewallId": self.firewall_id,
            "networkId": self.network_id,
            "imageId": self.image_id,
        }
        return {name: value for name, value in shown.items() if value is not None}
