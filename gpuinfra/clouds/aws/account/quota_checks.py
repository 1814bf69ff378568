"""Checks that the account's vCPU quotas cover the stack's maximum."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from gpuinfra.clouds.account_check import AccountCheck, answered_check, unknown
from gpuinfra.clouds.aws.account import quotas
from gpuinfra.clouds.aws.account.account_machines import STACK_TAG, running, tag
from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.malformed_responses import catch_malformed
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from gpuinfra.clouds.aws.account.vcpu_demand import QuotaUse, quota_uses
from gpuinfra.clouds.aws.account.workload_needs import WorkloadNeed
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.records import record

NAME: Final = "quota"
_CONSOLE: Final = "https://console.aws.amazon.com/servicequotas/home/services/ec2/quotas"
_METRIC_HOURS: Final = 3


@record(kw_only=False)
class _VcpuUsage:
    """The vCPUs in use, with those of this stack's own machines if `includes_own_machines`."""

    vcpus: int
    includes_own_machines: bool


def checks(
    client: AccountClient, needs: Iterable[WorkloadNeed], stack: str
) -> Iterator[AccountCheck]:
    """Check each quota that the stack draws on."""
    needs = tuple(needs)
    ids = frozenset(need.rung.reservation for need in needs if need.rung.reservation is not None)
    for draw in quota_uses(needs):
        yield from catch_malformed(NAME, _quota_label(draw), _checks(client, draw, stack, ids))


def _quota_label(draw: QuotaUse) -> str:
    """Return the name of a quota and the workloads that use it."""
    workloads_text = f"{', '.join(draw.workloads)} in {draw.region}"
    if draw.quota is None:
        return f"vCPUs of {', '.join(draw.types)}, {draw.market}: {workloads_text}"
    return f"{draw.quota.name} ({draw.quota.code}): {workloads_text}"


def _checks(
    client: AccountClient, draw: QuotaUse, stack: str, reservation_ids: frozenset[str]
) -> Iterator[AccountCheck]:
    item, quota, vcpus = _quota_label(draw), draw.quota, draw.vcpus
    if quota is None:
        yield unknown(NAME, item, "its quota code is unknown", f"see {_CONSOLE}")
        return
    if vcpus is None:
        reason = f"the vCPUs of {', '.join(draw.types)}, or their number, are unknown"
        yield unknown(NAME, item, reason, f"see {_CONSOLE}")
        return
    allowed = f"{vcpus} vCPUs for this stack"
    answer = client.ask(
        "service-quotas",
        draw.region,
        "get_service_quota",
        ServiceCode=quotas.SERVICE,
        QuotaCode=quota.code,
    )
    if isinstance(answer, NoAnswer):
        yield unknown(NAME, item, answer.why, answer.fix, allowed)
        return
    value = int(answer["Quota"]["Value"])
    if vcpus > value:
        fix = quotas.request(quota.code, draw.region, vcpus)
        state = f"{value} vCPUs"
        yield answered_check(NAME, item, fine=False, value=state, allowed=allowed, fix=fix)
        return
    used = _used_vcpus(client, draw, stack, reservation_ids, answer["Quota"])
    if isinstance(used, NoAnswer):
        reason = f"{value} vCPUs; the number in use is unknown: {used.why}"
        yield unknown(NAME, item, reason, used.fix, allowed)
        return
    text = "some of them perhaps by this stack" if used.includes_own_machines else "by others"
    state = f"{value} vCPUs, {used.vcpus} of them in use, {text}"
    is_fine = vcpus + used.vcpus <= value
    fix = quotas.request(quota.code, draw.region, vcpus + used.vcpus)
    if used.includes_own_machines and not is_fine:
        yield unknown(NAME, item, state, f"if others use them: {fix}", allowed)
    else:
        yield answered_check(NAME, item, fine=is_fine, value=state, allowed=allowed, fix=fix)


