"""Fabric rules on what strangers make their machines from: fleets, node groups, lone machines."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.observing.faults import refused
from gpuinfra.model import UNKNOWN, Fabric, Usage
from gpuinfra.rules import fabric_verdict
from gpuinfra.rules.proof import PARTS
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.cluster import Cluster, classic_nics, cluster
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan

both = pytest.mark.parametrize("moment", ["preview", "created"])
PLAIN = "resolve:ssm:/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ami-id"
READY = "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss/latest/ami-id"


def joined(**facts: Any) -> Fabric:
    return Fabric(wish="required", interfaces=32, **facts)


def of_fabric(rule: str, **facts: Any) -> list[Any]:
    return findings(plan(group(fabric=joined(**facts))), rule)


def as_fleet(case: Cluster) -> None:
    """The same machines from an EC2 fleet."""
    case.program.drop(case.scaling)
    spec = {"launchTemplateId": case.template.id, "version": "$Latest"}
    overrides = [{"subnetId": case.subnet.id}]
    case.scaling = case.program.add(
        "aws:ec2/fleet:Fleet",
        "workers",
        type="instant",
        launchTemplateConfigs=[{"launchTemplateSpecification": spec, "overrides": overrides}],
        targetCapacitySpecification={
            "defaultTargetCapacityType": "on-demand",
            "totalTargetCapacity": 4,
        },
    )


def as_node_group(case: Cluster) -> None:
    """The same machines as nodes of EKS."""
    case.program.drop(case.scaling)
    case.scaling = case.program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "workers",
        clusterName="theirs",
        nodeRoleArn="arn:aws:iam::123456789012:role/node",
        subnetIds=[case.subnet.id],
        launchTemplate={"id": case.template.id, "version": "1"},
        scalingConfig={"minSize": 4, "maxSize": 4, "desiredSize": 4},
    )


def as_machines(case: Cluster) -> None:
    """The same machines one by one, as a loop makes them."""
    case.program.drop(case.scaling)
    for number in range(2):
        case.scaling = case.program.add(
            "aws:ec2/instance:Instance",
            f"worker-{number}",
            subnetId=case.subnet.id,
            launchTemplate={"id": case.template.id, "version": "$Latest"},
        )


MADE = {"fleet": as_fleet, "node group": as_node_group, "machines": as_machines}
ASKED = [rule.id for rule in PARTS if rule.id != "fabric-driver"]


@both
@pytest.mark.parametrize("made", MADE)
def test_a_good_cluster_is_fine_however_its_machines_are_made(made, moment):
    case = cluster()
    MADE[made](case)
    judged = of_resources(case.program.resources(moment))
    said = {rule: set(outcomes(judged, rule)) for rule in ASKED}
    none = {"not-applicable"}
    assert said == {
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
    found = findings(of_resources(case.program.resources(moment)), rule)
    assert {one.outcome for one in found} == {"violated"}
    assert found[-1].subject == case.scaling.urn


@both
@pytest.mark.parametrize("rule", ["fabric-self-ingress", "fabric-self-egress"])
@pytest.mark.parametrize("made", MADE)
def test_a_closed_way_is_seen_however_the_machines_are_made(made, rule, moment):
    case = cluster()
    MADE[made](case)
    case.program.drop(case.ingress if rule == "fabric-self-ingress" else case.egress)
    assert set(outcomes(of_resources(case.program.resources(moment)), rule)) == {"violated"}


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
    told = joined(faults=refused(rule, faults))
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
    told = refused("fabric-placement", ("too near", "b"), fix="move them")
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
        ("reserved", None, "violated", "name it: "),
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
    assert (proof.answer, finding.fix in proof.change) == ("no", True)


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


@pytest.mark.parametrize(
    ("image", "outcome"), [(READY, "fine"), (PLAIN, "violated"), ("ami-0abc", "not-knowable")]
)
def test_the_driver_of_an_image_on_aws(image, outcome):
    case = cluster()
    case.program.change(case.template, imageId=image)
    (finding,) = findings(of_resources(case.program.resources()), "fabric-driver")
    assert (finding.outcome, finding.level, finding.refuses) == (outcome, "advisory", False)


@pytest.mark.parametrize("script", ["userData", "userDataBase64"])
def test_a_script_may_bring_what_a_plain_image_lacks(script):
    case = cluster()
    case.program.change(case.template, imageId=PLAIN, **{script: "IyEvYmluL3NoCg=="})
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == ["not-knowable"]


CANONICAL = {"publisher": "Canonical", "offer": "0001-com-ubuntu", "sku": "22_04-lts-gen2"}


@pytest.mark.parametrize(
    ("profile", "outcome"),
    [
        ({}, "fine"),
        ({"storageProfile": {"imageReference": CANONICAL}}, "violated"),
        (
            {"storageProfile": {"imageReference": CANONICAL}, "userData": "I2Nsb3Vk"},
            "not-knowable",
        ),
        (
            {
                "storageProfile": {"imageReference": CANONICAL},
                "extensionProfile": {"extensions": [{"name": "ib"}]},
            },
            "not-knowable",
        ),
        ({"storageProfile": {"imageReference": {"id": "/my/image"}}}, "not-knowable"),
    ],
)
def test_the_driver_of_an_image_on_azure(profile, outcome):
    case = azure_cluster.cluster()
    case.profile(osProfile={"linuxConfiguration": azure_cluster.LOGIN})
    case.profile(**profile)
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == [outcome]


def test_an_extension_may_bring_what_a_plain_image_lacks():
    case = azure_cluster.cluster()
    case.profile(storageProfile={"imageReference": CANONICAL}, osProfile=None)
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == ["violated"]
    case.program.add("azure-native:compute:VirtualMachineScaleSetExtension", "infiniband")
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == ["not-knowable"]


UBUNTU = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts"


@pytest.mark.parametrize(
    ("image", "script", "outcome"),
    [
        (UBUNTU, None, "violated"),
        ("debian-cloud/debian-12", None, "violated"),
        (UBUNTU, "install nccl-gib", "not-knowable"),
        (UBUNTU, "install something else", "violated"),
        (UBUNTU, UNKNOWN, "not-knowable"),
        ("projects/mine/global/images/own", None, "not-knowable"),
        (UNKNOWN, None, "not-knowable"),
    ],
)
def test_the_driver_of_an_image_on_google_cloud(image, script, outcome):
    case = gcp_cluster.roce()
    disk = {"boot": True, "sourceImage": image, "diskType": "hyperdisk-balanced"}
    case.program.change(case.template, disks=[disk], metadata=None, metadataStartupScript=script)
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == [outcome]


def test_a_boot_disk_that_a_machine_refuses_is_no_matter_of_its_interfaces():
    case = gcp_cluster.roce()
    case.program.change(
        case.template, disks=[{"boot": True, "sourceImage": "own", "diskType": "pd-ssd"}]
    )
    judged = of_resources(case.program.resources())
    assert outcomes(judged, "fabric-interfaces") == ["fine"]
    (finding,) = findings(judged, "disk-limits")
    assert "a3-ultragpu-8g does not start from a pd-ssd disk" in finding.message


def test_an_image_that_needs_a_plan_is_no_matter_of_its_interfaces():
    case = azure_cluster.cluster()
    image = {"publisher": "almalinux", "offer": "almalinux-hpc"}
    case.profile(storageProfile={"imageReference": image})
    judged = of_resources(case.program.resources())
    assert outcomes(judged, "fabric-scale-set") == ["fine"]
    (finding,) = findings(judged, "launch-settings")
    assert "sold with a plan" in finding.message


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


def test_the_proof_tells_the_share_of_what_is_declared():
    case = cluster()
    case.program.change(case.template, networkInterfaces=classic_nics(4, case.group.id))
    (proof,) = fabric_verdict(of_resources(case.program.resources()))
    assert (proof.answer, proof.expected_gbs) == ("no", 50)
    assert "at most 50 GB/s per machine (moto" in str(proof)


def test_the_proof_tells_the_whole_rate_and_its_source():
    (proof,) = fabric_verdict(of_resources(cluster().program.resources()))
    assert proof.expected_gbs == 400
    assert proof.source.endswith("instance_types.json, 2026-10-27")
    assert f"; expected 400 GB/s per machine ({proof.source}); unknown: " in str(proof)


def test_no_more_than_the_machine_has_is_promised():
    spoilt = cluster("p4d.24xlarge", nics=lambda group: classic_nics(5, group))
    (proof,) = fabric_verdict(of_resources(spoilt.program.resources()))
    assert proof.expected_gbs == 50


def test_the_slowest_of_several_types_sets_the_rate():
    mixed = group(
        machines=("p5.48xlarge", "p4d.24xlarge"), maximum=4, fabric=joined(placement="cluster")
    )
    (proof,) = fabric_verdict(plan(mixed))
    assert proof.expected_gbs == 50


@pytest.mark.parametrize(
    "hidden",
    [
        {"fabric": Fabric(wish="required", interfaces=UNKNOWN)},
        {"machine": "p9.48xlarge", "fabric": joined()},
        {"machine": "p6e-gb200.36xlarge", "fabric": joined()},
        {"machines": ("p5.48xlarge", "p9.48xlarge"), "fabric": joined()},
        {"machine": "g5.xlarge", "fabric": None},
    ],
)
def test_a_rate_that_nobody_knows_is_not_told(hidden):
    (proof,) = fabric_verdict(plan(group(maximum=4, **hidden)))
    assert (proof.expected_gbs, proof.source) == (None, "")
    assert "GB/s" not in str(proof)


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"maximum": 1, "fabric": None}, 0),
        ({"maximum": 1}, 0),
        ({"maximum": UNKNOWN}, 1),
        ({"maximum": 2, "fabric": None}, 1),
        ({"machine": "g5.8xlarge", "maximum": 2, "fabric": None, "purpose": "unknown"}, 0),
        ({"maximum": 2, "purpose": "unknown"}, 1),
    ],
)
def test_machines_that_train_together_are_proved(given, count):
    one = group(**{"fabric": joined(), **given})
    assert len(fabric_verdict(plan(one))) == count


@pytest.mark.parametrize(
    ("machine", "given", "count"),
    [
        ("p4d.24xlarge", {}, 1),
        ("g6e.24xlarge", {}, 0),
        ("p9.48xlarge", {}, 0),
        ("p6-b200.48xlarge", {"purpose": "inference"}, 0),
        ("p6-b200.48xlarge", {"maximum": 1}, 0),
        ("p6-b200.48xlarge", {"machines": ("p9.48xlarge", "p6-b200.48xlarge")}, 1),
    ],
)
def test_machines_that_are_sold_to_train_are_proved_where_nobody_says(machine, given, count):
    one = group(machine, **{"purpose": "unknown", "maximum": 4, **given})
    found = fabric_verdict(plan(one))
    assert len(found) == count
    assert all("no fabric interface is declared" in str(proof) for proof in found)


@both
def test_machines_of_a_loop_are_proved_together(moment):
    case = cluster()
    as_machines(case)
    (proof,) = fabric_verdict(of_resources(case.program.resources(moment)))
    assert (proof.name, proof.answer, proof.expected_gbs) == ("worker-0 and 1 more", "yes", 400)
    assert proof.subject.endswith("::worker-0")
    assert len(proof.because) == len(set(proof.because))
    other = case.program.add(
        "aws:ec2/subnet:Subnet", "b", vpcId="vpc-1", availabilityZone="us-east-1b"
    )
    case.program.change(case.scaling, subnetId=other.id)
    (proof,) = fabric_verdict(of_resources(case.program.resources(moment)))
    assert proof.answer == "no"
    assert proof.because == ("it and 1 more are in several zones: us-east-1a, us-east-1b",)
    (change,) = proof.change
    assert change.startswith("keep the group in one zone: one subnet, one zone; ")
    assert "resources: {worker-0: {fabric: none}}" in change
    found = findings(of_resources(case.program.resources(moment)), "fabric-one-zone")
    assert [one.outcome for one in found if "more are" in one.message] == ["violated"]
    alone = Usage(fabric=dict.fromkeys(("worker-0", "worker-1"), "none"))
    apart = of_resources(case.program.resources(moment), usage=alone)
    assert {one.outcome for one in findings(apart, "fabric-one-zone")} == {"fine"}


@pytest.mark.parametrize(
    ("other", "count"),
    [
        ({}, 1),
        ({"machine": "p5e.48xlarge"}, 0),
        ({"region": "us-west-2"}, 0),
        ({"purpose": "inference"}, 0),
        ({"maximum": 2}, 1),
        ({"fabric": None}, 0),
        ({"fabric": joined(placement=None)}, 0),
        ({"cloud": "gcp"}, 0),
        ({"subject": "training.other"}, 0),
    ],
)
def test_lone_machines_of_one_kind_and_place_belong_together(other, count):
    placed = joined(placement="cluster")
    one = {"fabric": placed, "subject": "urn:pulumi:dev::shop::aws:ec2/instance:Instance::a"}
    pair = [group(**one), group(**{**one, "name": "other", **other})]
    assert len(fabric_verdict(plan(*pair))) == count


def test_what_a_mandatory_rule_can_t_know_is_no_yes():
    facts = {"one_zone": True, "placement": "cluster", "public_ip": False}
    (yes,) = fabric_verdict(
        plan(group(maximum=2, fabric=joined(**facts, self_ingress=True, self_egress=True)))
    )
    assert (yes.answer, len(yes.unknown)) == ("yes", 1)
    (unsure,) = fabric_verdict(plan(group(maximum=2, fabric=joined(**facts, self_ingress=True))))
    assert unsure.answer == "not knowable yet"
    assert "it is unknown whether its firewall allows outbound" in unsure.because[0]
    assert unsure.because != unsure.unknown
    (no,) = fabric_verdict(
        plan(group(maximum=2, fabric=joined(**facts, self_ingress=False, driver_image=True)))
    )
    assert (no.answer, len(no.because), len(no.unknown)) == ("no", 1, 1)


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


def test_the_proof_of_a_plan_without_types_goes_by_its_rung():
    placed = joined(placement="cluster")
    urn = "urn:pulumi:dev::shop::aws:ec2/instance:Instance::"
    pair = [
        group(machines=(), fabric=placed, name=name, subject=f"{urn}{name}") for name in ("a", "b")
    ]
    (proof,) = fabric_verdict(plan(*pair))
    assert proof.name == "a and 1 more"
    other = group("p5e.48xlarge", machines=(), fabric=placed, subject=f"{urn}c")
    assert len(fabric_verdict(plan(pair[0], other))) == 0


def test_one_group_of_several_zones_is_its_own_rule_s_matter():
    zoned = group(maximum=2, fabric=joined(one_zone=True))
    zones = ("us-east-1a", "us-east-1b")
    zoned = replace(zoned, rungs=(replace(zoned.rung, zones=zones),))
    (proof,) = fabric_verdict(plan(zoned))
    assert not any("they stand in several zones" in one for one in proof.because)


BARE = {"subject": "urn:pulumi:dev::shop::aws:autoscaling/group:Group::g", "maximum": 4}


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ({}, ["violated"]),
        ({"fabric_wish": "none"}, ["not-applicable"]),
        ({"purpose": "unknown"}, ["not-applicable"]),
        ({"purpose": "unknown", "fabric_wish": "required"}, ["violated"]),
        ({"maximum": 1}, ["not-applicable"]),
        ({"maximum": 1, "fabric_wish": "required"}, ["violated"]),
        ({"maximum": UNKNOWN}, ["violated"]),
        ({"subject": "training.g"}, ["not-applicable"]),
        ({"machines": ("g6.xlarge",)}, ["not-applicable"]),
        ({"machines": ("g6.xlarge",), "fabric_wish": "required"}, ["violated"]),
        ({"machines": ("p9.48xlarge",), "fabric_wish": "required"}, ["not-knowable"]),
    ],
)
def test_machines_that_train_together_declare_their_fabric(given, outcome):
    judged = plan(group(**{**BARE, **given}))
    assert outcomes(judged, "fabric-interfaces") == outcome


def test_a_group_that_declares_none_is_told_how_and_how_to_say_that_none_is_meant():
    judged = plan(group(name="g", **BARE), group(name="h", maximum=2, fabric=joined()))
    mine, other = findings(judged, "fabric-interfaces")
    if mine.subject != BARE["subject"]:
        mine, other = other, mine
    assert mine.message.startswith("0 of 32 fabric interfaces of p5.48xlarge are declared")
    assert "resources: {g: {fabric: none}}" in mine.fix
    assert other.subject == "training.trainer"
    (proof, _) = fabric_verdict(judged)
    assert (proof.answer, proof.change) == (
        "no",
        ("declare the fabric interfaces of its machine type",),
    )


def test_what_somebody_says_of_a_fabric_reaches_the_group_of_any_number():
    case = cluster()
    usage = Usage(fabric={"workers": "none"})
    assert [
        one.wishes.fabric for one in of_resources(case.program.resources(), usage=usage).groups
    ] == ["none"]


def test_who_can_t_declare_a_fabric_is_told_to_take_machines_that_can():
    there = {**BARE, "purpose": "training"}
    (proof,) = fabric_verdict(plan(group("g6.xlarge", **there)))
    assert proof.because == ("g6.xlarge has no fabric interface",)
    assert proof.change[0].startswith("require it (fabric: required)")
    (asked,) = fabric_verdict(plan(group(maximum=2)))
    assert asked.change[0].startswith("require it (fabric: required)")
