"""Layouts of interfaces, on every machine that moto's DescribeInstanceTypes tells of."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from gpuinfra.clouds.aws.interfaces import (
    addresses,
    ena_express_fault,
    layout_fault,
    nic_layout,
)
from gpuinfra.clouds.aws.machines import MACHINES, machine
from gpuinfra.model import Machine

LAYOUTS = ("standard", "fewest-ip", "most-ip", "classic")
ANY = machine("p5.48xlarge")


@pytest.fixture(scope="module")
def told() -> Iterator[dict[str, dict[str, Any]]]:
    with mock_aws(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        pages = boto3.client("ec2", region_name="us-east-1").get_paginator(
            "describe_instance_types"
        )
        yield {
            instance_type["InstanceType"]: instance_type["NetworkInfo"]
            for page in pages.paginate()
            for instance_type in page["InstanceTypes"]
        }


def of(type_: str, network: dict[str, Any]) -> Machine:
    """A machine as far as its network goes."""
    cards = sorted(network["NetworkCards"], key=lambda card: card["NetworkCardIndex"])
    return replace(
        ANY,
        type=type_,
        fabric_interfaces=network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        network_cards=len(cards),
        interfaces_per_card=tuple(card["MaximumNetworkInterfaces"] for card in cards),
    )


def test_every_layout_keeps_the_limits_of_every_machine_that_moto_knows(told) -> None:
    capable = [
        candidate
        for type_, network in told.items()
        if (candidate := of(type_, network)).fabric_interfaces
    ]
    assert len(capable) > 100

    for capable_machine in capable:
        for layout in LAYOUTS:
            if not layout_fault(capable_machine, layout):
                assert_kept(capable_machine, layout)


def assert_kept(checked: Machine, layout: str) -> None:
    nics = nic_layout(checked, fabric=True, layout=layout)
    efa = [nic for nic in nics if nic.kind != "interface"]
    places = [(nic.card, nic.device) for nic in nics]
    what = (checked.type, layout)

    assert (nics[0].card, nics[0].device) == (0, 0), what
    assert nics[0].kind != "efa-only", what
    assert len(efa) == checked.fabric_interfaces, what
    assert len({nic.card for nic in efa}) == len(efa), what
    assert len(set(places)) == len(places), what
    assert all(nic.card < checked.network_cards for nic in nics), what
    assert all(nic.device < checked.interfaces_per_card[nic.card] for nic in nics), what


@given(
    st.integers(1, 40).flatmap(
        lambda cards: st.tuples(
            st.integers(max(1, cards - 1), cards),
            st.lists(st.integers(1, 15), min_size=cards, max_size=cards),
        )
    ),
    st.sampled_from(["standard", "fewest-ip", "classic"]),
)
def test_and_of_every_machine_that_may_come(shape: tuple[int, list[int]], layout: str) -> None:
    interfaces, cards = shape
    assert_kept(
        replace(
            ANY,
            fabric_interfaces=interfaces,
            network_cards=len(cards),
            interfaces_per_card=tuple(cards),
        ),
        layout,
    )


@pytest.mark.parametrize(
    ("type_", "layout", "interfaces", "taken"),
    [
        ("p5.48xlarge", "standard", 33, 1),
        ("p5.48xlarge", "fewest-ip", 33, 1),
        ("p5.48xlarge", "most-ip", 40, 8),
        ("p5.48xlarge", "classic", 32, 32),
        ("p6-b300.48xlarge", "classic", 17, 17),
        ("p4d.24xlarge", "standard", 5, 1),
        ("g5.8xlarge", "classic", 1, 1),
    ],
)
def test_what_a_layout_declares_and_takes(
    type_: str, layout: str, interfaces: int, taken: int
) -> None:
    nics = nic_layout(machine(type_), fabric=True, layout=layout)

    assert (len(nics), addresses(nics)) == (interfaces, taken)


def test_all_ip_bandwidth_is_on_every_fourth_card_of_p5() -> None:
    nics = nic_layout(machine("p5.48xlarge"), fabric=True, layout="most-ip")

    assert [nic.card for nic in nics if nic.kind == "interface"] == list(range(0, 32, 4))


def test_a_layout_that_nobody_tells_is_refused_with_those_that_somebody_does() -> None:
    fault = layout_fault(machine("p5en.48xlarge"), "most-ip")

    assert "p5en.48xlarge" in fault
    assert "p5.48xlarge, p5e.48xlarge" in fault
    with pytest.raises(ValueError, match="p5en"):
        nic_layout(machine("p5en.48xlarge"), fabric=True, layout="most-ip")


def test_ena_express_is_as_moto_has_it(told) -> None:
    for row in MACHINES.all_machines():
        has = told.get(row.type, {}).get("EnaSrdSupported")
        assert (ena_express_fault(row) == "") is bool(has), row.type


def test_what_nobody_tells_of_ena_express_is_no_yes() -> None:
    assert "unknown whether" in ena_express_fault(machine("p6e-gb200.36xlarge"))
    assert "doesn't support it" in ena_express_fault(machine("p4d.24xlarge"))
