"""The plan of a stack file: every workload with its ladder, disks, network and facts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property, partial

from gpuinfra import logs
from gpuinfra.catalog import CATALOG, PriceBook, cloud_with, unknown_region
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import InputError, PathPart, Problem
from gpuinfra.model import Bucket, Caps, Group, Item, Plan
from gpuinfra.planning import unsupported_keys
from gpuinfra.planning.active_rungs import groups_on_named_rungs
from gpuinfra.planning.cloud_choice import choose_clouds, on_rung
from gpuinfra.planning.cloud_offers import CloudOffer
from gpuinfra.planning.colocation import colocated_workloads, mounts
from gpuinfra.planning.declared_stack import first_sharing
from gpuinfra.planning.locations import ANY, CloudPlace, Places, check_places, with_regions
from gpuinfra.planning.observed_plan import costs_of, with_facts
from gpuinfra.planning.usage import to_usage
from gpuinfra.planning.workloads import PlanningContext, pool, training
from gpuinfra.specs.schema import Inference, Stack, Training
from gpuinfra.specs.storage import Bucket as StackBucket

Path = tuple[PathPart, ...]


def from_stack(
    stack: Stack,
    *,
    rungs: Mapping[str, str] | None = None,
    prices: PriceBook = CATALOG,
    locked: Mapping[tuple[str, str], str] | None = None,
) -> Plan:
    """Return the plan of a stack file: the choices, and the facts of the declared resources.

    The arguments are those of `choices`.

    Raises:
        InputError: every planning problem of the file, by path, in the order of the file.
    """
    return with_facts(stack, choices(stack, rungs=rungs, prices=prices, locked=locked))


def choices(
    stack: Stack,
    *,
    rungs: Mapping[str, str] | None = None,
    prices: PriceBook = CATALOG,
    locked: Mapping[tuple[str, str], str] | None = None,
) -> Plan:
    """Choose clouds, machines and rungs; `rungs` names workloads' rungs by label or mode.

    Where `cloud: any` leaves a choice, each workload takes the cloud that holds it at the least
    price, together with those that share a bucket with it; its group says why. A label in `rungs`
    names the cloud of its region too. `prices` is what machines and clouds are compared by.
    `locked` is the machine type of each workload's rung, by its label, that a lock chose before;
    it settles the cloud too.

    Raises:
        InputError: every planning problem of the file, by path, in the order of the file.
    """
    planner = _Planner(stack, prices, locked or {})
    chosen_rungs = rungs or {}
    offers = {
        name: on_rung(on_rung(workload_offers, planner.locked_label(name)), chosen_rungs.get(name))
        for name, workload_offers in planner.offers().items()
    }
    colocations = colocated_workloads(stack, planner.mounted, planner.clouds)
    offers_taken = choose_clouds(offers, colocations, prices, planner.problems)
    groups = tuple(group for offer in offers_taken.values() if (group := offer.group) is not None)
    buckets = tuple(planner.buckets({name: offer.cloud for name, offer in offers_taken.items()}))
    planner.problems += unsupported_keys.of_linked(stack, groups, buckets)
    planner.problems += unsupported_keys.of_locked(stack)
    groups = groups_on_named_rungs(
        groups, chosen_rungs, (*stack.training, *stack.inference), planner.problems
    )
    if planner.problems:
        raise InputError(tuple(dict.fromkeys(planner.problems)))
    for group in groups:
        steps = ", ".join(f"{rung.machine} {rung.label}" for rung in group.rungs)
        logs.debug("planned %s on %s: %s", group.name, group.cloud, steps)
    return Plan(
        name=stack.name,
        owner=stack.owner,
        caps=caps(stack),
        groups=groups,
        buckets=buckets,
        data=planner.usage.data,
        from_file=True,
    )


def caps(stack: Stack) -> Caps:
    """Return the caps that a stack file sets."""
    budget = stack.budget
    if budget is None:
        return Caps()
    return Caps(
        per_hour=budget.per_hour,
        per_run=budget.per_run,
        per_month=budget.per_month,
        notify=budget.notify,
        billing_account=budget.billing_account,
    )


class _Planner:
    """A planner that processes a stack in the order of the file and collects its problems."""

    def __init__(
        self, stack: Stack, prices: PriceBook, locked_machines: Mapping[tuple[str, str], str]
    ) -> None:
        self.stack = stack
        self.prices = prices
        self.locked: dict[str, dict[str, str]] = {}
        for (name, label), type_ in locked_machines.items():
            self.locked.setdefault(name, {})[label] = type_
        self.usage = to_usage(stack)
        self.mounted = mounts(stack)
        self.top = check_places(stack.where, ("where",))
        self.own_places: dict[str, Places] = {}
        self.costs: dict[str, Callable[[], tuple[Item, ...]]] = {}
        self.problems: list[Problem] = list(self.top.problems)

    @cached_property
    def clouds(self) -> tuple[str, ...]:
        """The clouds that the file allows, those of the top-level `where` first."""
        workloads = (*self.stack.training.values(), *self.stack.inference.values())
        locations = (
            self.stack.where,
            *(work.where for work in workloads if work.where is not None),
        )
        cloud_lists = (
            CLOUDS if location.cloud == ANY else (location.cloud,) for location in locations
        )
        return tuple(dict.fromkeys(cloud for cloud_list in cloud_lists for cloud in cloud_list))

    def offers(self) -> dict[str, tuple[CloudOffer, ...]]:
        """Return the offers of each cloud that a workload allows."""
        return {
            **{
                name: self._offers(work, ("training", name), self._plan(training, name, work))
                for name, work in self.stack.training.items()
            },
            **{
                name: self._offers(work, ("inference", name), self._plan(pool, name, work))
                for name, work in self.stack.inference.items()
            },
        }

    def _plan(
        self, plan: Callable[..., Group | None], name: str, workload: Training | Inference
    ) -> Callable[[PlanningContext], Group | None]:
        network = workload.network or self.stack.network
        return partial(plan, name, workload, locked=self.locked.get(name, {}), network=network)

    def locked_label(self, name: str) -> str | None:
        """Return a rung label of the lock, whose region tells the cloud; None if it has none."""
        return next(iter(self.locked.get(name, ())), None)

    def buckets(self, region_by_group: Mapping[str, str]) -> Iterator[Bucket]:
        """Yield the buckets, each on the cloud of the workloads that mount it."""
        regions = {
            bucket_place.cloud: bucket_place.regions[0]
            for workload_places in (*reversed(self.own_places.values()), self.top)
            for bucket_place in reversed(workload_places.places)
        }
        for name, bucket in self.stack.buckets.items():
            workload_region = next(
                (
                    region_by_group[bucket]
                    for bucket in self.mounted.get(name, ())
                    if bucket in region_by_group
                ),
                None,
            )
            bucket_place = self._bucket_place(name, bucket, workload_region, regions)
            if bucket_place is None:
                continue
            cloud, region = bucket_place
            self.problems += unsupported_keys.check_stack_keys(cloud, self.stack)
            self.problems += unsupported_keys.of_bucket(cloud, bucket, ("buckets", name))
            self.problems += unsupported_keys.check_bucket_values(
                cloud, bucket, ("buckets", name), region
            )
            yield Bucket(name=name, subject=f"buckets.{name}", cloud=cloud, region=region)

    def _bucket_place(
        self,
        name: str,
        bucket: StackBucket,
        workload_region: str | None,
        regions: Mapping[str, str],
    ) -> tuple[str, str] | None:
        """Return the cloud and region of a bucket: its own, or those of its first mounter."""
        if bucket.region is None:
            cloud = workload_region or self.top.default_place.cloud
            return cloud, regions[cloud]
        cloud = (
            workload_region
            or cloud_with(bucket.region, self.clouds)
            or self.top.default_place.cloud
        )
        wrong = unknown_region(cloud, bucket.region, ("buckets", name, "region"))
        self.problems += [] if wrong is None else [wrong]
        return None if wrong else (cloud, bucket.region)

    def _offers(
        self,
        workload: Training | Inference,
        path: Path,
        plan: Callable[[PlanningContext], Group | None],
    ) -> tuple[CloudOffer, ...]:
        where = self.top
        if workload.where is not None:
            where = self.own_places[str(path[1])] = check_places(workload.where, (*path, "where"))
            self.problems += where.problems
        steps = workload.capacity if isinstance(workload, Training) else ()
        remaining_places, wrong = with_regions(
            where.places,
            [
                (step.region, (*path, "capacity", index, "region"))
                for index, step in enumerate(steps)
                if step.region is not None
            ],
        )
        self.problems += wrong
        self.problems += unsupported_keys.of_spot_price(workload, path)
        return tuple(
            self._offer(workload, path, plan, place, is_only_place=len(remaining_places) == 1)
            for place in remaining_places
        )

    def _offer(
        self,
        workload: Training | Inference,
        path: Path,
        plan: Callable[[PlanningContext], Group | None],
        cloud_place: CloudPlace,
        *,
        is_only_place: bool,
    ) -> CloudOffer:
        problems: list[Problem] = []
        group = plan(PlanningContext(place=cloud_place, prices=self.prices, problems=problems))
        problems += unsupported_keys.check_keys(cloud_place.cloud, self.stack, workload, path)
        problems += unsupported_keys.of_start(cloud_place.cloud, workload, path)
        if is_only_place:
            problems += unsupported_keys.of_spot_maximum(cloud_place.cloud, workload, path)
        return CloudOffer(
            cloud=cloud_place.cloud,
            group=group,
            costs=self._costs(workload, group),
            problems=tuple(problems),
        )

    def _costs(
        self, workload: Training | Inference, group: Group | None
    ) -> Callable[[], tuple[Item, ...]]:
        """Return a function for the costs other than machines, cached for equal workloads.

        The first that shares a network pays for it, and no other does.
        """
        pays_network = group is not None and group.name == first_sharing(self.stack)
        network_group = (
            group if group is None or pays_network else replace(group, name="", subject="")
        )
        costs = cache(partial(costs_of, self.stack, group))
        return self.costs.setdefault(f"{workload!r} {network_group!r}", costs)
