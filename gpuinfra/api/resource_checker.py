"""Plans, prices and judges the resources of a Pulumi preview or state."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial, reduce

from gpuinfra import cost, planning, pulumi_files, rules
from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.api.former_machines import overlap_quote, with_former_machines
from gpuinfra.catalog import PriceBook
from gpuinfra.crossguard.policy_settings import ROOT, PolicySettings
from gpuinfra.crossguard.pricing_terms import terms
from gpuinfra.crossguard.subject_names import SECTIONS, names_of
from gpuinfra.model import Plan, Resource
from gpuinfra.records import record
from gpuinfra.rules.deferred import DeferredAnswers, mark_deferred
from gpuinfra.rules.policy_sources import (
    JudgeContext,
    PolicySource,
    given_of,
    sources_of,
    strictest_verdict,
)


@record
class ResourceJudgement:
    """The plan, quote and verdict of resources, with secrets still in them."""

    plan: Plan
    quote: cost.Quote
    verdict: rules.Verdict


@record
class Checker:
    """Checks resources with the settings of their Pulumi file or program.

    `before` is the plan before the update, None where the file shows none, and `overlap` the cost
    of what is deleted only after its replacement is created.
    """

    pulumi_stack: pulumi_files.PulumiStack
    settings: CheckSettings
    policy: PolicySettings
    policy_sources: tuple[PolicySource, ...]
    day: date
    names: Callable[[str], tuple[str, ...]]
    before: Plan | None
    overlap: cost.Quote | None

    def terms(self, prices: PriceBook | None = None) -> cost.PricingTerms:
        """Return the terms of a quote; `prices` replaces the file's book."""
        return terms(self.policy, self.day, prices or self.settings.prices)

    def judge(self, resources: Sequence[Resource]) -> ResourceJudgement:
        """Plan, price and judge resources."""
        plan = planning.from_resources(
            resources,
            name=self.pulumi_stack.name,
            caps=self.policy.caps,
            usage=self.policy.usage,
            outputs=self.pulumi_stack.outputs,
        )
        plan = replace(plan, not_judged=(*plan.not_judged, *self.pulumi_stack.not_read))
        priced, notes = with_former_machines(plan, self.before, self.pulumi_stack, self.terms())
        plan = replace(plan, not_judged=priced.not_judged)
        quote = cost.estimate(priced, self.terms())
        quote = replace(quote, warnings=(*quote.warnings, *notes))
        verdict = self._verdict(plan, quote)
        if self.pulumi_stack.created_urns:
            deferred = DeferredAnswers(
                {resource.urn: resource for resource in resources},
                self.pulumi_stack.is_written_later,
            )
            verdict = mark_deferred(verdict, rules.RULES, deferred)
        return ResourceJudgement(plan=plan, quote=quote, verdict=verdict)

    def _verdict(self, plan: Plan, quote: cost.Quote) -> rules.Verdict:
        stack, lock = self.settings.stack, None
        if stack is not None:
            from gpuinfra.api.checking import locked_totals  # noqa: PLC0415  (only with --stack)

            lock = locked_totals(stack, lambda book: cost.estimate(plan, self.terms(book)))
        ground = JudgeContext(
            plan=plan,
            quote=quote,
            waivers=self.policy.waivers,
            today=self.day,
            names=self.names,
            locked=lock,
            overlap=self.overlap,
        )
        return strictest_verdict(ground, self.policy_sources, rules.RULES)


def checker_of(
    pulumi_stack: pulumi_files.PulumiStack, settings: CheckSettings, day: date
) -> Checker:
    """Return what checks a file's resources with its settings, for a day."""
    programs, components = _policy_settings_in_program(pulumi_stack.resources)
    policy = reduce(PolicySettings.stricter, (*programs, *components), settings.policy)
    before = _plan_before(pulumi_stack, policy)
    return Checker(
        pulumi_stack=pulumi_stack,
        settings=settings,
        policy=policy,
        policy_sources=sources_of(rules.RULES, given_of(settings.rules), programs),
        day=day,
        names=partial(
            names_of, resources={resource.urn: resource for resource in pulumi_stack.resources}
        ),
        before=before,
        overlap=overlap_quote(
            before, pulumi_stack, policy.usage, terms(policy, day, settings.prices)
        ),
    )


def _plan_before(pulumi_stack: pulumi_files.PulumiStack, policy: PolicySettings) -> Plan | None:
    """Return the plan before a preview's update; None where the file shows none."""
    former = pulumi_stack.former_resources
    return (
        planning.from_resources(
            former, name=pulumi_stack.name, caps=policy.caps, usage=policy.usage
        )
        if former
        else None
    )


def _policy_settings_in_program(
    resources: Sequence[Resource],
) -> tuple[list[PolicySettings], list[PolicySettings]]:
    """Return the policy settings in the inputs of the program's root and of components."""
    if not any(resource.type == ROOT or resource.type in SECTIONS for resource in resources):
        return [], []
    from gpuinfra.crossguard.settings import component_settings, program_settings  # noqa: PLC0415

    return (
        [program_settings(resource.inputs) for resource in resources if resource.type == ROOT],
        [
            component_settings(resource.inputs)
            for resource in resources
            if resource.type in SECTIONS
        ],
    )
