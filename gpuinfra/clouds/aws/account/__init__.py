"""What the user's own account allows of a stack: asked of AWS, and nothing is changed there."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuinfra.clouds.account_check import AccountQuery, AccountReport
from gpuinfra.model import Plan

if TYPE_CHECKING:
    from gpuinfra.clouds.aws.account.needs import Declared
    from gpuinfra.specs.schema import Stack


def look(
    plan: Plan,
    stack: "Stack",
    declared: "Declared",
    query: AccountQuery,
) -> AccountReport:
    """Ask AWS, with the caller's own credentials, about all that a stack needs."""
    from gpuinfra.clouds.aws.account import all_checks  # noqa: PLC0415  (it needs boto3)

    return all_checks.look(plan, stack, declared, query)


def requests(plan: Plan, stack: "Stack", declared: "Declared", workload: str) -> Iterator[str]:
    """A request for each quota that a workload draws on."""
    from gpuinfra.clouds.aws.account import requesting  # noqa: PLC0415  (it needs the grammar)

    return requesting.requests(plan, stack, declared, workload)
