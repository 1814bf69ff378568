"""Checks that the account's quotas of networks and public addresses cover the stack."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from gpuinfra.clouds.account_check import AccountCheck, answered_check, unknown
from gpuinfra.clouds.aws.account import quotas
from gpuinfra.clouds.aws.account.account_machines import STACK_TAG, tag
from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.malformed_responses import catch_malformed
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from gpuinfra.clouds.aws.account.workload_needs import WorkloadNeed
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.records import record

NAME: Final = "network quota"


@record
class NetworkQuota:
    """A quota of networks or addresses in each region; `default` is the value of a new account."""

    what: str
    service: str
    code: str
    name: str
    default: int
    source: str
    as_of: str


@cache
def known_quotas() -> tuple[NetworkQuota, ...]:
    """Return every known quota of networks and public addresses."""
    return tuple(NetworkQuota(**row) for row in TABLES.rows("network_quotas"))


def checks(
    client: AccountClient, needs: Iterable[WorkloadNeed], stack: str
) -> Iterator[AccountCheck]:
    """Check each quota in each region where the stack creates a network."""
    new_networks: dict[str, dict[str, bool]] = {}
    for need in needs:
        if need.subnets is None:
            new_networks.setdefault(need.rung.region, {})[need.workload] = need.reaches_internet
    for region, workloads in new_networks.items():
        for quota in known_quotas():
            names = [
                name for name, has_nat in workloads.items() if quota.what == "network" or has_nat
            ]
            if names:
                item = f"{quota.name} ({quota.code}): {', '.join(names)} in {region}"
                check = _check(client, quota, item, region, len(names), stack)
                yield from catch_malformed(NAME, item, check)


def _check(
    client: AccountClient,
    quota: NetworkQuota,
    label: str,
    region: str,
    needed_amount: int,
    stack: str,
) -> Iterator[AccountCheck]:
    allowed = f"{needed_amount} for this stack"
    answer = client.ask(
        "service-quotas",
        region,
        "get_service_quota",
        ServiceCode=quota.service,
        QuotaCode=quota.code,
    )
    if isinstance(answer, NoAnswer):
        reason = f"{answer.why}; {quota.default} unless the account's quota was raised"
        yield unknown(NAME, label, reason, answer.fix, allowed)
        return
    value = int(answer["Quota"]["Value"])
    used = _other_usage(client, quota, region, stack)
    if isinstance(used, NoAnswer):
        reason = f"{value}; the number in use is unknown: {used.why}"
        yield unknown(NAME, label, reason, used.fix, allowed)
        return
    request = quotas.request(quota.code, region, used + needed_amount, service=quota.service)
    yield answered_check(
        NAME,
        label,
        fine=used + needed_amount <= value,
        value=f"{value}, {used} of them in use by others",
        allowed=allowed,
        fix="delete what is not needed, let workloads share an existing network, or "
        f"request an increase: {request}",
    )


def _other_usage(
    client: AccountClient, quota: NetworkQuota, region: str, stack: str
) -> int | NoAnswer:
    """Return how many exist outside this stack; the default VPC is counted.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeVpcs.html and
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAddresses.html
    """
    if quota.what == "network":
        rows = client.all_rows("ec2", region, "describe_vpcs", "Vpcs")
    else:
        answer = client.ask("ec2", region, "describe_addresses")
        rows = answer if isinstance(answer, NoAnswer) else answer["Addresses"]
    if isinstance(rows, NoAnswer):
        return rows
    return sum(tag(row, STACK_TAG) != stack for row in rows)
