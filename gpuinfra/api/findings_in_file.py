"""The policy packs' findings, with the location in the stack file and the fix of `check`."""

from collections.abc import Sequence
from dataclasses import replace

from gpuinfra import urns
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.cost.cost_rate_changes import REST_LABEL
from gpuinfra.engine.contract import Outcome, PolicyFinding
from gpuinfra.errors import PathPart
from gpuinfra.rules import RULES
from gpuinfra.rules.rule import TO_FIX
from gpuinfra.specs.schema import SECTIONS


def with_file_locations(outcome: Outcome, check: StackCheck) -> Outcome:
    """Return the outcome of a run with subjects, places and fixes in the stack file.

    A pack sees resources alone: it knows no line of the file, its fix names none of the file's
    keys, and it calls a workload by one of its resources. A finding that the check of the file
    does not have keeps the fix of the pack, and its place is that of the workload. Advice that the
    check has as a note is left out, as `check` does, and so is advice that a key of the file
    follows, for example idle_stop, which no resource shows.
    """
    stack = check.stack
    name_of = workload_finder(check.document)

    def workload(name: str) -> str:
        workload_name = name_of(name)
        return stack.name if workload_name == REST_LABEL else workload_name

    paths: dict[str, Sequence[PathPart]] = {
        name: (section, name) for section in SECTIONS for name in getattr(stack, section)
    }
    of_keys = {rule.id for rule in RULES if rule.stack_file_fix}
    of_rules = {rule.id: rule.path for rule in RULES}
    in_check = {
        (finding.rule, workload(finding.subject.rpartition(".")[2])): finding
        for finding in reversed(check.verdict.findings)
        if finding.outcome in {"violated", "not-knowable"}
    }

    settled = {
        (finding.rule, workload(finding.subject.rpartition(".")[2]))
        for finding in check.verdict.findings
        if finding.outcome == "noted" or (finding.outcome == "fine" and finding.rule in of_keys)
    }

    def is_settled(finding: PolicyFinding) -> bool:
        key = (finding.policy, workload(urns.name_of(finding.urn)))
        return finding.level == "advisory" and key in settled and key not in in_check

    def locate_in_file(finding: PolicyFinding) -> PolicyFinding:
        name = workload(urns.name_of(finding.urn))
        same = in_check.get((finding.policy, name))
        path = (same and same.path) or paths.get(name) or of_rules.get(finding.policy)
        message, fix_separator, _ = finding.message.partition(TO_FIX)
        if same and same.fix and fix_separator:
            message = f"{message}{TO_FIX}{same.fix}."
        else:
            message = finding.message
        if same and finding.urn:
            # The engine puts the policy's description before what the pack says.
            resource_name = urns.name_of(finding.urn)
            message = message.replace(f"{resource_name}: ", f"{same.subject}: ", 1)
        return replace(
            finding,
            message=message,
            position=check.document.locate(path) if path else None,
        )

    unsettled = (finding for finding in outcome.findings if not is_settled(finding))
    return replace(outcome, findings=tuple(map(locate_in_file, unsettled)))