def _used_vcpus(
    client: AccountClient,
    draw: QuotaUse,
    stack: str,
    reservation_ids: frozenset[str],
    quota: dict[str, Any],
) -> _VcpuUsage | NoAnswer:
    """Return the used vCPUs of a quota: counted, else as last reported by CloudWatch."""
    used_by_others = _vcpus_of_others(client, draw, stack, reservation_ids)
    if not isinstance(used_by_others, NoAnswer):
        return _VcpuUsage(used_by_others, includes_own_machines=False)
    metric = _metric(client, draw, quota)
    return used_by_others if metric is None else _VcpuUsage(metric, includes_own_machines=True)


def _vcpus_of_others(
    client: AccountClient, draw: QuotaUse, stack: str, reservation_ids: frozenset[str]
) -> int | NoAnswer:
    """Return the vCPUs that others use: running machines and unused reservations.

    A reservation that the stack names counts, with the machines that use it: nothing else is
    bought for them.
    """
    machines = running(client, draw.region)
    if isinstance(machines, NoAnswer):
        return machines
    used = 0
    for instance in machines:
        is_of_stack = instance.stack == stack and instance.reservation not in reservation_ids
        if instance.market != draw.market or not _draws_on(draw, instance.type) or is_of_stack:
            continue
        if instance.vcpus is None:
            return _unknown_vcpus_answer(instance.type)
        used += instance.vcpus
    if draw.market == "spot":
        return used
    reserved = _unused_reservation_vcpus(client, draw, stack)
    return reserved if isinstance(reserved, NoAnswer) else used + reserved


def _unused_reservation_vcpus(client: AccountClient, draw: QuotaUse, stack: str) -> int | NoAnswer:
    """Return the vCPUs of unused reservations, which count as running.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html
    """
    reservations = client.all_rows(
        "ec2",
        draw.region,
        "describe_capacity_reservations",
        "CapacityReservations",
        Filters=[{"Name": "state", "Values": ["active"]}],
    )
    if isinstance(reservations, NoAnswer):
        return reservations
    used = 0
    for reservation in reservations:
        is_capacity_block = reservation.get("ReservationType") == "capacity-block"
        free = reservation["AvailableInstanceCount"]
        if (
            is_capacity_block
            or not free
            or not _draws_on(draw, reservation["InstanceType"])
            or tag(reservation, STACK_TAG) == stack
        ):
            continue
        machine_type = machine(reservation["InstanceType"])
        if machine_type is None or machine_type.vcpu is None:
            return _unknown_vcpus_answer(reservation["InstanceType"])
        used += free * machine_type.vcpu
    return used


def _metric(client: AccountClient, draw: QuotaUse, quota: dict[str, Any]) -> int | None:
    """Return all use of a quota as last reported by CloudWatch, this stack's own included.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Quotas-Visualize-Alarms.html
    """
    usage_metric = quota.get("UsageMetric")
    if not usage_metric:
        return None
    current_time = datetime.now(UTC)
    answer = client.ask(
        "cloudwatch",
        draw.region,
        "get_metric_statistics",
        Namespace=usage_metric["MetricNamespace"],
        MetricName=usage_metric["MetricName"],
        Dimensions=[
            {"Name": k, "Value": v} for k, v in sorted(usage_metric["MetricDimensions"].items())
        ],
        Statistics=["Maximum"],
        StartTime=current_time - timedelta(hours=_METRIC_HOURS),
        EndTime=current_time,
        Period=300,
    )
    if isinstance(answer, NoAnswer) or not answer["Datapoints"]:
        return None
    newest = max(answer["Datapoints"], key=lambda point: point["Timestamp"])
    return int(newest["Maximum"])


def _draws_on(draw: QuotaUse, type_: str) -> bool:
    return draw.quota is not None and quotas.quota(type_, draw.market) == draw.quota


def _unknown_vcpus_answer(type_: str) -> NoAnswer:
    return NoAnswer(
        kind="refused",
        why=f"the vCPUs of {type_}, which is running or reserved, are unknown",
        fix=f"see {_CONSOLE}",
    )
