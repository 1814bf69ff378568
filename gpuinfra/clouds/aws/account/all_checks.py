"""Runs every account check that a stack needs, one after the other."""

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gpuinfra.clouds.account_check import AccountCheck, AccountQuery, AccountReport, unknown
from gpuinfra.clouds.aws.account import (
    identity_checks,
    image_checks,
    network_checks,
    network_quotas,
    place_checks,
    quota_checks,
    service_checks,
)
from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.identity_checks import CallerIdentity
from gpuinfra.clouds.aws.account.malformed_responses import catch_malformed
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from gpuinfra.clouds.aws.account.workload_needs import (
    CLOUD,
    DeclaredResources,
    WorkloadNeed,
    stack_needs,
)
from gpuinfra.model import Plan

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Stack


def look(
    plan: Plan, stack: "Stack", declared_resources: DeclaredResources, query: AccountQuery
) -> AccountReport:
    """Check, read-only and with the caller's credentials, what a stack needs of the account.

    Args:
        plan: the stack, planned.
        stack: the stack file.
        declared_resources: the resources of a workload on its active rung.
        query: how to look: at which rungs, where, and for how long.

    Raises:
        InputError: there are no valid credentials.
    """
    until = time.monotonic() + query.timeout_seconds
    caller = AccountClient(
        deadline=until, endpoint=query.endpoint, report_progress=query.report_progress
    )
    workload_needs = stack_needs(plan, stack, declared_resources, all_rungs=query.all_rungs)
    region = next(iter(_regions(plan, workload_needs)), stack.where.regions[0])
    caller_identity, first = identity_checks.identity(caller, region)
    return AccountReport(
        account=caller_identity.account if caller_identity else None,
        caller=caller_identity.arn if caller_identity else None,
        checks=tuple(
            dict.fromkeys(
                (first, *_checks(caller, plan, stack, workload_needs, caller_identity, region))
            )
        ),
    )


def _regions(plan: Plan, needs: Iterable[WorkloadNeed]) -> Iterator[str]:
    yield from (need.rung.region for need in needs)
    yield from (
        bucket.region for bucket in plan.buckets if bucket.cloud == CLOUD and bucket.region
    )


def _checks(
    client: AccountClient,
    plan: Plan,
    stack: "Stack",
    needs: tuple[WorkloadNeed, ...],
    caller: CallerIdentity | None,
    region: str,
) -> Iterator[AccountCheck]:
    yield from quota_checks.checks(client, needs, stack.name)
    yield from network_quotas.checks(client, needs, stack.name)
    for need in needs:
        for name, checks in _workload_checks(client, need, stack.name):
            yield from catch_malformed(name, need.workload_and_rung, checks)
    for planned_bucket in plan.buckets:
        bucket = stack.buckets.get(planned_bucket.name)
        if bucket is not None and planned_bucket.cloud == CLOUD:
            keys = service_checks.key(
                client, planned_bucket.name, bucket, planned_bucket.region or region
            )
            yield from catch_malformed(service_checks.KEY, planned_bucket.name, keys)
    if any(need.spot != 0 for need in needs):
        role = identity_checks.spot_role(client, caller, region)
        yield from catch_malformed(identity_checks.RIGHT, identity_checks.SPOT_ROLE, role)
    trusted = stack.deploy_role.provider if stack.deploy_role is not None else None
    provider = identity_checks.provider(client, trusted, region)
    yield from catch_malformed(identity_checks.PROVIDER, str(trusted), provider)
    if plan.caps.per_month is not None:
        budget = identity_checks.budget(client, caller, region)
        yield from catch_malformed(identity_checks.RIGHT, "the monthly budget", budget)


def _workload_checks(
    client: AccountClient, need: WorkloadNeed, stack: str
) -> Iterator[tuple[str, Iterator[AccountCheck]]]:
    """Yield the checks of one workload on one rung, each with its name."""
    yield network_checks.NAME, _subnet_and_zone_checks(client, need, stack)
    yield place_checks.RESERVATION, _reservation_checks(client, need, stack)
    yield image_checks.MACHINE, image_checks.checks(client, need)
    yield service_checks.CONTAINER, service_checks.container(client, need)
    yield service_checks.CERTIFICATE, service_checks.certificate(client, need)
    yield service_checks.QUEUE, service_checks.queue(client, need)


def _reservation_checks(
    client: AccountClient, need: WorkloadNeed, stack: str
) -> Iterator[AccountCheck]:
    zones = need.zones
    if need.subnets is not None and need.rung.reservation is not None:
        subnets = network_checks.subnets(client, need)
        known_subnets = () if isinstance(subnets, NoAnswer) else subnets
        zones = tuple(sorted({str(subnet["AvailabilityZone"]) for subnet in known_subnets}))
    yield from place_checks.reservation(client, need, zones, stack)


def _subnet_and_zone_checks(
    client: AccountClient, need: WorkloadNeed, stack: str
) -> Iterator[AccountCheck]:
    """Check the caller's subnets, and what the zones of the machines offer."""
    if need.subnets is None:
        yield from place_checks.zone_offer_checks(client, need, need.zones)
        return
    existing_subnets = network_checks.subnets(client, need)
    if isinstance(existing_subnets, NoAnswer):
        item = f"{', '.join(need.subnets)}: {need.workload_and_rung}"
        yield unknown(network_checks.NAME, item, existing_subnets.why, existing_subnets.fix)
        yield from place_checks.zone_offer_checks(client, need, ())
        return
    yield from network_checks.checks(client, need, existing_subnets, stack)
    zones = tuple(sorted({str(subnet["AvailabilityZone"]) for subnet in existing_subnets}))
    yield from place_checks.zone_offer_checks(client, need, zones)
