"""Read-only checks of the user's own AWS account: whether it allows what a stack needs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuinfra.clouds.account_check import AccountQuery, AccountReport
from gpuinfra.model import Plan

if TYPE_CHECKING:
    from gpuinfra.clouds.aws.account.workload_needs import DeclaredResources
    from gpuinfra.specs.schema import Stack


def look(
    plan: Plan, stack: "Stack", declared_resources: "DeclaredResources", query: AccountQuery
) -> AccountReport:
    """Check, with the caller's own credentials, whether the account allows what a stack needs."""
    from gpuinfra.clouds.aws.account import all_checks  # noqa: PLC0415  (it needs boto3)

    return all_checks.look(plan, stack, declared_resources, query)


def requests(
    plan: Plan, stack: "Stack", declared_resources: "DeclaredResources", workload: str
) -> Iterator[str]:
    """Yield the command that requests each quota that a workload draws on."""
    from gpuinfra.clouds.aws.account import quota_requests  # noqa: PLC0415  (it needs the grammar)

    return quota_requests.requests(plan, stack, declared_resources, workload)
