"""The page of `gpuinfra report`: the result of a check with all its details."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from gpuinfra import planning
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.choosing import by_machine, chosen, every_cloud, every_region, has_one_price
from gpuinfra.api.pulumi_files import PulumiCheck
from gpuinfra.api.results import CheckResult
from gpuinfra.catalog import Candidate
from gpuinfra.clouds import provider_of
from gpuinfra.clouds.declaring.names import group_resource
from gpuinfra.cost.interruption_sweep import spot_curve
from gpuinfra.errors import InputError
from gpuinfra.fixes import Fix
from gpuinfra.model import Group, Resource
from gpuinfra.planning.graph_rows import rows
from gpuinfra.planning.locations import CloudPlace
from gpuinfra.planning.machine_request import requested_machine
from gpuinfra.pulumi_files import KINDS
from gpuinfra.pulumi_files.secret_redaction import hide
from gpuinfra.report.html import page
from gpuinfra.report.html.content import PageContent, WorkloadCandidates
from gpuinfra.report.html.topology import Topology, topologies
from gpuinfra.report.user_inputs import influence_phrases
from gpuinfra.stackfile.file_names import PROJECT_FILES
from gpuinfra.units import Range, plain

PROGRAM: Final = "Pulumi program, previewed by the sandbox's plugins from an empty state:"

ANY_MEMORY: Final = Range(1, None)
"""Every GPU whose memory is known."""


def html_report(
    checked: CheckResult,
    notes: Sequence[str] = (),
    *,
    kept: Collection[str] = (),
    fixes: Sequence[Fix] = (),
) -> str:
    """Return the HTML report of a checked SOURCE; `notes` describe the origin of the SOURCE.

    `kept` are the workloads that are on the rungs on which they are deployed, `fixes` the edits
    that it proposes.

    Raises:
        ModuleNotFoundError: the extra `report` is not installed.
        TypeError: it is neither a stack file nor what Pulumi wrote.
    """
    if isinstance(checked, StackCheck):
        content = _stack_content(checked, notes, kept)
    elif isinstance(checked, PulumiCheck):
        content = _pulumi_file_content(checked, notes)
    else:
        raise TypeError(f"{type(checked).__name__} is neither a StackCheck nor a PulumiCheck")
    return page.write(replace(content, report=replace(content.report, fixes=tuple(fixes))))


def _stack_content(check: StackCheck, notes: Sequence[str], kept: Collection[str]) -> PageContent:
    run_outlooks = check.outlooks
    curves = (spot_curve(check.stack, run) for run in run_outlooks)
    resources = rows(planning.stack_graph(check.stack, check.plan))
    return PageContent(
        report=check.report,
        plan=check.plan,
        source_kind="stack file",
        influences=(*influence_phrases(check.report), *_stack_file_notes(check, kept)),
        notes=tuple(dict.fromkeys((*check.notes, *check.quote.warnings, *notes))),
        outlooks=run_outlooks,
        curves=tuple(curve for curve in curves if curve is not None),
        candidates=tuple(_candidates(check)),
        topology=_topology(check, resources),
        deployed=frozenset(kept),
    )


def _pulumi_file_content(pulumi_check: PulumiCheck, notes: Sequence[str]) -> PageContent:
    pulumi_stack = pulumi_check.pulumi_stack
    is_program = pulumi_check.report.source.name in PROJECT_FILES
    return PageContent(
        report=pulumi_check.report,
        plan=pulumi_check.plan,
        source_kind=PROGRAM if is_program else KINDS[pulumi_stack.kind],
        influences=influence_phrases(pulumi_check.report),
        notes=tuple(dict.fromkeys((*pulumi_check.notes, *pulumi_check.quote.warnings, *notes))),
        topology=hide(_topology(pulumi_check, pulumi_stack.resources), pulumi_stack.secrets),
        deployed=frozenset(
            group.name for group in pulumi_check.plan.groups if pulumi_stack.kind == "state"
        ),
    )


def _topology(result: CheckResult, resources: Sequence[Resource]) -> tuple[Topology, ...]:
    def subject_of(group: Group) -> str:
        return group_resource(group.name) if isinstance(result, StackCheck) else group.subject

    return topologies(result.plan, resources, subject_of, _gpus)


def _gpus(group: Group) -> str:
    machine = provider_of(group.cloud).machines.get(group.rung.machine)
    return "" if machine is None else f"{plain(machine.gpu_count)} × {machine.gpu} each"


def _stack_file_notes(stack_check: StackCheck, kept: Collection[str]) -> Iterator[str]:
    if stack_check.source.valid_lock is not None:
        yield "machines, prices and images are those of the lock"
    for workload, rung in stack_check.rungs.items():
        if workload in kept:
            yield f"{workload} is on the rung {rung}, as of the last `gpuinfra up`"
        else:
            yield f"{workload} was put on the rung {rung} by --rung"


def _candidates(stack_check: StackCheck) -> Iterator[WorkloadCandidates]:
    for group in stack_check.plan.groups:
        try:
            yield _workload_candidates(stack_check, group)
        except InputError as error:
            yield WorkloadCandidates(group=group.name, unknown=str(error))


def _cheapest(ranked: Sequence[Candidate], region: str, active: str) -> tuple[Candidate, ...]:
    """Return each machine in the region where it ranks first; the active one in its region."""
    active_candidates = [
        next(
            (
                candidate_place
                for candidate_place in candidates
                if candidate_place.machine.type == active and candidate_place.region == region
            ),
            candidates[0],
        )
        for candidates in by_machine(ranked).values()
    ]
    return tuple(candidate for candidate in ranked if candidate in active_candidates)


def _workload_candidates(stack_check: StackCheck, group: Group) -> WorkloadCandidates:
    """Return the machines that fit a workload, and those with as many GPUs that don't.

    Raises:
        InputError: nothing fits, or the words of the workload contradict each other.
    """
    stack, book = stack_check.stack, stack_check.source.prices
    work = stack.workloads.get(group.name)
    cloud_place = CloudPlace(cloud=group.cloud, regions=(group.rung.region,))
    request = None if work is None else requested_machine(work, cloud_place, (), [])
    if request is None:
        return WorkloadCandidates(
            group=group.name,
            unknown="the stack file does not request its machines, so alternatives are unknown",
        )
    clouds = every_cloud(book)
    everywhere = replace(request, clouds=clouds, regions=every_region(clouds, book), by="tflops")
    fitting = chosen(everywhere, book)
    anywhere = (
        candidates
        for candidates in by_machine(fitting.ranked).values()
        if has_one_price(candidates)
    )
    count = fitting.winner.machine.gpu_count
    candidates = replace(
        everywhere,
        gpu=None,
        instance=None,
        model=None,
        memory=ANY_MEMORY,
        count=int(count) if count == int(count) else count,
    )
    active = (group.rung.region, group.rung.machine)
    types = {candidate.machine.type for candidate in fitting.ranked}
    other_candidates = (
        candidate
        for candidate in _cheapest(chosen(candidates, book).ranked, *active)
        if candidate.machine.type not in types
    )
    return WorkloadCandidates(
        group=group.name,
        gpus=count,
        machine=group.rung.machine,
        fitting=_cheapest(fitting.ranked, *active),
        others=tuple(other_candidates),
        in_any_region=tuple(candidate for candidates in anywhere for candidate in candidates),
    )
