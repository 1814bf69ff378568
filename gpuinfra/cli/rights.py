"""What the rights of a deploy role have to cover: all that a stack file declares on AWS."""

from gpuinfra.clouds.aws.declare.deploy_role import scope_of
from gpuinfra.clouds.aws.rights.needs import Scope
from gpuinfra.model import Plan
from gpuinfra.planning import declared
from gpuinfra.planning.declaring import stack_spec
from gpuinfra.specs import Stack


def rights_scope(stack: Stack, plan: Plan) -> Scope:
    """All that a stack file declares on AWS, by type and name."""
    regions = tuple(dict.fromkeys(g.rung.region for g in plan.groups if g.cloud == "aws"))
    places = (*regions, *(b.region for b in plan.buckets if b.cloud == "aws" and b.region))
    order = stack_spec(stack, places[0])
    return scope_of(order, declared(stack, plan).resources, places)
