"""The faults of existing SNS topics that a workload's alarms cannot notify."""

from collections.abc import Iterator, Sequence

from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.specs.operations import topic_region


def topic_faults(topics: Sequence[str], regions: Sequence[str]) -> Iterator[KeyFault]:
    """Yield the regions of a workload's machines in which none of the topics is.

    CloudWatch refuses the others: "Invalid region ca-central-1 specified. Only us-west-2 is
    supported", https://github.com/cds-snc/notification-terraform/pull/128
    """
    topic_regions = {topic_region(topic) for topic in topics}
    regions_without_topic = [region for region in regions if region not in topic_regions]
    if regions_without_topic:
        yield KeyFault(
            key=("monitoring", "notify"),
            value=", ".join(topics),
            message="alarms notify SNS topics of their own region, and machines may be in "
            f"{', '.join(regions_without_topic)}",
            allowed="e-mail addresses, or a topic in each region of the machines",
            fix=f"add a topic of {regions_without_topic[0]}, or write an e-mail address instead",
        )
