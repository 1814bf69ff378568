"""The AWS CLI commands that request the quotas that a workload needs; made offline."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuinfra.clouds.aws.account import quotas
from gpuinfra.clouds.aws.account.vcpu_demand import quota_uses
from gpuinfra.clouds.aws.account.workload_needs import DeclaredResources, stack_needs
from gpuinfra.model import Plan

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Stack


def requests(
    plan: Plan, stack: "Stack", declared_resources: DeclaredResources, workload: str
) -> Iterator[str]:
    """Yield the request for each quota of a workload, for the stack's maximum use of the quota.

    What else runs in the account comes on top.
    """
    for draw in quota_uses(stack_needs(plan, stack, declared_resources, all_rungs=False)):
        if workload in draw.workloads and draw.quota is not None and draw.vcpus is not None:
            yield quotas.request(draw.quota.code, draw.region, draw.vcpus)
