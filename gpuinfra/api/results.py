"""The typed result of a check of any SOURCE."""

from datetime import date

from gpuinfra import cost, rules
from gpuinfra.model import NotJudged, Plan
from gpuinfra.records import record


@record
class CheckResult:
    """The result of a check of a stack file or of resources that Pulumi wrote.

    Attributes:
        plan: machines, buckets and what else is priced.
        quote: per hour, month and run, with all lines.
        verdict: the findings of every rule, and those that are waived.
        as_of: the day prices and waivers are judged for.
    """

    plan: Plan
    quote: cost.Quote
    verdict: rules.Verdict
    as_of: date

    @property
    def name(self) -> str:
        """The stack's name."""
        return self.plan.name

    @property
    def ok(self) -> bool:
        """Whether no mandatory rule is violated or not knowable; `gpuinfra check` exits 0."""
        return self.verdict.ok

    @property
    def findings(self) -> tuple[rules.Finding, ...]:
        """The findings that count, without waived ones."""
        return self.verdict.findings

    @property
    def fabric(self) -> tuple[rules.FabricVerdict, ...]:
        """For each group of several machines, whether its collectives run over RDMA, and why."""
        return rules.fabric_verdict(self.plan)

    @property
    def not_judged(self) -> tuple[NotJudged, ...]:
        """The resources that no rule covers, and those with permissions that no rule sees."""
        return self.plan.not_fully_judged
