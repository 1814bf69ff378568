"""The training components: one machine, or a cluster whose machines stand together."""

from collections.abc import Mapping
from typing import Any, Final

import pulumi

from gpuinfra.components.args import TrainingArgs
from gpuinfra.components.caller import Caller
from gpuinfra.components.declared import build
from gpuinfra.components.given import Buckets, Keys, Passed, given
from gpuinfra.components.messages import readable
from gpuinfra.components.network import Network
from gpuinfra.components.planned import Planned, plan_training
from gpuinfra.errors import InputError, Problem
from gpuinfra.specs import Training

NODE: Final = "gpuinfra:index:TrainingNode"
CLUSTER: Final = "gpuinfra:index:TrainingCluster"


class _Trains(pulumi.ComponentResource):
    """What both components share."""

    group_name: pulumi.Output[str]
    """The scaling group, managed instance group or scale set that holds the machines."""
    template_id: pulumi.Output[str] | None
    """The launch or instance template; None on Azure, where the scale set is its own."""
    identity: pulumi.Output[str]
    """What the machines act as, to give it further rights: the role's name (AWS), the service
    account's e-mail address (Google Cloud), the identity's resource id (Azure)."""
    firewall_id: pulumi.Output[str]
    """The security group, firewall or network security group."""
    network_id: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    image_id: pulumi.Output[str]

    def _build(
        self,
        name: str,
        planned: Planned[Training],
        run_time: Caller,
        tags: Mapping[str, pulumi.Input[str]] | None,
    ) -> None:
        built, self.graph = build(
            planned,
            planned.order(name, tags),
            caller=run_time,
        )
        self.built = built
        self.group_name = built.group_name
        self.template_id = built.template_id
        self.identity = built.identity
        self.firewall_id = built.firewall_id
        self.network_id = built.network_id
        self.subnet_id = built.subnet_id
        self.image_id = built.image_id
        self.register_outputs(self.shown())

    def shown(self) -> dict[str, pulumi.Output[str]]:
        """The outputs, as Pulumi spells them."""
        template = {} if self.template_id is None else {"templateId": self.template_id}
        return {
            "groupName": self.group_name,
            **template,
            "identity": self.identity,
            "firewallId": self.firewall_id,
            "networkId": self.network_id,
            "subnetId": self.subnet_id,
            "imageId": self.image_id,
        }


class TrainingNode(_Trains):
    """One GPU machine for training or development, with its network, role and mounts.

    Args:
        name: lower-case letters, digits and hyphens; the children's names start with it.
        args: what is wanted, in the words of the stack file.
        network: the caller's own network, with one subnet, instead of one of its own.
        buckets: a DataBucket or a bucket's physical name, by each name that `data` and
            `checkpoints` use.
        keys: the ARN of the customer's key of each bucket that is passed by name and encrypted
            with one (AWS); a DataBucket has its own with it.
        tags: on everything that takes tags, beside ours, which start with `gpuinfra:`.
        customize: argument values by child and argument, which join or replace the component's:
            {"launch_template": {"key_name": "…"}}. A block keeps its other keys, and
            all tags stay; a list replaces; None takes away. Unknown names are refused.
        opts: children inherit providers, aliases, protection and transforms.

    Raises:
        ProgramError: something does not fit; shown by the engine without a traceback.
    """

    def __init__(
        self,
        name: str,
        args: TrainingArgs | Planned[Training],
        *,
        network: Network | None = None,
        buckets: Buckets | None = None,
        keys: Keys | None = None,
        tags: Mapping[str, pulumi.Input[str]] | None = None,
        customize: Mapping[str, Mapping[str, Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        with readable():
            planned = plan_training(name, args)
            if planned.spec.nodes != 1:
                raise _wrong_size(name, planned.spec.nodes, "one node", "TrainingCluster")
            super().__init__(NODE, name, planned.inputs, opts)
            passed = Passed(network=network, buckets=buckets, keys=keys, customize=customize)
            run_time = given(self, name, planned.cloud, passed)
            self._build(name, planned, run_time, tags)


class TrainingCluster(_Trains):
    """Machines that train together: one subnet, one placement, joined by the fabric.

    Args:
        name: lower-case letters, digits and hyphens; the children's names start with it.
        args: what is wanted, in the words of the stack file; two nodes or more.
        network: the caller's own network, with one subnet, instead of one of its own.
        buckets: a DataBucket or a bucket's physical name, by each name that `data` and
            `checkpoints` use.
        keys: the ARN of the customer's key of each bucket that is passed by name and encrypted
            with one (AWS); a DataBucket has its own with it.
        tags: on everything that takes tags, beside ours, which start with `gpuinfra:`.
        customize: argument values by child and argument, which join or replace the component's:
            {"launch_template": {"key_name": "…"}}. A block keeps its other keys, and
            all tags stay; a list replaces; None takes away. Unknown names are refused.
        opts: children inherit providers, aliases, protection and transforms.

    Raises:
        ProgramError: something does not fit; shown by the engine without a traceback.
    """

    def __init__(
        self,
        name: str,
        args: TrainingArgs | Planned[Training],
        *,
        network: Network | None = None,
        buckets: Buckets | None = None,
        keys: Keys | None = None,
        tags: Mapping[str, pulumi.Input[str]] | None = None,
        customize: Mapping[str, Mapping[str, Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        with readable():
            planned = plan_training(name, args)
            if planned.spec.nodes == 1:
                raise _wrong_size(name, 1, "two nodes or more", "TrainingNode")
            super().__init__(CLUSTER, name, planned.inputs, opts)
            passed = Passed(network=network, buckets=buckets, keys=keys, customize=customize)
            run_time = given(self, name, planned.cloud, passed)
            self._build(name, planned, run_time, tags)


def _wrong_size(name: str, nodes: int, allowed: str, other: str) -> InputError:
    return InputError(
        [
            Problem(
                message=f"{name}: this component does not support {nodes} nodes",
                path=("training", name, "nodes"),
                value=str(nodes),
                allowed=allowed,
                fix=f"use {other}",
            )
        ]
    )
