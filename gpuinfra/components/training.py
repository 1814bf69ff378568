"""The training components: one machine, or a cluster of machines placed together."""

from collections.abc import Mapping
from typing import Any, Final

import pulumi

from gpuinfra.components.args import TrainingArgs
from gpuinfra.components.component import BuiltComponent
from gpuinfra.components.declared import build
from gpuinfra.components.messages import show_plain_errors
from gpuinfra.components.network import Network
from gpuinfra.components.planned import PlannedComponent, plan_training
from gpuinfra.components.runtime_inputs import Buckets, Keys, PassedValues, caller_of
from gpuinfra.errors import InputError
from gpuinfra.specs import Training

NODE: Final = "gpuinfra:index:TrainingNode"
CLUSTER: Final = "gpuinfra:index:TrainingCluster"


class _TrainingComponent(BuiltComponent):
    """The common base of both training components."""

    group_name: pulumi.Output[str]
    """The scaling group, managed instance group or scale set that holds the machines."""
    template_id: pulumi.Output[str] | None
    """The launch or instance template; None on Azure, where the scale set is its own."""
    identity: pulumi.Output[str]
    """The identity of the machines, for granting further permissions: the role's name (AWS), the
    service account's e-mail address (Google Cloud), the identity's resource id (Azure)."""
    firewall_id: pulumi.Output[str]
    """The security group, firewall or network security group."""
    network_id: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    image_id: pulumi.Output[str]

    _token = ""

    def __init__(
        self,
        name: str,
        args: TrainingArgs | PlannedComponent[Training],
        *,
        network: Network | None = None,
        buckets: Buckets | None = None,
        keys: Keys | None = None,
        tags: Mapping[str, pulumi.Input[str]] | None = None,
        customize: Mapping[str, Mapping[str, Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        with show_plain_errors():
            planned = plan_training(name, args)
            self._refuse_size(name, planned.spec.nodes)
            super().__init__(self._token, name, planned.inputs, opts)
            passed = PassedValues(network=network, buckets=buckets, keys=keys, customize=customize)
            caller = caller_of(self, name, planned.cloud, passed)
            built = build(planned, planned.build_spec(name, tags), caller=caller)
        self._show(built)

    def _refuse_size(self, name: str, nodes: int) -> None:
        """Raise an error where the component is not for this number of nodes.

        Raises:
            InputError: the other one is.
        """
        raise NotImplementedError


class TrainingNode(_TrainingComponent):
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

    _token = NODE

    def _refuse_size(self, name: str, nodes: int) -> None:
        if nodes != 1:
            raise _wrong_size(name, nodes, "one node", "TrainingCluster")


class TrainingCluster(_TrainingComponent):
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

    _token = CLUSTER

    def _refuse_size(self, name: str, nodes: int) -> None:
        if nodes == 1:
            raise _wrong_size(name, nodes, "two nodes or more", "TrainingNode")


def _wrong_size(name: str, nodes: int, allowed: str, other: str) -> InputError:
    return InputError.of(
        f"{name}: this component does not support {nodes} nodes",
        path=("training", name, "nodes"),
        value=str(nodes),
        allowed=allowed,
        fix=f"use {other}",
    )
