"""The machines and reservations that exist in the account, this stack's and others."""

from typing import Any, Final

from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from gpuinfra.clouds.aws.account.quotas import Market
from gpuinfra.records import record

STACK_TAG: Final = "gpuinfra:stack"
ALIVE: Final = ("pending", "running")
"""Only running machines count: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-on-demand-instances.html#ec2-on-demand-instances-limits"""


@record
class RunningMachine:
    """A running machine; `market` is None in a capacity block, which has its own quotas."""

    type: str
    market: Market | None
    vcpus: int | None
    stack: str
    subnet: str
    reservation: str


def running(client: AccountClient, region: str) -> tuple[RunningMachine, ...] | NoAnswer:
    """Return all running machines of a region.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html
    """
    groups = client.all_rows(
        "ec2",
        region,
        "describe_instances",
        "Reservations",
        Filters=[{"Name": "instance-state-name", "Values": list(ALIVE)}],
    )
    if isinstance(groups, NoAnswer):
        return groups
    return tuple(_machine(machine) for group in groups for machine in group["Instances"])


def _machine(machine: dict[str, Any]) -> RunningMachine:
    cores = machine.get("CpuOptions") or {}
    states_cores = "CoreCount" in cores and "ThreadsPerCore" in cores
    lifecycle = machine.get("InstanceLifecycle")
    market: Market | None = "spot" if lifecycle == "spot" else "on-demand"
    return RunningMachine(
        type=machine["InstanceType"],
        market=None if lifecycle == "capacity-block" else market,
        vcpus=cores["CoreCount"] * cores["ThreadsPerCore"] if states_cores else None,
        stack=tag(machine, STACK_TAG),
        subnet=machine.get("SubnetId", ""),
        reservation=machine.get("CapacityReservationId", ""),
    )


def tag(resource: dict[str, Any], key: str) -> str:
    """Return the value of a tag; empty if it is missing."""
    return next((pair["Value"] for pair in resource.get("Tags") or () if pair["Key"] == key), "")
