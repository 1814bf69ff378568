"""The inference component: machines that serve behind an internal load balancer, and scale."""

from collections.abc import Mapping
from typing import Any, Final

import pulumi

from gpuinfra.components.args import PoolArgs
from gpuinfra.components.component import BuiltComponent
from gpuinfra.components.declared import build
from gpuinfra.components.messages import show_plain_errors
from gpuinfra.components.network import Network
from gpuinfra.components.planned import PlannedComponent, plan_inference
from gpuinfra.components.runtime_inputs import Buckets, Keys, PassedValues, caller_of
from gpuinfra.specs import Inference

POOL: Final = "gpuinfra:index:InferencePool"


class InferencePool(BuiltComponent):
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
    """The endpoint URL, reachable inside its network; None for a pool that processes a queue."""
    queue_url: pulumi.Output[str] | None
    """The URL of the queue that the pool processes; None for a pool behind an endpoint."""
    load_balancer_id: pulumi.Output[str] | None
    group_name: pulumi.Output[str]
    """The scaling group, managed instance group or scale set that holds the machines."""
    template_id: pulumi.Output[str] | None
    """The launch or instance template; None on Azure, where the scale set is its own."""
    identity: pulumi.Output[str]
    """The identity of the machines, for granting further permissions: the role's name (AWS), the
    service account's e-mail address (Google Cloud), the identity's resource id (Azure)."""
    firewall_id: pulumi.Output[str]
    """The machines' security group, firewall or network security group."""
    network_id: pulumi.Output[str]
    image_id: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        args: PoolArgs | PlannedComponent[Inference],
        *,
        network: Network | None = None,
        buckets: Buckets | None = None,
        keys: Keys | None = None,
        tags: Mapping[str, pulumi.Input[str]] | None = None,
        customize: Mapping[str, Mapping[str, Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        with show_plain_errors():
            planned = plan_inference(name, args)
            super().__init__(POOL, name, planned.inputs, opts)
            passed = PassedValues(network=network, buckets=buckets, keys=keys, customize=customize)
            built = build(
                planned,
                planned.build_spec(name, tags),
                caller=caller_of(self, name, planned.cloud, passed),
            )
        self._show(built)
