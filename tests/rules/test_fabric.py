"""Fabric rules together, on machines of fleets, of node groups, and made one by one."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Fabric, Usage
from gpuinfra.rules.fabric import training_groups
from gpuinfra.rules.fabric_verdicts import PARTS
from tests.rules.cases.cluster import classic_nics, cluster
from tests.rules.cases.fabric import (
    FABRIC,
    PLAIN,
    alone,
    as_fleet,
    as_machines,
    as_node_group,
    training,
)
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.moments import both

MADE = {"fleet": as_fleet, "node group": as_node_group, "machines": as_machines}
ASKED = [rule.id for rule in PARTS if rule.id != "fabric-driver"]


@both
@pytest.mark.parametrize("made", MADE)
def test_a_good_cluster_is_fine_however_its_machines_are_made(made, moment):
    case = cluster()
    MADE[made](case)
    judged = of_resources(case.program.resources(moment))
    by_rule = {rule: set(outcomes(judged, rule)) for rule in ASKED}
    none = {"not-applicable"}
    assert by_rule == {
        rule: none if rule in {"fabric-networks", "fabric-scale-set"} else {"fine"}
        for rule in ASKED
    }


SPOILT: dict[str, dict[str, Any]] = {
    "fabric-interfaces": {"networkInterfaces": classic_nics(4, "sg-1")},
    "fabric-cards": {
        "networkInterfaces": [
            *classic_nics(31, "sg-1"),
            {**classic_nics(32, "sg-1")[-1], "networkCardIndex": 32},
        ]
    },
    "fabric-placement": {"placement": None},
    "fabric-capable": {"instanceType": "g5.xlarge"},
    "fabric-driver": {"imageId": PLAIN},
}


@both
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("rule", SPOILT)
def test_a_broken_one_is_not_however_its_machines_are_made(rule, made, moment):
    case = cluster()
    MADE[made](case)
    case.program.change(case.template, **SPOILT[rule])
    judged = findings(of_resources(case.program.resources(moment)), rule)
    assert {finding.outcome for finding in judged} == {"violated"}
    assert judged[-1].subject == case.scaling.urn


@both
@pytest.mark.parametrize("rule", ["fabric-self-ingress", "fabric-self-egress"])
@pytest.mark.parametrize("made", MADE)
def test_a_closed_way_is_seen_however_the_machines_are_made(made, rule, moment):
    case = cluster()
    MADE[made](case)
    case.program.drop(case.ingress if rule == "fabric-self-ingress" else case.egress)
    assert set(outcomes(of_resources(case.program.resources(moment)), rule)) == {"violated"}


EXCLUSIVE = "aws:ec2/vpcSecurityGroupRulesExclusive:VpcSecurityGroupRulesExclusive"


@both
@pytest.mark.parametrize("way", ["ingress", "egress"])
@pytest.mark.parametrize(
    ("listed", "outcome"), [("own", "fine"), ("none", "violated"), ("unknown", "not-knowable")]
)
def test_a_list_of_all_rules_of_a_group_takes_the_others_away(listed, way, outcome, moment):
    case = cluster()
    rules = {"ingress": case.ingress, "egress": case.egress}
    ids = {f"{each}RuleIds": [rule.id] for each, rule in rules.items()}
    ids[f"{way}RuleIds"] = {"own": [rules[way].id], "none": [], "unknown": [UNKNOWN]}[listed]
    case.program.add(EXCLUSIVE, "all", securityGroupId=case.group.id, **ids)
    judged = of_resources(case.program.resources(moment))
    assert set(outcomes(judged, f"fabric-self-{way}")) == {outcome}


@both
def test_a_list_of_all_rules_takes_away_those_within_the_group(moment):
    case = cluster()
    for rule, way in ((case.ingress, "ingress"), (case.egress, "egress")):
        case.program.drop(rule)
        within = {"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True}
        case.program.change(case.group, **{way: [within]})
    judged = of_resources(case.program.resources(moment))
    assert set(outcomes(judged, "fabric-self-ingress")) == {"fine"}
    ids = {"ingressRuleIds": [], "egressRuleIds": []}
    case.program.add(EXCLUSIVE, "all", securityGroupId=case.group.id, **ids)
    judged = of_resources(case.program.resources(moment))
    assert set(outcomes(judged, "fabric-self-ingress")) == {"violated"}


@pytest.mark.parametrize("rule", [*ASKED, "fabric-driver"])
def test_without_a_fabric_its_rules_do_not_apply(rule):
    (finding,) = findings(plan(group()), rule)
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")


@pytest.mark.parametrize("rule", ["fabric-capable", "fabric-interfaces"])
def test_what_is_surely_wrong_counts_more_than_what_is_unknown(rule):
    # g6.xlarge has no fabric interface, and no table knows p9.48xlarge.
    declared = Fabric(requirement="required", interfaces=1)
    for machines in (("p9.48xlarge", "g6.xlarge"), ("g6.xlarge", "p9.48xlarge")):
        assert outcomes(plan(group(machines[0], machines=machines, fabric=declared)), rule) == [
            "violated"
        ]


def test_what_trains_together_has_a_fabric_and_several_machines() -> None:
    several, one, bare = training("several"), alone("one"), group(name="bare", maximum=2)

    assert list(training_groups([several, one, bare])) == [(several,), (one,)]
    assert list(training_groups([replace(one, subject="training.one")])) == []


@both
def test_machines_in_a_placement_group_may_say_that_they_work_alone(moment):
    case = cluster(nics=lambda wall: [{"securityGroups": [wall]}])
    resources = case.program.resources(moment)
    asked = {rule: set(outcomes(of_resources(resources), rule)) for rule in ASKED}
    assert asked["fabric-interfaces"] == {"violated"}
    alone = of_resources(resources, usage=Usage(fabric={"workers": "none"}))
    assert {outcome for rule in ASKED for outcome in outcomes(alone, rule)} == {"not-applicable"}


def test_a_group_of_machines_that_work_alone_does_not_train_together():
    assert [*training_groups([group(fabric=FABRIC, maximum=2, fabric_wish="none")])] == []
    assert len([*training_groups([group(fabric=FABRIC, maximum=2)])]) == 1
