"""The faults of a workload on AWS that other keys of its stack file cause."""

from collections.abc import Iterator

from gpuinfra.clouds.aws.network_faults import network_stack_faults, used_regions
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.specs.operations import topic_region
from gpuinfra.specs.schema import Inference, Stack, Training


def stack_faults(stack: Stack, workload: Training | Inference) -> tuple[KeyFault, ...]:
    """Return the conflicts of a workload with other keys of the stack file."""
    return (*network_stack_faults(stack, workload), *_topic_faults(stack, workload))


def _topic_faults(stack: Stack, workload: Training | Inference) -> Iterator[KeyFault]:
    """Yield the regions in which a workload's alarms have none of the existing SNS topics.

    CloudWatch refuses the others: "Invalid region ca-central-1 specified. Only us-west-2 is
    supported", https://github.com/cds-snc/notification-terraform/pull/128
    """
    topics = () if stack.monitoring is None else stack.monitoring.topics
    there = {topic_region(topic) for topic in topics}
    lacking = [region for region in used_regions(stack, workload) if region not in there]
    if topics and lacking:
        yield KeyFault(
            key=("monitoring", "notify"),
            value=", ".join(topics),
            message="alarms notify SNS topics of their own region, and machines may be in "
            f"{', '.join(lacking)}",
            allowed="e-mail addresses, or a topic in each region of the machines",
            fix=f"add a topic of {lacking[0]}, or write an e-mail address instead",
        )
