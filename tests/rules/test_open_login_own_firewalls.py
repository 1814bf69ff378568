"""Machines of services with firewalls of their own are not open to everyone."""

import pytest

from gpuinfra.clouds.aws.observe.detached_firewalls import SERVICES_WITH_FIREWALL
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import login, login_of

FLEET, INSTANCE = "aws:gamelift/fleet:Fleet", "aws:lightsail/instance:Instance"
PORTS, DATABASE = SERVICES_WITH_FIREWALL[1], SERVICES_WITH_FIREWALL[3]
WORLD, OFFICE = "0.0.0.0/0", "203.0.113.0/24"
SSH = "TCP 22 (SSH) of it is open to 0.0.0.0/0"
RDP = "TCP 3389 (Remote Desktop) of it is open to 0.0.0.0/0"
DATA = "publiclyAccessible is true, so its data port is open to the whole internet"


def lets(port, **more):
    return {"protocol": "TCP", "fromPort": port, "toPort": port, **more}


@both
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([lets(22, ipRange=WORLD)], [("violated", SSH)]),
        ([lets(7777, ipRange=WORLD), lets(22, ipRange=OFFICE)], []),
        ([lets(22, ipRange=OFFICE)], []),
        ([], []),
        (None, []),
    ],
)
def test_a_fleet_of_games_lets_in_what_it_says(rules, expected, moment):
    assert login_of(FLEET, moment, ec2InboundPermissions=rules) == expected


@pytest.mark.parametrize("rules", [UNKNOWN, [UNKNOWN], [lets(22, ipRange=UNKNOWN)]])
def test_rules_that_are_not_known_may_let_anyone_in(rules):
    assert [outcome for outcome, _ in login_of(FLEET, ec2InboundPermissions=rules)] == [
        "not-knowable"
    ]


@both
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"cidrs": [WORLD]}, [("violated", SSH)]),
        ({"ipv6Cidrs": ["::/0"]}, [("violated", SSH.replace(WORLD, "::/0"))]),
        ({}, [("violated", SSH)]),
        ({"cidrs": [OFFICE]}, []),
        ({"cidrListAliases": ["lightsail-connect"]}, []),
    ],
)
def test_ports_of_a_machine_of_lightsail_are_for_some_addresses(given, expected, moment):
    assert login_of(PORTS, moment, instanceName="i", portInfos=[lets(22, **given)]) == expected


@both
@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("ubuntu_24_04", SSH),
        ("windows_server_2022", "TCP 3389 (Remote Desktop) of it is open to 0.0.0.0/0"),
    ],
)
def test_a_machine_of_lightsail_opens_the_ports_of_its_image(image, expected, moment):
    assert login_of(INSTANCE, moment, blueprintId=image) == [("violated", expected)]


@both
def test_ports_of_a_machine_of_lightsail_stand_in_place_of_its_image_s(moment):
    program = Program()
    instance = program.add(INSTANCE, "it", blueprintId="ubuntu_24_04")
    program.add(PORTS, "ports", instanceName=instance.id, portInfos=[lets(22, cidrs=[OFFICE])])

    assert login(program, moment) == []


@pytest.mark.parametrize(
    ("public", "expected"), [(True, [("violated", DATA)]), (False, []), (None, [])]
)
def test_a_database_of_lightsail_is_not_public(public, expected):
    assert login_of(DATABASE, publiclyAccessible=public) == expected


def test_the_fix_of_a_database_of_lightsail_names_its_setting():
    program = Program()
    program.add(DATABASE, "it", publiclyAccessible=True)

    found = findings(of_resources(program.resources()), "open-login")
    assert [row.fix for row in found if row.outcome == "violated"] == [
        "set publiclyAccessible to false"
    ]


def test_every_type_of_the_table_is_looked_for_and_sourced():
    rows = list(TABLES.rows("own_firewalls"))

    assert {row["type"] for row in rows} < set(SERVICES_WITH_FIREWALL)
    assert all(row["source"] and row["as_of"].startswith("20") for row in rows)
