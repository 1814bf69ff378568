"""The content of the page beside the report: the plan, and facts only stack files have."""

from decimal import Decimal

from gpuinfra.catalog import Candidate
from gpuinfra.cost.interruption_sweep import SpotCurve
from gpuinfra.cost.run_outlook import RunOutlook
from gpuinfra.model import Plan
from gpuinfra.records import record
from gpuinfra.report.html.topology import Topology
from gpuinfra.report.report import Report


@record
class WorkloadCandidates:
    """The machines that a workload could use, on demand in every cloud.

    Attributes:
        group: the workload.
        gpus: how many GPUs one machine has.
        machine: the machine type of the workload.
        fitting: those that fit its words, ranked by US dollars an hour for a dense TFLOPS.
        others: those with as many GPUs of any kind that do not.
        unknown: why there are none; empty where there are.
        in_any_region: those of one price in several regions, of which the cloud does not say
            which have it.
    """

    group: str
    gpus: Decimal | None = None
    machine: str = ""
    fitting: tuple[Candidate, ...] = ()
    others: tuple[Candidate, ...] = ()
    unknown: str = ""
    in_any_region: tuple[Candidate, ...] = ()


@record
class PageContent:
    """The content of a page.

    Attributes:
        report: the judgement, with its quote.
        plan: the machines and related resources.
        source_kind: what SOURCE is, for example a stack file.
        influences: what of the user's own changed the result, one sentence each.
        notes: what a reader has to know, one sentence each.
        outlooks: what each run will take and cost; empty where SOURCE is no stack file.
        curves: spot against on demand, of the runs for which it is known.
        candidates: the machines that each workload may have; empty as above.
        topology: of each workload.
        deployed: the workloads that are deployed on the rung that the page shows.
    """

    report: Report
    plan: Plan
    source_kind: str
    influences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    outlooks: tuple[RunOutlook, ...] = ()
    curves: tuple[SpotCurve, ...] = ()
    candidates: tuple[WorkloadCandidates, ...] = ()
    topology: tuple[Topology, ...] = ()
    deployed: frozenset[str] = frozenset()

    def modes(self, group: str) -> frozenset[str]:
        """Return the capacity modes of a workload's rungs."""
        return frozenset(
            rung.capacity
            for planned_group in self.plan.groups
            if planned_group.name == group
            for rung in planned_group.rungs
        )
