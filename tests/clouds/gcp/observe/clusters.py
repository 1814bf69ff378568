"""What is read of a cluster of Google Cloud: its group, its fabric, and ways to change it."""

from collections.abc import Callable
from dataclasses import replace

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, Fabric, Group
from tests.rules.cases.gcp_cluster import GcpCluster
from tests.rules.cases.program import Moment

GOOD = Fabric(
    requirement="required",
    interfaces=4,
    one_zone=True,
    placement="compact",
    self_ingress=True,
    self_egress=True,
    public_ip=False,
    driver_image=UNKNOWN,
)


def only(case: GcpCluster, moment: Moment = "created") -> Group:
    observed = observe(case.program.resources(moment))
    (group,) = observed.groups
    fabric = group.fabric and replace(group.fabric, sites=(), placements=())
    return replace(group, fabric=fabric)


def fabric(case: GcpCluster, moment: Moment = "created") -> Fabric:
    shown = only(case, moment).fabric
    assert shown is not None
    return shown


Break = Callable[[GcpCluster], None]
