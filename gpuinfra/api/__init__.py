"""The Python API: load, plan, quote, check, choose, html_report, preview, up, destroy, status.

Each function returns a typed result and raises the errors of `gpuinfra.errors`. In a notebook:

    from gpuinfra import api
    result = api.check("stacks/quickstart")
    print(result.ok, result.quote.per_hour.ceiling)
    print([finding.rule for finding in result.findings if finding.refuses])
    print(api.choose("L4:1", clouds=["aws"]).winner.machine.type)

`load`, `plan`, `quote`, `check`, `choose` and `html_report` work offline. `preview`, `up`,
`destroy` and `status` run the Pulumi engine and take a target: "sandbox" or "cloud". The command
line calls the same functions.
"""

from typing import TYPE_CHECKING

from gpuinfra.lazy import lazy_names

if TYPE_CHECKING:
    from gpuinfra.api.building import destroy, preview, status, up
    from gpuinfra.api.checking import StackCheck
    from gpuinfra.api.choosing import ChooseResult, choose
    from gpuinfra.api.preparing import BuildResult, StatusResult
    from gpuinfra.api.pulumi_files import PulumiCheck
    from gpuinfra.api.reading import PlanResult, check, load, plan, quote
    from gpuinfra.api.reporting import html_report
    from gpuinfra.api.results import CheckResult

__all__ = [
    "BuildResult",
    "CheckResult",
    "ChooseResult",
    "PlanResult",
    "PulumiCheck",
    "StackCheck",
    "StatusResult",
    "check",
    "choose",
    "destroy",
    "html_report",
    "load",
    "plan",
    "preview",
    "quote",
    "status",
    "up",
]

__getattr__ = lazy_names(
    __name__,
    {
        "preparing": "BuildResult StatusResult",
        "results": "CheckResult",
        "checking": "StackCheck",
        "choosing": "ChooseResult choose",
        "reading": "PlanResult check load plan quote",
        "pulumi_files": "PulumiCheck",
        "reporting": "html_report",
        "building": "destroy preview status up",
    },
)
"""The module of each name, imported on first use: the engine and Pulumi are slow to import."""


def __dir__() -> list[str]:
    return sorted(__all__)
