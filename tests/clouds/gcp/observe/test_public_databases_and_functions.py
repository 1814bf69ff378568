"""Databases of Google Cloud that the whole internet reaches."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe, resource_types
from gpuinfra.clouds.gcp.observe.exposure import public_databases_and_functions
from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes

SQL, ALLOY = "sql/databaseInstance:DatabaseInstance", "alloydb/instance:Instance"
WORLD, HALVES, OFFICE = ["0.0.0.0/0"], ["0.0.0.0/1", "128.0.0.0/1"], ["203.0.113.4/32"]


def database(token: str, public: Any, ranges: Any) -> GcpProgram:
    program = GcpProgram()
    if token == SQL:
        networks = [{"value": each} for each in ranges] if isinstance(ranges, list) else ranges
        config = {"authorizedNetworks": networks}
        config |= {} if public is None else {"ipv4Enabled": public}
        program.add(token, "db", settings={"tier": "db-f1-micro", "ipConfiguration": config})
        return program
    networks = [{"cidrRange": each} for each in ranges] if isinstance(ranges, list) else ranges
    config = {"authorizedExternalNetworks": networks}
    config |= {} if public is None else {"enablePublicIp": public}
    program.add(token, "db", networkConfig=config)
    return program


@pytest.mark.parametrize("token", [SQL, ALLOY])
@pytest.mark.parametrize(
    ("public", "ranges", "outcome"),
    [
        (True, WORLD, ["violated"]),
        (True, HALVES, ["violated"]),
        (True, ["::/0"], ["violated"]),
        (True, OFFICE, ["not-applicable"]),
        (True, [], ["not-applicable"]),
        (False, WORLD, ["not-applicable"]),
        (False, UNKNOWN, ["not-applicable"]),
        (UNKNOWN, WORLD, ["not-knowable"]),
        (True, UNKNOWN, ["not-knowable"]),
        (True, [UNKNOWN], ["not-knowable"]),
    ],
)
def test_a_database_is_open_by_a_public_address_and_wide_networks(token, public, ranges, outcome):
    judged = outcomes(of_resources(database(token, public, ranges).resources()), "open-login")

    assert judged == outcome


def test_cloud_sql_has_a_public_address_unless_told_and_alloydb_has_none():
    opens = [observe(database(each, None, WORLD).resources()).open_ports for each in (SQL, ALLOY)]

    assert [len(each) for each in opens] == [1, 0]


def test_settings_that_are_hidden_may_open_it():
    program = GcpProgram()
    program.add(SQL, "db", settings=UNKNOWN)
    program.add(SQL, "plain", settings={"tier": "db-f1-micro"})

    assert [door.name for door in observe(program.resources()).open_ports] == ["db"]


def test_every_kind_is_read():
    assert set(public_databases_and_functions.DATABASES) == resource_types.DATABASES


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"httpsTriggerSecurityLevel": "SECURE_OPTIONAL"}, "violated"),
        ({"httpsTriggerSecurityLevel": "SECURE_ALWAYS"}, "not-applicable"),
        ({}, "violated"),  # the cloud takes SECURE_OPTIONAL
        ({"triggerHttp": None}, "not-applicable"),
        ({"triggerHttp": UNKNOWN}, "not-knowable"),
        ({"httpsTriggerSecurityLevel": UNKNOWN}, "not-knowable"),
        ({"ingressSettings": "ALLOW_INTERNAL_AND_GCLB"}, "fine"),
        (
            {"httpsTriggerSecurityLevel": "SECURE_OPTIONAL", "ingressSettings": UNKNOWN},
            "not-knowable",
        ),
        (
            {
                "httpsTriggerSecurityLevel": "SECURE_OPTIONAL",
                "ingressSettings": "ALLOW_INTERNAL_ONLY",
            },
            "fine",
        ),
    ],
)
def test_a_function_redirects_plain_requests(inputs, outcome):
    program = GcpProgram()
    program.add("cloudfunctions/function:Function", "answers", **{"triggerHttp": True, **inputs})

    assert outcomes(of_resources(program.resources()), "front-tls") == [outcome]


def test_a_state_shows_the_security_level_that_the_cloud_chose():
    shown = {"httpsTriggerSecurityLevel": "SECURE_ALWAYS"}
    program = GcpProgram()
    program.add("cloudfunctions/function:Function", "answers", triggerHttp=True)
    (function,) = program.resources()
    stack = [replace(function, outputs=shown)]

    assert outcomes(of_resources(stack), "front-tls") == ["not-applicable"]
