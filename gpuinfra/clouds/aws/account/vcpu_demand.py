"""The vCPUs of each quota that the machines of a stack use, with pools at their maximum."""

from collections.abc import Iterable, Iterator

from gpuinfra.clouds.aws.account import quotas
from gpuinfra.clouds.aws.account.quotas import Market, Quota
from gpuinfra.clouds.aws.account.workload_needs import WorkloadNeed
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.records import record


@record
class QuotaUse:
    """The use of one quota in a region by a stack.

    `quota` is None where no code is known for `types`; `vcpus` is None where their number is not
    known. `workloads` are those that draw on it.
    """

    region: str
    market: Market
    quota: Quota | None
    types: tuple[str, ...]
    vcpus: int | None
    workloads: tuple[str, ...]


@record(kw_only=False)
class _Use:
    """The use of one workload on one rung, with all of its machines of the same type."""

    need: WorkloadNeed
    market: Market
    quota: Quota | None
    machine_type: str
    vcpus: int | None


def quota_uses(needs: Iterable[WorkloadNeed]) -> Iterator[QuotaUse]:
    """Yield the maximum use of each quota by all workloads together.

    Only one rung of a workload is active, and all machines of a pool of mixed types may be
    the largest: of a workload the largest counts.
    """
    by_quota: dict[tuple[str, str], list[_Use]] = {}
    for need in needs:
        for use in _uses(need):
            name = use.quota.code if use.quota is not None else f"{use.market} {use.machine_type}"
            by_quota.setdefault((need.rung.region, name), []).append(use)
    for (region, _), quota_uses_list in by_quota.items():
        yield QuotaUse(
            region=region,
            market=quota_uses_list[0].market,
            quota=quota_uses_list[0].quota,
            types=tuple(dict.fromkeys(entry.machine_type for entry in quota_uses_list)),
            vcpus=_total_vcpus(quota_uses_list),
            workloads=tuple(dict.fromkeys(entry.need.workload for entry in quota_uses_list)),
        )


def _uses(need: WorkloadNeed) -> Iterator[_Use]:
    purchase_counts: tuple[tuple[Market, int | None], ...] = (
        ("on-demand", need.on_demand),
        ("spot", need.spot),
    )
    for market, count in purchase_counts:
        if count == 0:
            continue
        for type_ in need.types:
            machine_type = machine(type_)
            size = None if machine_type is None else machine_type.vcpu
            vcpus = None if size is None or count is None else size * count
            yield _Use(need, market, quotas.quota(type_, market), type_, vcpus)


def _total_vcpus(vcpu_uses: list[_Use]) -> int | None:
    most: dict[str, int] = {}
    for use in vcpu_uses:
        if use.vcpus is None:
            return None
        most[use.need.workload] = max(most.get(use.need.workload, 0), use.vcpus)
    return sum(most.values())
