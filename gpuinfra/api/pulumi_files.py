"""The check of a Pulumi preview or state, as a typed result."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from gpuinfra import pulumi_files, rules
from gpuinfra.api.check_settings import unmatched_words
from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.api.former_machines import leaving_notes
from gpuinfra.api.resource_checker import Checker, ResourceJudgement, checker_of
from gpuinfra.api.results import CheckResult
from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import refreshing
from gpuinfra.errors import InputError
from gpuinfra.model import Plan, Resource
from gpuinfra.pulumi_files.secret_redaction import hide
from gpuinfra.records import record
from gpuinfra.report import Report
from gpuinfra.report.checkout import checkout
from gpuinfra.report.partial_check import StopReason
from gpuinfra.stackfile.file_names import PROJECT_FILES
from gpuinfra.units import format_count


@record
class PulumiCheck(CheckResult):
    """The check of a preview or a state that Pulumi wrote.

    Secrets of the file are removed from all attributes but `pulumi_stack`, `judgement` and
    `judge`.

    Attributes:
        pulumi_stack: the file as it was read.
        report: the check as `gpuinfra.report` writes it.
        max_waiver_days: how many days ahead waivers may end.
        judgement: the same plan, quote and verdict with secrets.
        judge: judges the resources with other properties, at the same `prices`.
        prices: the book of prices.
        unmatched_settings: settings that name no resource of the file, one sentence each.
        price_notes: own prices that ended, or can hardly be meant, one sentence each.
    """

    pulumi_stack: pulumi_files.PulumiStack
    report: Report
    max_waiver_days: int
    judgement: ResourceJudgement
    judge: Callable[[Sequence[Resource]], ResourceJudgement]
    prices: PriceBook
    unmatched_settings: tuple[str, ...] = ()
    price_notes: tuple[str, ...] = ()

    @property
    def fabric(self) -> tuple[rules.FabricVerdict, ...]:
        """For each group of several machines, whether its collectives run over RDMA, and why."""
        return self.report.fabric

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the prices, the file and the settings, one sentence each."""
        return (*refreshing.faults(), *self.file_notes)

    @property
    def file_notes(self) -> tuple[str, ...]:
        """Notes on the file and the settings, one sentence each."""
        return tuple(self._file_notes())

    def _file_notes(self) -> Iterator[str]:
        pulumi_stack = self.pulumi_stack
        count = len(pulumi_stack.resources) + len(pulumi_stack.not_read)
        unjudged = len(self.plan.not_judged)
        is_program = self.report.source.name in PROJECT_FILES
        origin = "the program's preview" if is_program else pulumi_files.KINDS[pulumi_stack.kind]
        yield f"{format_count(count, 'resource')} of {origin}" + (
            f", {unjudged} not checked" if unjudged else ""
        )
        yield from leaving_notes(pulumi_stack)
        yield from hide(pulumi_stack.notes, pulumi_stack.secrets)
        yield from self.unmatched_settings
        yield from self.price_notes


def check_file(
    path: Path, settings: CheckSettings, day: date, *, partial: bool = False
) -> PulumiCheck:
    """Judge a preview or a state that Pulumi wrote, for a day.

    Args:
        path: the file.
        settings: the settings file.
        day: the day to judge for.
        partial: also judge the resources of a failed preview; `stopped` of the report says why.

    Raises:
        InputError: the file can't be read, or shows only a part of a stack.
    """
    pulumi_stack = pulumi_files.read(path, settings.region, partial=partial)
    checker = checker_of(pulumi_stack, settings, day)
    names = checker.names
    judgement = checker.judge(pulumi_stack.resources)
    plan = judgement.plan
    if settings.own_prices is not None and (
        beyond := settings.own_prices.uncovered_problems(plan)
    ):
        raise InputError(beyond)
    report = _without_secrets(_report(path, checker, judgement), pulumi_stack)
    report.verdict.log()
    return PulumiCheck(
        pulumi_stack=pulumi_stack,
        plan=hide(plan, pulumi_stack.secrets),
        quote=hide(judgement.quote, pulumi_stack.secrets),
        verdict=report.verdict,
        as_of=day,
        report=report,
        max_waiver_days=rules.most_days(checker.policy_sources[0].settings),
        judgement=judgement,
        judge=checker.judge,
        prices=checker.terms().prices,
        price_notes=(
            *(() if settings.own_prices is None else settings.own_prices.notes(day)),
            *hide(plan.notes, pulumi_stack.secrets),
        ),
        unmatched_settings=tuple(
            unmatched_words(
                settings,
                _settings_names(pulumi_stack, plan),
                map(names, (plan.name, *(resource.urn for resource in pulumi_stack.resources))),
            )
        ),
    )


def _report(path: Path, checker: Checker, judgement: ResourceJudgement) -> Report:
    return Report(
        name=checker.pulumi_stack.name,
        as_of=checker.day,
        source=path,
        root=checkout(path),
        verdict=judgement.verdict,
        quote=judgement.quote,
        caps=judgement.plan.caps,
        fabric=rules.fabric_verdict(judgement.plan),
        not_judged=judgement.plan.not_fully_judged,
        waivers=checker.policy.waivers,
        names=checker.names,
        locate=checker.settings.locate,
        doubts=()
        if checker.settings.own_prices is None
        else checker.settings.own_prices.notes(checker.day),
        stop_reason=_stop_reason(checker.pulumi_stack),
    )


def _stop_reason(pulumi_stack: pulumi_files.PulumiStack) -> StopReason | None:
    """Return why the file shows only a part; its reason may hold a secret of the program."""
    if pulumi_stack.preview_error is None:
        return None
    error = InputError(hide(pulumi_stack.preview_error.problems, pulumi_stack.secrets))
    count = len(pulumi_stack.resources) + len(pulumi_stack.not_read)
    return StopReason(error=error, resources=count, is_program=False)


def _settings_names(pulumi_stack: pulumi_files.PulumiStack, plan: Plan) -> set[str]:
    """Return the names by which settings refer to a stack's resources."""
    subjects = {group.name for group in plan.groups} | {bucket.name for bucket in plan.buckets}
    return subjects | {resource.name for resource in pulumi_stack.resources}


def _without_secrets(report: Report, pulumi_stack: pulumi_files.PulumiStack) -> Report:
    return replace(
        report,
        verdict=hide(report.verdict, pulumi_stack.secrets),
        quote=hide(report.quote, pulumi_stack.secrets),
        fabric=hide(report.fabric, pulumi_stack.secrets),
        not_judged=hide(report.not_judged, pulumi_stack.secrets),
    )
