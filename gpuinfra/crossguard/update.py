"""One preview or update as a policy pack sees it: each resource, then the whole stack."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import reduce

from pulumi.runtime.proto import analyzer_pb2 as proto

from gpuinfra.clouds.observing.values import unknown_inside
from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.cost.metered import usage_lines
from gpuinfra.cost.quote import add
from gpuinfra.crossguard import analyzer_messages, existing_resources
from gpuinfra.crossguard.policy_inputs import PolicyResource, PolicyStack
from gpuinfra.crossguard.policy_settings import ROOT, PolicySettings
from gpuinfra.crossguard.pricing_terms import terms
from gpuinfra.crossguard.resource_index import (
    ResourceIndex,
    depends_on_creation,
    ends_unknown,
    is_judged,
)
from gpuinfra.crossguard.running_total import RunningTotal
from gpuinfra.crossguard.serving import PolicyMessage
from gpuinfra.crossguard.settings import component_settings, program_settings
from gpuinfra.crossguard.subject_names import names_of, stack_name
from gpuinfra.crossguard.update_cost import ZERO_COST, Cost
from gpuinfra.crossguard.update_marks import with_outputs
from gpuinfra.errors import EngineError
from gpuinfra.model import Plan, Resource
from gpuinfra.planning import from_resources
from gpuinfra.records import record
from gpuinfra.rules import Rule
from gpuinfra.rules.budget import groups_without_sure_end
from gpuinfra.rules.policy_sources import JudgeSettings, sources_of
from gpuinfra.today import today

_ENGINE_TYPE_PREFIXES = ("pulumi:pulumi:", "pulumi:providers:")


@record(kw_only=False)
class _Registration:
    """A resource as it was shown, with its options about replacement."""

    resource: Resource
    aliases: tuple[str, ...]
    deletes_first: bool


class Update:
    """The state of one engine run, which shows parents and dependencies first."""

    def __init__(
        self,
        *,
        rules: Sequence[Rule],
        pack: PolicySettings,
        judge_settings: Mapping[str, JudgeSettings],
        dry_run: bool,
    ) -> None:
        """Initialize the run.

        Args:
            rules: of the pack; those of the budget count existing resources.
            pack: what the pack's configuration says to all rules.
            judge_settings: what it says of each rule.
            dry_run: whether this is a preview.
        """
        self.judge_settings = judge_settings
        self.programs: list[PolicySettings] = []
        self._components: list[PolicySettings] = []
        self.settings = self._pack = pack
        self.today: date = pack.as_of or today()
        self.readings = sources_of(rules, judge_settings, ())
        self._rules = rules
        self._counts = any(rule.family == "budget" for rule in rules)
        self._dry_run = dry_run
        self._reader = analyzer_messages.Reader()
        self._reported: set[PolicyMessage] = set()
        self._seen: dict[str, Resource] = {}
        self._existing: tuple[existing_resources.ExistingResource, ...] | None = None
        self._total: RunningTotal[ResourceIndex] | None = None
        self._places: dict[tuple[str, str], None] = {}
        self._left_out: dict[str, _Registration] = {}
        self._aliases: dict[str, tuple[str, ...]] = {}
        self._foresees, self.unreadable = False, ""
        self._not_known, self._sought = set[str](), set[str]()
        self._first: tuple[existing_resources.ExistingResource, ...] | None = None

    def read_component(self, request: proto.AnalyzeRequest) -> None:
        """Read the settings of a gpuinfra component; the stricter of its and the pack's apply.

        Raises:
            InputError: it says what makes no sense.
        """
        inputs = self._reader.resource(request).inputs
        if request.type == ROOT:
            self.programs.append(program_settings(inputs))
            self.readings = sources_of(self._rules, self.judge_settings, self.programs)
        else:
            self._components.append(component_settings(inputs))
        parts = (*self.programs, *self._components)
        self.settings = reduce(PolicySettings.stricter, parts, self._pack)
        if self._total is not None:
            self._total.becoming.usage = self.settings.usage

    def new_messages(self, messages: Iterable[PolicyMessage]) -> list[PolicyMessage]:
        """Return the messages that were not reported before in this run."""
        new = [message for message in dict.fromkeys(messages) if message not in self._reported]
        self._reported.update(new)
        return new

    def names(self, subject: str) -> tuple[str, ...]:
        """Return the names by which a waiver may refer to the subject of a finding."""
        return names_of(subject, self._seen)

    def count_resource(self, request: proto.AnalyzeRequest) -> PolicyResource | None:
        """Return a resource, counted once for all rules of the pack.

        None where there is nothing to say yet: for the engine's own resources, and at a preview
        for what depends on values that only an update knows, which the whole judges.
        """
        if request.type.startswith(_ENGINE_TYPE_PREFIXES):
            return None
        self._seen[request.urn] = resource = self._reader.resource(request)
        if self._first is None and depends_on_creation(resource.type):
            with suppress(EngineError):  # then nothing has an id at the end, and may come first
                self._existing_resources(resource.urn)
        options = request.options
        self._aliases[request.urn] = aliases = tuple(options.aliases)
        deletes_first = options.deleteBeforeReplaceDefined and options.deleteBeforeReplace
        current = _Registration(resource, aliases, deletes_first)
        depends = unknown_inside(resource.inputs)
        self._foresees = self._foresees or depends
        entry = self._count(current)
        is_known, judged = _is_known(entry), is_judged(resource.type)
        if is_known and not self._may_be_reserved(entry, depends=depends):
            return entry
        if depends or (self._foresees and judged and not is_known):
            self._running_total(resource.urn).leave_out(resource.urn)
            self._left_out[resource.urn] = current
            return None
        return self._look_again(current, entry) if judged else entry

    def _may_be_reserved(self, entry: PolicyResource, *, depends: bool) -> bool:
        """Return whether machines may run in a reservation of this update with an unknown id."""
        if depends:
            total = self._running_total(entry.urn)
            return bool(entry.plan.groups) and total.reservations.has_any(total.nameless())
        searched_before = self._sought
        self._sought = searched_before.union(entry.step.unknown_reservations)
        return self._sought != searched_before

    def _count(self, current: _Registration) -> PolicyResource:
        urn = current.resource.urn
        total = self._running_total(urn)
        step = total.count(current.resource, current.aliases, deletes_first=current.deletes_first)
        plan = replace(total.becoming.plan(current.resource), caps=self.settings.caps)
        nameless = total.reservations.has_any(total.nameless())
        return PolicyResource(
            urn=urn,
            name=current.resource.name,
            step=replace(
                step,
                total=step.total + self._usage_cost(plan),
                moved_reservations=tuple(total.reservations.reservations_with_moves(urn)),
                unknown_reservations=total.becoming.reservations(plan) if nameless else (),
                endless_groups=groups_without_sure_end(plan.groups),
            ),
            plan=plan,
            quote=lambda: self._estimate(ends_unknown(plan)),
            unregistered_resources=total.unregistered_billable,
        )

    def _look_again(self, current: _Registration, entry: PolicyResource) -> PolicyResource:
        """Count again, with the ids of resources that this update created.

        What refers to a replaced resource still has its old id.
        """
        urn = current.resource.urn
        self._not_known.add(urn)
        total = self._running_total(urn)
        if self._may_learn(total):
            try:
                total.add_outputs(self._existing_resources(urn))
            except EngineError as error:
                self.unreadable = str(error)
        elif entry.step.counted_twice:
            total.add_outputs(self._existing or ())
        else:
            return entry
        entry = self._count(current)
        if _is_known(entry):
            self._not_known.discard(urn)
        return entry

    def _may_learn(self, total: RunningTotal[ResourceIndex]) -> bool:
        """Return whether reading the state, a separate process, may provide a missing id.

        What is not known itself tells nothing of others.
        """
        return not self.unreadable and any(
            resource.urn not in self._not_known and is_judged(resource.type)
            for resource in total.nameless()
        )

    def _running_total(self, urn: str) -> RunningTotal[ResourceIndex]:
        if self._total is None:
            found_resources: tuple[existing_resources.ExistingResource, ...] = ()
            if self._counts:
                try:
                    found_resources = self._existing_resources(urn)
                except EngineError as error:
                    self.unreadable = str(error)
            self._total = RunningTotal(
                found_resources, lambda: ResourceIndex(self.settings.usage, self._estimate)
            )
        return self._total

    def _usage_cost(self, plan: Plan) -> Cost:
        """Return the monthly cost of metered usage, at the most expensive location so far."""
        of_items = ((item.cloud, item.region) for item in plan.items if item.region)
        self._places.update(dict.fromkeys((*plan.places, *of_items)))
        data = self.settings.usage.data
        if not (data and self._places):
            return ZERO_COST
        sums = add(usage_lines(data, tuple(self._places), self._terms()))
        return Cost(per_hour=sums.per_hour, per_month=sums.per_month, unknown=sums.missing)

    def _estimate(self, plan: Plan) -> Quote:
        return estimate(plan, self._terms())

    def _terms(self) -> PricingTerms:
        return terms(self.settings, self.today)

    def whole_stack(self, stack_request: proto.AnalyzeStackRequest) -> PolicyStack:
        """Return the whole stack, planned and priced once for all rules of the pack."""
        resources = self._with_ids(self._reader.all_resources(stack_request, self._seen))
        plan = from_resources(
            resources,
            name=stack_name(resources),
            caps=self.settings.caps,
            usage=self.settings.usage,
            outputs=self._reader.outputs(stack_request),
        )
        return PolicyStack(
            resources={resource.urn: resource for resource in resources},
            plan=plan,
            quote=self._estimate(plan),
            uncounted=self._meet_left_out(resources),
            is_preview=self._dry_run,
        )

    def _meet_left_out(self, resources: tuple[Resource, ...]) -> tuple[PolicyResource, ...]:
        """Count the resources that a preview left out, once their dependencies are known."""
        left_out, self._left_out = self._left_out, {}
        if not left_out:
            return ()
        related = {resource.urn: resource.relations for resource in resources}
        self._running_total(next(iter(left_out))).relate(related)
        return tuple(
            self._count(replace(item, resource=replace(item.resource, relations=related[urn])))
            for urn, item in left_out.items()
            if urn in related
        )

    def _with_ids(self, resources: tuple[Resource, ...]) -> tuple[Resource, ...]:
        """Return the resources with their ids from the state, since the engine shows none.

        What the state does not know, at a preview, is found by property dependency instead.
        """
        nameless = [
            resource.urn
            for resource in resources
            if is_judged(resource.type) and "id" not in resource.outputs
        ]
        if not nameless:
            return resources
        try:
            found_resources = self._existing_resources(nameless[0])
        except EngineError:
            return resources
        return with_outputs(resources, found_resources, self._first, self._aliases)

    def _existing_resources(self, urn: str) -> tuple[existing_resources.ExistingResource, ...]:
        """Return the existing resources; a preview changes nothing, so it reads them once.

        Raises:
            EngineError: the state can't be read.
        """
        if self._existing is None or not self._dry_run:
            self._existing = existing_resources.existing_resources(urn)
            self._first = self._existing if self._first is None else self._first
        return self._existing


def _is_known(entry: PolicyResource) -> bool:
    return not (entry.plan.not_judged or entry.step.growth.unknown)
