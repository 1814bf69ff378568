"""The creation of a lock from a stack, its plan and its quote."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.price_book import SPOT_CEILING
from gpuinfra.clouds import tables
from gpuinfra.clouds.image_name import ImageName, declared_image
from gpuinfra.cost import Line, PricingTerms, estimate
from gpuinfra.lock.contents import Image, Lock, LockedPart, LockedRung, LockedWorkload, Totals
from gpuinfra.lock.normalized_values import stack_values
from gpuinfra.model import Caps, Group, Item, Plan, Price
from gpuinfra.planning.declared_stack import workload_graph
from gpuinfra.specs import Stack
from gpuinfra.version import VERSION

BUCKET_PREFIX: Final = "buckets."
"""The prefix of the subject of a bucket's cost."""


def make(
    stack: Stack,
    plan: Plan,
    terms: PricingTerms,
    *,
    file: str,
    prices: str | None = None,
    old_lock: Lock | None = None,
) -> Lock:
    """Return the lock of a stack: the plan's machines, and the price rows that its quote uses.

    Args:
        stack: what the file says.
        plan: of the file, with all rungs.
        terms: on which it is priced.
        file: the stack file's name.
        prices: the digest of the `prices.yaml` beside it.
        old_lock: a lock whose image ids stay where the image is found in the same way.
    """
    locked_values = stack_values(stack)
    plan = _sorted_plan(plan)
    quote = estimate(plan, terms)
    items, lines = _items_by_owner(plan), _lines_by_workload(quote.lines)
    groups = {group.name: group for group in plan.groups}
    used = {
        **{
            name: _used_price_rows(_part((group,), items[name]), terms)
            for name, group in groups.items()
        },
        **{
            name: _used_price_rows(_part((), items[name]), terms)
            for name in items
            if name not in groups
        },
    }
    other_rows = set(_used_price_rows(plan, terms)).difference(*used.values())
    ids = _ids(old_lock)
    return Lock(
        file=file,
        stack=locked_values.digest,
        prices=prices,
        catalog=tables.digest(),
        versions={"gpuinfra": VERSION, "grammar": str(stack.version)},
        settings=locked_values.settings,
        workloads={
            name: LockedWorkload(
                kind=locked_values.kinds[name],
                cloud=groups[name].cloud,
                declared_values=values,
                rungs=tuple(_rungs(stack, groups[name], ids, quote.skip_reasons)),
                prices=used[name],
                lines=tuple(lines[name]),
            )
            for name, values in locked_values.workloads.items()
        },
        buckets={
            name: LockedPart(
                declared_values=values,
                prices=used.get(f"{BUCKET_PREFIX}{name}", ()),
                lines=tuple(lines[f"{BUCKET_PREFIX}{name}"]),
            )
            for name, values in locked_values.buckets.items()
        },
        others=LockedPart(prices=tuple(sorted(other_rows, key=_order)), lines=tuple(lines[""])),
        totals=Totals(per_hour=quote.per_hour, per_month=quote.per_month, per_run=quote.per_run),
        unpriced=quote.unpriced,
    )


def _sorted_plan(plan: Plan) -> Plan:
    """Return the plan in a fixed order, since the sum of decimals depends on it slightly."""
    return replace(
        plan,
        groups=tuple(sorted(plan.groups, key=lambda group: group.name)),
        items=tuple(sorted(plan.items, key=lambda item: item.subject)),
        buckets=tuple(sorted(plan.buckets, key=lambda bucket: bucket.name)),
    )


def _rungs(
    stack: Stack,
    group: Group,
    ids: Mapping[tuple[str, str, str], str],
    skip_reasons: Mapping[tuple[str, str], str | None],
) -> Iterable[LockedRung]:
    for rung in group.rungs:
        image = _image_of(stack, replace(group, rungs=(replace(rung, image=None),), active_rung=0))
        key = (image.found_by, image.name, rung.region)
        yield LockedRung(
            capacity=rung.capacity,
            region=rung.region,
            zones=rung.zones,
            machine=rung.machine,
            max_price=rung.max_price,
            skip_reason=skip_reasons[group.name, rung.label],
            image=Image(found_by=image.found_by, name=image.name, id=image.id or ids.get(key)),
        )


def _image_of(stack: Stack, group: Group) -> ImageName:
    """Return the image of a workload on the only rung of its group, not resolved yet."""
    graph = workload_graph(stack, group)
    (workload,) = graph.outputs
    return declared_image(graph, workload)


def _ids(old_lock: Lock | None) -> dict[tuple[str, str, str], str]:
    """Return the resolved image ids of a lock, by lookup and region."""
    rungs = () if old_lock is None else (rung for _, rung in old_lock.rungs())
    return {
        (rung.image.found_by, rung.image.name, rung.region): rung.image.id
        for rung in rungs
        if rung.image.id is not None
    }


def _part(groups: tuple[Group, ...], items: Iterable[Item]) -> Plan:
    """Return a part of a plan as a plan."""
    return Plan(name="part", owner=None, caps=Caps(), groups=groups, items=tuple(items))


def _used_price_rows(plan: Plan, terms: PricingTerms) -> tuple[Price, ...]:
    """Return the price rows that the quote of a plan uses, on all rungs."""
    recorder = _Recorder(terms.prices)
    estimate(plan, replace(terms, prices=recorder))
    return tuple(sorted(recorder.recorded, key=_order))


def _order(row: Price) -> tuple[str, ...]:
    return (*row.key, row.zone or "", row.as_of, row.source)


def _items_by_owner(plan: Plan) -> dict[str, list[Item]]:
    """Return a plan's items by workload or `buckets.<name>`; items of neither are left out."""
    by_owner: dict[str, list[Item]] = defaultdict(list)
    for item in plan.items:
        if owner := _owner(item.group, item.subject):
            by_owner[owner].append(item)
    return by_owner


def _lines_by_workload(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Return a quote's lines by workload or `buckets.<name>`; other lines under an empty name.

    Where a price comes from, the price rows say.
    """
    by_owner: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_owner[_owner(line.group, line.subject)].append(replace(line, source=""))
    return by_owner


def _owner(group: str | None, subject: str) -> str:
    if group is not None:
        return group
    return subject if subject.startswith(BUCKET_PREFIX) else ""


class _Recorder(PriceBook):
    """The prices of another book; `recorded` has each row that was requested and found, once."""

    def __init__(self, book: PriceBook) -> None:
        super().__init__(book.own_rows, rates=book.rates, machines=book.machines)
        self.recorded: dict[Price, None] = {}
        self._book = book

    def rows(self, cloud: str, item: str, region: str, mode: str) -> tuple[Price, ...]:
        """Return all rows of the other book, without recording them."""
        return self._book.rows(cloud, item, region, mode)

    def list_price(self, cloud: str, item: str, region: str, mode: str) -> Price | None:
        """Return the newest list price of the other book, and record it."""
        return self._record_price(self._book.list_price(cloud, item, region, mode))

    def spot_ceiling(self, cloud: str, machine: str, region: str) -> Price | None:
        """Return the spot ceiling of the other book, and record it as a row of its own."""
        price = self._book.spot_ceiling(cloud, machine, region)
        self._record_price(None if price is None else replace(price, mode=SPOT_CEILING))
        return price

    def spot(
        self, cloud: str, machine: str, region: str, zones: tuple[str, ...] = ()
    ) -> Price | None:
        """Return the spot price of the other book, and record it."""
        return self._record_price(self._book.spot(cloud, machine, region, zones))

    def _record_price(self, price: Price | None) -> Price | None:
        if price is not None:
            self.recorded[price] = None
        return price
