"""Fabric rules on what strangers make their machines from: fleets, node groups, lone machines."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Usage
from gpuinfra.rules import fabric_verdict
from gpuinfra.rules.fabric_verdicts import PARTS
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.cluster import classic_nics, cluster
from tests.rules.cases.fabric import PLAIN, as_fleet, as_machines, as_node_group, joined
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.moments import both


def of_fabric(rule: str, **facts: Any) -> list[Any]:
    return findings(plan(group(fabric=joined(**facts))), rule)


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


@pytest.mark.parametrize("rule", ["fabric-self-ingress", "fabric-self-egress"])
@pytest.mark.parametrize(
    ("way", "outcome", "words"),
    [
        (True, "fine", "the firewall allows"),
        (None, "fine", "no firewall"),
        (False, "violated", "does not allow"),
        (UNKNOWN, "not-knowable", "it is unknown whether"),
    ],
)
def test_each_way_is_a_rule_of_its_own(rule, way, outcome, words):
    ways = {
        "self_ingress": True,
        "self_egress": True,
        rule.replace("fabric-", "").replace("-", "_"): way,
    }
    (finding,) = of_fabric(rule, **ways)
    assert finding.outcome == outcome
    assert words in finding.message


PARTS_OF = {"fabric-cards": "aws", "fabric-networks": "gcp", "fabric-scale-set": "azure"}


@pytest.mark.parametrize("rule", PARTS_OF)
@pytest.mark.parametrize(
    ("faults", "outcome", "words"),
    [
        ((), "fine", ""),
        (("it is wrong", "twice"), "violated", "it is wrong; twice"),
        (UNKNOWN, "not-knowable", "not known yet"),
    ],
)
def test_faults_are_spoken_where_a_cloud_has_such_a_thing(rule, faults, outcome, words):
    told = joined(faults=rule_faults(rule, faults))
    (finding,) = findings(plan(group(cloud=PARTS_OF[rule], fabric=told)), rule)
    assert finding.outcome == outcome
    assert words in finding.message
    assert finding.level == "mandatory"
    assert finding.refuses == (outcome in {"violated", "not-knowable"})
    for cloud in {*PARTS_OF.values()} - {PARTS_OF[rule]}:
        (elsewhere,) = findings(plan(group(cloud=cloud, fabric=told)), rule)
        assert elsewhere.outcome == "not-applicable"
        assert elsewhere.message.startswith(f"{cloud} ")


@pytest.mark.parametrize("rule", [*ASKED, "fabric-driver"])
def test_without_a_fabric_its_rules_do_not_apply(rule):
    (finding,) = findings(plan(group()), rule)
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")


def test_what_is_refused_of_a_placement_is_spoken_by_its_rule():
    told = rule_faults("fabric-placement", ("too near", "b"), fix="move them")
    (finding,) = of_fabric("fabric-placement", placement="compact", faults=told)
    assert finding.outcome == "violated"
    assert (finding.message, finding.fix) == ("too near; b", "move them")
    assert outcomes(plan(group(fabric=joined(placement="compact"))), "fabric-placement") == [
        "fine"
    ]


@pytest.mark.parametrize(
    ("placement", "outcome", "words"),
    [
        ("cluster", "fine", "cluster placement"),
        ("spread", "violated", "spread placement"),
        (None, "violated", "no placement"),
        (UNKNOWN, "not-knowable", "is unknown"),
    ],
)
def test_machines_stand_close_together(placement, outcome, words):
    (finding,) = of_fabric("fabric-placement", placement=placement)
    assert (finding.outcome, words in finding.message) == (outcome, True)


@pytest.mark.parametrize(
    ("capacity", "placement", "outcome", "words"),
    [
        ("capacity-block", None, "fine", ""),
        ("capacity-block", "cluster", "violated", "remove the placement group"),
        (
            "reserved",
            None,
            "violated",
            "set placement.groupName to the reservation's placement group",
        ),
        ("reserved", "cluster", "fine", ""),
        ("reserved", "spread", "violated", "a placement group with strategy cluster"),
    ],
)
def test_what_is_bought_beforehand_is_placed_beforehand(capacity, placement, outcome, words):
    bought = group(capacity=capacity, fabric=joined(placement=placement))
    (finding,) = findings(plan(bought), "fabric-placement")
    assert finding.outcome == outcome
    assert words in finding.fix


@both
def test_a_fabric_of_several_types_is_violated_on_aws(moment):
    case = cluster()
    template = {"launchTemplateId": case.template.id, "version": "$Latest"}
    overrides = [{"instanceType": "p5.48xlarge"}, {"instanceType": "p5e.48xlarge"}]
    policy = {"launchTemplate": {"launchTemplateSpecification": template, "overrides": overrides}}
    case.program.change(case.scaling, launchTemplate=None, mixedInstancesPolicy=policy)
    (finding,) = findings(of_resources(case.program.resources(moment)), "fabric-one-type")
    assert finding.outcome == "violated"
    assert "p5.48xlarge and p5e.48xlarge" in finding.message
    (proof,) = fabric_verdict(of_resources(case.program.resources(moment)))
    assert (proof.answer, finding.fix in proof.changes) == ("no", True)


@both
def test_a_fabric_of_several_sizes_is_violated_on_azure(moment):
    case = azure_cluster.cluster()
    names = ("Standard_ND96isr_H100_v5", "Standard_ND96isr_H200_v5")
    case.program.change(
        case.scaling,
        sku={"name": "Mix", "capacity": 4},
        skuProfile={"vmSizes": [{"name": name} for name in names]},
    )
    (finding,) = findings(of_resources(case.program.resources(moment)), "fabric-one-type")
    assert finding.outcome == "violated"


@both
def test_a_fabric_of_several_types_is_violated_on_google_cloud(moment):
    case = gcp_cluster.roce()
    selection = {"name": "any", "machineTypes": ["a3-ultragpu-8g", "a4-highgpu-8g"]}
    policy = {"instanceSelections": [selection]}
    case.program.change(case.group, instanceFlexibilityPolicy=policy)
    (finding,) = findings(of_resources(case.program.resources(moment)), "fabric-one-type")
    assert finding.outcome == "violated"
    assert "a3-ultragpu-8g and a4-highgpu-8g" in finding.message


def test_the_types_are_listed_once():
    mixed = group(machines=("p5.48xlarge", "p5.48xlarge"), fabric=joined())
    assert outcomes(plan(mixed), "fabric-one-type") == ["fine"]
    three = group(machines=("a.1", "b.1", "c.1"), fabric=joined())
    (finding,) = findings(plan(three), "fabric-one-type")
    assert "several types: a.1, b.1 and c.1" in finding.message
    (finding,) = findings(plan(group(machines=(), fabric=joined())), "fabric-one-type")
    assert (finding.outcome, finding.message) == ("fine", "all machines are p5.48xlarge")


def test_a_boot_disk_that_a_machine_refuses_is_no_matter_of_its_interfaces():
    case = gcp_cluster.roce()
    case.program.change(
        case.template, disks=[{"boot": True, "sourceImage": "own", "diskType": "pd-ssd"}]
    )
    judged = of_resources(case.program.resources())
    assert outcomes(judged, "fabric-interfaces") == ["fine"]
    (finding,) = findings(judged, "disk-limits")
    assert "a3-ultragpu-8g does not support pd-ssd disks" in finding.message


def test_an_image_that_needs_a_plan_is_no_matter_of_its_interfaces():
    case = azure_cluster.cluster()
    image = {"publisher": "almalinux", "offer": "almalinux-hpc"}
    case.profile(storageProfile={"imageReference": image})
    judged = of_resources(case.program.resources())
    assert outcomes(judged, "fabric-scale-set") == ["fine"]
    (finding,) = findings(judged, "launch-settings")
    assert "requires a marketplace plan" in finding.message


def test_a_node_pool_of_google_cloud_in_two_networks_is_not_knowable_but_judged():
    program = GcpProgram()
    program.add(
        "container/nodePool:NodePool",
        "gpus",
        cluster="theirs",
        nodeLocations=["us-central1-a"],
        nodeCount=2,
        nodeConfig={"machineType": "a3-megagpu-8g"},
        placementPolicy={"type": "COMPACT"},
        networkConfig={"additionalNodeNetworkConfigs": [{"network": "n1", "subnetwork": "s1"}]},
    )
    judged = of_resources(program.resources())
    (finding,) = findings(judged, "fabric-interfaces")
    assert (finding.outcome, "1 of 8" in finding.message) == ("violated", True)
    assert outcomes(judged, "fabric-placement") == ["fine"]
    assert outcomes(judged, "fabric-networks") == ["not-knowable"]


def test_a_node_pool_of_azure_that_trains_can_t_be_known_to_be_one_set():
    program = AzureProgram()
    program.add(
        "azure-native:containerservice:AgentPool",
        "gpus",
        resourceName="theirs",
        vmSize="Standard_ND96isr_H100_v5",
        count=4,
    )
    usage = Usage(purpose={"gpus": "training"})
    judged = of_resources(program.resources(), usage=usage)
    assert outcomes(judged, "fabric-scale-set") == ["not-knowable"]
    assert outcomes(judged, "fabric-placement") == ["not-applicable"]


def test_a_machine_whose_fabric_nobody_counted_is_not_knowable():
    unknown = group("p6e-gb200.36xlarge", fabric=joined())
    (finding,) = findings(plan(unknown), "fabric-capable")
    assert (finding.outcome, finding.message) == (
        "not-knowable",
        "it is unknown whether p6e-gb200.36xlarge supports a fabric",
    )


@pytest.mark.parametrize(
    "machines",
    [
        ("p5.48xlarge", "p6e-gb200.36xlarge"),
        ("p5.48xlarge", "p9.48xlarge"),
        ("p9.48xlarge", "p9.24xlarge"),
    ],
)
def test_interfaces_of_a_machine_that_nobody_counted_are_not_knowable(machines):
    (finding,) = findings(plan(group(machines=machines, fabric=joined())), "fabric-interfaces")
    assert finding.outcome == "not-knowable"
    assert "the number of interfaces of" in finding.message
