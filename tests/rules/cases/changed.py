"""A training cluster of raw resources on each cloud, with something in its template changed."""

from typing import Any

from gpuinfra.model import Plan
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.cluster import cluster
from tests.rules.cases.judging import of_resources


def aws(template: dict[str, Any]) -> Plan:
    case = cluster()
    case.program.change(case.template, **template)
    return of_resources(case.program.resources())


def gcp(template: dict[str, Any]) -> Plan:
    case = gcp_cluster.tcpx()
    case.program.change(case.template, **template)
    return of_resources(case.program.resources())


def azure(profile: dict[str, Any], machine: str = "Standard_ND96isr_H100_v5") -> Plan:
    case = azure_cluster.cluster(machine)
    case.profile(**profile)
    return of_resources(case.program.resources())
