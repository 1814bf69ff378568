"""Each fact of a declared fabric, and of what machines that train together have in common."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Fabric, FabricFirewall, Group, Known
from gpuinfra.rules.fabric import training_groups
from tests.rules.cases.judging import findings, group, outcomes, plan

FABRIC = Fabric(
    requirement="required",
    interfaces=32,
    one_zone=True,
    placement="cluster",
    self_ingress=True,
    self_egress=True,
    public_ip=False,
    driver_image=True,
)
URN = "urn:pulumi:dev::shop::aws:ec2/instance:Instance::{}"


def of(name: str = "trainer", **changes: Any) -> Group:
    return group(name=name, maximum=2, minimum=2, fabric=replace(FABRIC, **changes))


def alone(name: str, *, zones: tuple[str, ...] = (), **changes: Any) -> Group:
    """One machine of resources, as a loop makes several."""
    made = replace(of(name, **changes), subject=URN.format(name), minimum=1, maximum=1)
    return replace(made, rungs=(replace(made.rung, zones=zones),))


@pytest.mark.parametrize(
    ("rule", "field", "good"),
    [
        ("fabric-one-zone", "one_zone", True),
        ("fabric-self-ingress", "self_ingress", True),
        ("fabric-self-egress", "self_egress", True),
        ("fabric-public-ip", "public_ip", False),
        ("fabric-driver", "driver_image", True),
    ],
)
def test_each_fact_is_good_bad_or_unknown(rule: str, field: str, good: bool) -> None:
    def outcome(value: Known) -> list[str]:
        return outcomes(plan(of(**{field: value})), rule)

    assert outcome(good) == ["fine"]
    assert outcome(not good) == ["violated"]
    assert outcome(UNKNOWN) == ["not-knowable"]
    assert outcomes(plan(group()), rule) == ["not-applicable"]


@pytest.mark.parametrize("way", ["ingress", "egress"])
def test_interfaces_without_a_firewall_are_open_to_each_other(way: str) -> None:
    (finding,) = findings(plan(of(**{f"self_{way}": None})), f"fabric-self-{way}")

    assert finding.outcome == "fine"
    assert finding.message == "no firewall applies between its interfaces"


def wall(
    own: str, *, ingress: tuple[str, ...] = (), egress: tuple[str, ...] = ()
) -> FabricFirewall:
    return FabricFirewall(
        groups=frozenset({own}), ingress=frozenset(ingress), egress=frozenset(egress)
    )


OPEN = {"ingress": ("a", "b"), "egress": ("a", "b")}


@pytest.mark.parametrize(
    ("second", "ingress", "egress"),
    [
        (wall("b", **OPEN), True, True),
        (wall("b", ingress=("b",), egress=("a", "b")), False, True),
        (wall("b", ingress=("a", "b"), egress=("b",)), True, False),
        (wall("a", ingress=("a", "b"), egress=("a", "b")), True, True),
    ],
)
def test_firewalls_of_machines_that_train_together_are_open_to_each_other(
    second: FabricFirewall, ingress: bool, egress: bool
) -> None:
    two = alone("w0", firewalls=(wall("a", **OPEN),)), alone("w1", firewalls=(second,))

    for way, is_open in (("inbound", ingress), ("outbound", egress)):
        rule = "fabric-self-ingress" if way == "inbound" else "fabric-self-egress"
        *each, last = findings(plan(*two), rule)
        assert {it.outcome for it in each} <= {"fine"}
        assert (last.outcome == "fine") == is_open
        if not is_open:
            assert last.subject == URN.format("w0")
            assert last.message == (
                f"it and 1 more are in security groups that do not allow {way} traffic from one "
                "to the other"
            )


def test_one_group_with_two_ways_to_start_is_judged_alike() -> None:
    apart = of(firewalls=(wall("a", ingress=("a",)), wall("b", ingress=("b",))))

    (_, finding) = findings(plan(apart), "fabric-self-ingress")

    assert finding.message.startswith("its machines are in security groups")


@pytest.mark.parametrize("rule", ["fabric-networks", "fabric-scale-set"])
def test_faults_are_judged_on_the_clouds_that_report_them(rule: str) -> None:
    azure = replace(of(faults=rule_faults(rule, ("a fault",))), cloud="azure")
    gcp = replace(azure, cloud="gcp")
    aws = replace(azure, cloud="aws")
    judged, other = (azure, gcp) if rule == "fabric-scale-set" else (gcp, azure)

    assert outcomes(plan(judged), rule) == ["violated"]
    assert outcomes(plan(other), rule) == ["not-applicable"]
    assert outcomes(plan(aws), rule) == ["not-applicable"]


MADE, MADE_TOO = ("urn:a", "urn:b")
SITES = [
    (((MADE,), (MADE,)), True),
    (((MADE,), (MADE_TOO,)), False),
    ((("net-a",), ("net-b",)), False),
    (((MADE,), ("net-a",)), True),
    (((MADE, "net-a"), (MADE_TOO, "net-a")), True),
    (((MADE, "net-a"), (MADE_TOO,)), True),
    (((MADE, "net-a"), ("net-b",)), True),
]


@pytest.mark.parametrize(("sites", "is_one"), SITES)
def test_networks_surely_differ_where_all_are_made_or_all_are_named(
    sites: tuple[tuple[str, ...], ...], is_one: bool
) -> None:
    machines = [
        alone(f"w{number}", sites=(frozenset(names),)) for number, names in enumerate(sites)
    ]

    found = findings(plan(*machines), "fabric-networks")

    apart = [it.subject for it in found if "in different networks" in it.message]
    assert apart == ([] if is_one else [URN.format("w0")])


@pytest.mark.parametrize(
    ("zones", "ids", "apart"),
    [
        (("a", "a"), ((), ()), ""),
        (("a", "b"), ((), ()), "a, b"),
        (("a", "a"), (("use1-az1",), ("use1-az2",)), "use1-az1, use1-az2"),
        (("a", "a"), (("use1-az1",), ("use1-az1",)), ""),
    ],
)
def test_machines_that_train_together_are_in_one_zone_by_name_and_by_id(
    zones: tuple[str, ...], ids: tuple[tuple[str, ...], ...], apart: str
) -> None:
    two = [
        alone(f"w{number}", zones=(zone,), zone_ids=of_zone)
        for number, (zone, of_zone) in enumerate(zip(zones, ids, strict=True))
    ]

    found = [it.message for it in findings(plan(*two), "fabric-one-zone") if it.refuses]

    assert found == ([f"it and 1 more are in several zones: {apart}"] if apart else [])


def test_machines_in_two_placements_are_not_near() -> None:
    two = alone("w0", placements=("p0",)), alone("w1", placements=("p1",))

    *_, last = findings(plan(*two), "fabric-placement")

    assert last.subject == URN.format("w0")
    assert last.message == (
        "it and 1 more are in 2 placements, and near each other only within one"
    )


def test_what_trains_together_has_a_fabric_and_several_machines() -> None:
    several, one, bare = of("several"), alone("one"), group(name="bare", maximum=2)

    assert list(training_groups([several, one, bare])) == [(several,), (one,)]
    assert list(training_groups([replace(one, subject="training.one")])) == []


def test_all_machines_of_a_group_are_named_where_they_support_the_fabric() -> None:
    (mixed,) = findings(
        plan(replace(of(), machines=("p5.48xlarge", "p5e.48xlarge"))), "fabric-capable"
    )
    (single,) = findings(plan(replace(of(), machines=())), "fabric-capable")

    assert mixed.message == "p5.48xlarge, p5e.48xlarge supports the fabric"
    assert single.message == "p5.48xlarge supports the fabric"
