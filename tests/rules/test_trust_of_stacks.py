"""Values of other stacks that are trusted by the name of the stack."""

from dataclasses import replace

from gpuinfra.model import UNKNOWN, Resource, Trust, Usage
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.trust import MACHINE, NETWORK, STACK, gcp, made, told


def referred(source, **relations):
    """A machine whose security groups are not known yet, and where they come from."""
    machine = Resource(
        urn="urn:pulumi:dev::shop::aws:ec2/instance:Instance::box",
        type="aws:ec2/instance:Instance",
        name="box",
        inputs={**MACHINE, "vpcSecurityGroupIds": [UNKNOWN]},
        relations={"vpcSecurityGroupIds": tuple(resource.urn for resource in source), **relations},
        region="us-east-1",
    )
    return [*source, machine]


def test_an_unknown_value_is_trusted_only_where_other_stacks_alone_made_it():
    net, other = made(STACK, name="acme/net/prod"), made("acme:index:Network")
    trust = Trust(input="vpcSecurityGroupIds", value="acme/net/*", private=True, why="ours")
    assert told(referred((net,)), NETWORK[0], trust)[1] == "fine"
    assert told(referred((other,)), NETWORK[0], trust)[1] == "not-knowable"
    assert told(referred((net, other)), NETWORK[0], trust)[1] == "not-knowable"
    assert told(referred(()), NETWORK[0], trust)[1] == "not-knowable"
    strangers = made(STACK, name="evil/net/prod")
    assert told(referred((strangers,)), NETWORK[0], trust)[1] == "not-knowable"


def test_known_ids_are_trusted_by_their_stack_only_where_one_stack_explains_all():
    net = made(STACK, name="acme/net/prod")
    other = replace(made(STACK, name="evil/net/prod"), urn="urn:pulumi:dev::shop::other::it")
    trust = Trust(input="vpcSecurityGroupIds", value="acme/net/*", private=True, why="ours")

    def outcome(ids, *sources):
        *_, machine = referred(sources)
        machine = replace(machine, inputs={**machine.inputs, "vpcSecurityGroupIds": ids})
        return told([*sources, machine], NETWORK[0], trust)[1]

    assert outcome(["sg-1"], net) == "fine"
    assert outcome(["sg-1", "sg-2"], net, other) == "not-knowable"
    assert outcome(["sg-1", "sg-typed-in"], net) == "not-knowable"


def test_a_trusted_id_does_not_make_others_of_its_last_part_trusted():
    trust = Trust(input="networkInterfaces", value="projects/host/*", private=True, why="ours")
    named = gcp("projects/host/global/networks/default")
    plain = replace(gcp("default"), urn="urn:pulumi:dev::shop::x::b", name="b")
    plan = of_resources([named, plain], usage=Usage(trust=(trust,)))
    assert outcomes(plan, "open-login") == ["fine", "not-knowable"]
