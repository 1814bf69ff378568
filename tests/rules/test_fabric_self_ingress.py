"""Inbound traffic from machine to machine of a fabric."""

import pytest

from gpuinfra.model import UNKNOWN, FabricFirewall
from tests.rules.cases.fabric import URN, alone, of_fabric, training
from tests.rules.cases.judging import findings, group, outcomes, plan


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
    apart = training(firewalls=(wall("a", ingress=("a",)), wall("b", ingress=("b",))))

    (_, finding) = findings(plan(apart), "fabric-self-ingress")

    assert finding.message.startswith("its machines are in security groups")


@pytest.mark.parametrize(
    ("self_ingress", "outcome", "words"),
    [
        (True, "fine", "the firewall allows"),
        (None, "fine", "no firewall applies between its interfaces"),
        (False, "violated", "does not allow"),
        (UNKNOWN, "not-knowable", "it is unknown whether"),
    ],
)
def test_inbound_traffic_is_judged_by_itself(self_ingress, outcome, words):
    (finding,) = of_fabric("fabric-self-ingress", self_egress=True, self_ingress=self_ingress)
    assert finding.outcome == outcome
    assert words in finding.message


def test_without_a_fabric_no_inbound_traffic_is_judged():
    assert outcomes(plan(group()), "fabric-self-ingress") == ["not-applicable"]
