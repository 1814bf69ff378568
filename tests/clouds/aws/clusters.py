"""A cluster of AWS that is built well, and its one group."""

from dataclasses import replace

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, Fabric, Group, Resource
from tests.rules.cases.cluster import Cluster
from tests.rules.cases.program import Moment

GOOD = Fabric(
    requirement="required",
    interfaces=32,
    one_zone=True,
    placement="cluster",
    self_ingress=True,
    self_egress=True,
    public_ip=False,
    driver_image=UNKNOWN,
)


def only(resources: list[Resource]) -> Group:
    (group,) = observe(resources).groups
    fabric = group.fabric and replace(
        group.fabric, sites=(), placements=(), firewalls=(), subnets=()
    )
    return replace(group, fabric=fabric)


def fabric(case: Cluster, moment: Moment) -> Fabric:
    shown = only(case.program.resources(moment)).fabric
    assert shown is not None
    return shown
