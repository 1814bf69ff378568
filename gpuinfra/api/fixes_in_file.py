"""What the policy packs find, with the fix that the check of the stack file has for it."""

from dataclasses import replace

from gpuinfra.api.checking import StackCheck
from gpuinfra.api.rates import workload_of
from gpuinfra.cost.movement import REST
from gpuinfra.engine.contract import Outcome, PolicyFinding
from gpuinfra.rules.rule import TO_FIX


def with_fixes_of_file(outcome: Outcome, check: StackCheck) -> Outcome:
    """Return the outcome of a run with fixes for the stack file instead of for any program.

    A pack sees resources alone, so its fix names none of the file's keys. A finding that the
    check of the file does not have keeps the fix of the pack.
    """
    name_of = workload_of(check.document)

    def workload(name: str) -> str:
        workload_name = name_of(name)
        return check.stack.name if workload_name == REST else workload_name

    fixes = {
        (finding.rule, workload(finding.subject.rpartition(".")[2])): finding.fix
        for finding in reversed(check.verdict.findings)
        if finding.outcome in {"violated", "not-knowable"} and finding.fix
    }

    def fixed(finding: PolicyFinding) -> PolicyFinding:
        fix = fixes.get((finding.policy, workload(finding.urn.rpartition("::")[2])))
        message, known, _ = finding.message.partition(TO_FIX)
        if fix is None or not known:
            return finding
        return replace(finding, message=f"{message}{TO_FIX}{fix}.")

    return replace(outcome, findings=tuple(map(fixed, outcome.findings)))
