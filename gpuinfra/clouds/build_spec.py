"""The inputs and outputs of a cloud's `declare` package."""

from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from gpuinfra.graph import item
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.specs.networks import NetworkSpec


@record
class MachineHour:
    """The hourly list price of a machine in US dollars, and its date."""

    price: Decimal
    as_of: str


@record
class BuildSpec:
    """The plan-time inputs of a component: values known before deployment.

    Attributes:
        name: the component's name; the names of its children start with it.
        stack: the stack it belongs to, a tag.
        owner: who answers for it, a tag.
        region: where it is built.
        tags: the caller's own, on everything that takes tags, beside ours.
        network: the network of the stack file; None for one of the workload's own.
        zones: the only zones that it allows; empty for any.
        metrics: whether the machines send what their GPUs do, for alarms and reports.
        prometheus: the addresses that may scrape the same; empty for none.
        after: the keys of resources that must exist before its own: what ends its machines.
        hourly_prices: what a machine of each workload costs an hour, by the workload's name; of
            the stack itself. One that has no price, or several, is left out.
        late_arguments: arguments that the caller gives as outputs, by name, as values of the
            graph.
        alarms_of: the key of the component that its alarms are children of; empty for the stack.
    """

    name: str
    stack: str
    owner: str
    region: str
    tags: Mapping[str, Any] = field(default_factory=dict)
    network: "NetworkSpec | None" = None
    zones: tuple[str, ...] = ()
    metrics: bool = False
    prometheus: str = ""
    after: tuple[str, ...] = ()
    hourly_prices: Mapping[str, MachineHour] = field(default_factory=dict)
    late_arguments: Mapping[str, Any] = field(default_factory=dict)
    alarms_of: str = ""

    def value(self, argument: str, plain_value: Any) -> Any:
        """Return an argument as a graph value: the caller's output, else the plain value."""
        return self.late_arguments.get(argument, plain_value)

    def entry(self, argument: str, index: int, plain_value: Any) -> Any:
        """Return an entry of a list as a graph value: the caller's output, else plain."""
        late = self.late_arguments.get(argument)
        return plain_value if late is None else item(late, index)


@record
class TrainingOutputs:
    """The outputs of a training workload: values of the graph, or outputs once it is registered.

    Attributes:
        group_name: the scaling group, managed instance group or scale set of the machines; the id
            of their fleet where all of them are asked for at once.
        template_id: the launch or instance template; None where the cloud has none.
        identity: what the machines act as, to give it further rights: the role's name, the
            service account's e-mail address, or the identity's resource id.
        firewall_id: the security group, firewall or network security group.
        network_id: the network.
        subnet_id: the subnet of the machines' first interface.
        image_id: the image that the machines start from.
    """

    group_name: Any
    template_id: Any
    identity: Any
    firewall_id: Any
    network_id: Any
    subnet_id: Any
    image_id: Any


@record
class InferenceOutputs:
    """The outputs of an inference pool: those of a training workload, and its endpoint.

    Attributes:
        url: inside its network; None where the pool works off a queue.
        load_balancer_id: the load balancer; None where the pool works off a queue.
        target_group_id: where it sends requests; None likewise, and where the cloud has none.
        queue_url: the queue that the pool works off; None where it serves behind an address.
    """

    url: Any
    load_balancer_id: Any
    group_name: Any
    template_id: Any
    identity: Any
    firewall_id: Any
    network_id: Any
    image_id: Any
    target_group_id: Any = None
    queue_url: Any = None


@record
class GuardrailOutputs:
    """The guardrails of a stack, declared before its workloads.

    Attributes:
        ends: by workload, when its time is over (ISO 8601, UTC).
        ended_by: by workload, the key of what takes it down then: it is made before the machines,
            so that rules that judge the machines see when they end.
        deploy_role_id: what continuous integration deploys as; None for none.
    """

    ends: Mapping[str, Any] = field(default_factory=dict)
    ended_by: Mapping[str, str] = field(default_factory=dict)
    deploy_role_id: Any = None


@record
class BucketOutputs:
    """The outputs of a bucket.

    Attributes:
        bucket_name: what mounts call it: the bucket, or the storage account and container as
            account/container.
        bucket_id: the ARN, the URL, or the container's resource id.
        key_id: the customer's key that it is encrypted with; None for the cloud's own.
    """

    bucket_name: Any
    bucket_id: Any
    key_id: Any = None
