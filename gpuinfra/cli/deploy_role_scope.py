"""The scope of a deploy role's permissions: all AWS resources that a stack file declares."""

from gpuinfra.clouds.aws.declare.deploy_role import scope_of
from gpuinfra.clouds.aws.rights.deploy_rights import Scope
from gpuinfra.model import Plan
from gpuinfra.planning import stack_graph
from gpuinfra.planning.declared_stack import stack_spec
from gpuinfra.specs import Stack


def rights_scope(stack: Stack, plan: Plan) -> Scope:
    """Return all AWS resources that a stack file declares, by type and name."""
    regions = tuple(dict.fromkeys(g.rung.region for g in plan.groups if g.cloud == "aws"))
    all_regions = (*regions, *(b.region for b in plan.buckets if b.cloud == "aws" and b.region))
    order = stack_spec(stack, all_regions[0])
    return scope_of(order, stack_graph(stack, plan).resources, all_regions)
