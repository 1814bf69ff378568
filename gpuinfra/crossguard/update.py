"""One preview or update as a policy pack sees it: resource by resource, then the whole."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache, reduce

import pulumi
from pulumi_policy import ResourceValidationArgs, StackValidationArgs

from gpuinfra.catalog import CATALOG, Book
from gpuinfra.cost import Quote, Terms, estimate
from gpuinfra.cost.metered import used_up
from gpuinfra.cost.rungs import add
from gpuinfra.crossguard import convert, state
from gpuinfra.crossguard.settings import ROOT, OwnWord, Said
from gpuinfra.crossguard.subjects import names_of
from gpuinfra.crossguard.total import NOTHING, Cost, RunningTotal, Step
from gpuinfra.crossguard.world import Rooms, is_judged
from gpuinfra.errors import EngineError
from gpuinfra.model import Plan, Price, Resource
from gpuinfra.own.carried import only_dearer
from gpuinfra.planning import from_resources
from gpuinfra.stackfile.schema import Prices

_OF_THE_ENGINE = ("pulumi:pulumi:", "pulumi:providers:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A resource as the pack met it.

    Attributes:
        name: its own name.
        step: what it does to the running total.
        plan: a plan of it alone, as far as it and what it refers to show it.
        quote: what that plan costs.
        waiting: tells what stands and was not registered so far; some of it may be going away.
    """

    name: str
    step: Step
    plan: Plan
    quote: Quote
    waiting: Callable[[], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Shown:
    """A resource as it was shown, with what its options say of a replacement."""

    resource: Resource
    aliases: tuple[str, ...]
    deletes_first: bool


class Update:
    """What is known of one run of the engine; parents and dependencies are shown first."""

    def __init__(self, *, counts: bool) -> None:
        """Begin; `counts` says whether what stands already matters, so that state is read."""
        self.pack = Said()
        self.programs: list[Said] = []
        self.unreadable = ""
        self._counts = counts
        self._seen: dict[str, Resource] = {}
        self._total: RunningTotal[Rooms] | None = None
        self._places: dict[tuple[str, str], None] = {}
        self._latest: tuple[str, Met | None] = ("", None)
        self._left_out: dict[str, _Shown] = {}
        self._foresees = False
        self._rows: tuple[Resource, ...] | None = None
        self._whole: tuple[Plan, Quote] | None = None

    @property
    def said(self) -> Said:
        """What holds: the stricter of the pack's word and the program's."""
        return reduce(Said.stricter, self.programs, self.pack)

    @property
    def today(self) -> date:
        """The day that prices age by and waivers end by."""
        return self.pack.as_of or datetime.now(UTC).date()

    def names(self, subject: str) -> tuple[str, ...]:
        """What a waiver may call the subject of a finding."""
        return names_of(subject, self._seen)

    def meet(self, args: ResourceValidationArgs) -> Met | None:
        """A resource, counted once for all rules of the pack.

        None where there is nothing to say yet: for the engine's own resources, and at a preview
        for what depends, if through others, on values that only an update knows. The stack
        policies judge that.
        """
        if self._latest[0] != args.urn:
            self._rows = self._whole = None
            self._latest = (args.urn, self._first_met(args))
        return self._latest[1]

    def _first_met(self, args: ResourceValidationArgs) -> Met | None:
        if args.resource_type.startswith(_OF_THE_ENGINE):
            return None
        resource = convert.one(args)
        self._seen[resource.urn] = resource
        shown = _Shown(resource, tuple(args.opts.aliases), bool(args.opts.delete_before_replace))
        depends = convert.unknown_inside(resource.inputs)
        self._foresees = self._foresees or depends
        met = self._count(shown)
        if not (met.plan.not_judged or met.step.growth.unknown):
            return met
        judged = is_judged(resource.type)
        if depends or (judged and self._foresees):
            self._running(resource.urn).leave_out(resource.urn)
            self._left_out[resource.urn] = shown
            return None
        return self._look_again(shown) if judged else met

    def _count(self, shown: _Shown) -> Met:
        total = self._running(shown.resource.urn)
        step = total.see(shown.resource, shown.aliases, deletes_first=shown.deletes_first)
        plan = total.becoming.plan(shown.resource, self.said.caps)
        return Met(
            name=shown.resource.name,
            step=replace(step, total=step.total + self._used_up(plan)),
            plan=plan,
            quote=self._estimate(plan),
            waiting=total.waiting,
        )

    def _look_again(self, shown: _Shown) -> Met:
        """Count again, with the ids of what this update made: it may refer to one of those."""
        total = self._running(shown.resource.urn)
        try:
            total.learn(state.standing(shown.resource.urn))
        except EngineError as error:
            self.unreadable = self.unreadable or str(error)
        return self._count(shown)

    def _running(self, urn: str) -> RunningTotal[Rooms]:
        if self._total is None:
            standing: tuple[state.Standing, ...] = ()
            if self._counts:
                try:
                    standing = state.standing(urn)
                except EngineError as error:
                    self.unreadable = str(error)
            self._total = RunningTotal(standing, lambda: Rooms(self.said.usage, self._estimate))
        return self._total

    @staticmethod
    @lru_cache(8)
    def _prices(
        own: tuple[Price, ...], rates: tuple[tuple[str, Decimal], ...], word: OwnWord
    ) -> Book:
        """The tables under what was said, one book for as long as the same is said."""
        tables = Book(rates=dict(rates)) if rates else CATALOG
        counts = only_dearer(own, tables) if word == "dearer" else own
        return tables.over(counts) if counts else tables

    def _used_up(self, plan: Plan) -> Cost:
        """What the stack uses up in a month, where it costs the most of all places so far."""
        of_items = ((one.cloud, one.region) for one in plan.items if one.region)
        self._places.update(dict.fromkeys((*plan.places, *of_items)))
        data = self.said.usage.data
        if not (data and self._places):
            return NOTHING
        sums = add(used_up(data, tuple(self._places), self._terms()))
        return Cost(per_hour=sums.per_hour, per_month=sums.per_month, unknown=sums.missing)

    def _estimate(self, plan: Plan) -> Quote:
        return estimate(plan, self._terms())

    def _terms(self) -> Terms:
        said = self.said
        return Terms(
            as_of=self.today,
            accept_outdated=bool(said.accept_outdated),
            outdated_after_days=said.outdated_after_days or Prices().outdated_after_days,
            not_counted=said.not_counted or (),
            prices=self._prices(
                said.own, tuple(sorted((said.exchange_rates or {}).items())), said.own_prices
            ),
        )

    def whole(self, args: StackValidationArgs) -> tuple[Plan, Quote]:
        """The plan of the whole program and its quote, made once for all rules of the pack."""
        if self._whole is None:
            said, resources = self.said, _with_ids(self._shown(args))
            plan = from_resources(
                resources, name=_name(resources), caps=said.caps, usage=said.usage
            )
            self._whole = (plan, self._estimate(plan))
        return self._whole

    def _shown(self, args: StackValidationArgs) -> tuple[Resource, ...]:
        """The resources of the whole program, turned into rows once for all rules of the pack."""
        if self._rows is None:
            self._rows = convert.whole(args, self._seen)
        return self._rows

    def comes_later(self, args: StackValidationArgs, keys: Sequence[str]) -> bool:
        """Whether this is a preview in which inputs of these names wait for other resources."""
        if not keys or not pulumi.runtime.is_dry_run():
            return False
        waiting = [
            bool(one.relations.get(key))
            for one in self._shown(args)
            for key in keys
            if convert.unknown_inside(one.inputs.get(key))
        ]
        return bool(waiting) and all(waiting)

    def meet_left_out(self, args: StackValidationArgs) -> list[Met]:
        """At a preview, what was left out: now it is shown which resources it depends on."""
        left_out, self._left_out = self._left_out, {}
        if not left_out:
            return []
        related = {one.urn: one.relations for one in self._shown(args)}
        self._running(next(iter(left_out))).relate(related)
        return [
            self._count(replace(one, resource=replace(one.resource, relations=related[urn])))
            for urn, one in left_out.items()
            if urn in related
        ]


def _with_ids(resources: tuple[Resource, ...]) -> tuple[Resource, ...]:
    """The resources with the ids that the state knows: the engine shows a policy none.

    What the state does not know, at a preview, is found by property dependency instead.
    """
    nameless = [one.urn for one in resources if is_judged(one.type) and "id" not in one.outputs]
    if not nameless:
        return resources
    try:
        known = {
            one.resource.urn: one.resource for one in state.standing(nameless[0]) if one.current
        }
    except EngineError:
        return resources
    return tuple(
        replace(one, outputs={**known[one.urn].outputs, **one.outputs})
        if one.urn in known
        else one
        for one in resources
    )


def _name(resources: tuple[Resource, ...]) -> str:
    """What to call the whole: as its root component does, or else its project, out of any URN."""
    root = next((one.name for one in resources if one.type == ROOT), None)
    return root or next((one.urn.split("::")[1] for one in resources), "stack")
