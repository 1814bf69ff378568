"""What any room's build is told and gives back: plan-time values apart from run-time values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuinfra.stackfile.networks import NetworkWish


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Plan-time: plain values, known before anything runs.

    Attributes:
        name: the component's name; the names of its children start with it.
        stack: the stack it belongs to, a tag.
        owner: who answers for it, a tag.
        region: where it is built.
        tags: the caller's own, on everything that takes tags, beside ours.
        network: the network that the stack file asks for; None for one of the workload's own.
        metrics: whether the machines send what their GPUs do, for alarms and reports.
        prometheus: the addresses that may scrape the same; empty for none.
    """

    name: str
    stack: str
    owner: str
    region: str
    tags: Mapping[str, str] = field(default_factory=dict)
    network: "NetworkWish | None" = None
    metrics: bool = False
    prometheus: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Run-time: Pulumi resources and inputs, which may not be known until something exists.

    Attributes:
        parent: the component, parent of every child.
        network: the caller's own network, in the room's terms; None to make one.
        buckets: physical bucket names (`pulumi.Input[str]`) by the names that mounts use.
        customize: argument values by child and argument, merged into what the build says.
    """

    parent: Any
    network: Any = None
    buckets: Mapping[str, Any] = field(default_factory=dict)
    customize: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What stands of a training workload; run-time values (`pulumi.Output[str]`).

    Attributes:
        group_name: the scaling group, managed instance group or scale set of the machines.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What stands of an inference pool, as of a training workload, and where it answers.

    Attributes:
        url: inside its network.
        load_balancer_id: the load balancer.
    """

    url: Any
    load_balancer_id: Any
    group_name: Any
    template_id: Any
    identity: Any
    firewall_id: Any
    network_id: Any
    image_id: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """What looks after a stack, made before its workloads; run-time values.

    Attributes:
        topic_id: where notices go; None where nobody is told.
        stop_id: what takes the stack's machines down; None where nothing does.
    """

    topic_id: Any = None
    stop_id: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What stands of a bucket.

    Attributes:
        bucket_name: what mounts call it: the bucket, or the storage account and container as
            account/container.
        bucket_id: the ARN, the URL, or the container's resource id.
    """

    bucket_name: Any
    bucket_id: Any
