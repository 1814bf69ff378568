"""Containers that App Service serves to everyone on a control port."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import login_faults

WEB, SLOT = "azure-native:web:WebApp", "azure-native:web:WebAppSlot"
LOGIN = "azure-native:web:WebAppAuthSettingsV2"
FIRST_LOGIN = "azure-native:web:WebAppAuthSettings"
SETTINGS = "azure-native:web:WebAppApplicationSettings"
CONTAINER = "azure-native:web:WebAppSiteContainer"
ON = {"platform": {"enabled": True}}
REQUIRED = {
    "requireAuthentication": True,
    "unauthenticatedClientAction": "RedirectToLoginPage",
}


def filtered(rule, default="Deny", more=None):
    """The settings of an app that allow the addresses of a rule."""
    rules = [{"action": "Allow", **rule}, *([more] if more else [])]
    return {"ipSecurityRestrictions": rules, "ipSecurityRestrictionsDefaultAction": default}


def app(kind=WEB, port="8888", setting="WEBSITES_PORT", config=None, **inputs):
    """An app whose settings name the port of its container, and its program."""
    program = AzureProgram()
    settings = [{"name": setting, "value": port}]
    site = {"siteConfig": {"appSettings": settings, **(config or {})}}
    return program, program.add(kind, "desk", resourceGroupName="rg", **site, **inputs)


@both
@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({}, ["violated"]),
        ({"kind": SLOT}, ["violated"]),
        ({"port": 8888}, ["violated"]),
        ({"setting": "PORT"}, ["violated"]),
        ({"setting": "OTHER"}, []),
        ({"port": "8080"}, []),
        ({"port": "9000"}, []),
        ({"publicNetworkAccess": "Disabled"}, []),
        ({"enabled": False}, []),
        (
            {"config": {"ipSecurityRestrictions": [{"ipAddress": "192.0.2.0/24"}]}},
            ["not-knowable"],
        ),
        ({"config": filtered({"ipAddress": "192.0.2.9/32"})}, []),
        ({"config": filtered({"ipAddress": "192.0.2.9/32,198.51.100.0/24"})}, []),
        ({"config": filtered({"ipAddress": "0.0.0.0/0"})}, ["violated"]),
        ({"config": filtered({"ipAddress": "Any"})}, ["not-knowable"]),
        ({"config": filtered({"ipAddress": "192.0.2.9", "subnetMask": "0"})}, ["not-knowable"]),
        ({"config": filtered({"vnetSubnetResourceId": "/subnets/s"})}, []),
        ({"config": filtered({"ipAddress": UNKNOWN})}, ["not-knowable"]),
        ({"config": filtered({"ipAddress": "192.0.2.9/32"}, "Allow")}, ["not-knowable"]),
        (
            {"config": filtered({"ipAddress": "0.0.0.0/0"}, more={"action": "Deny"})},
            ["not-knowable"],
        ),
        ({"clientCertEnabled": True, "clientCertMode": "Required"}, ["not-knowable"]),
        ({"clientCertEnabled": True}, ["not-knowable"]),
        ({"clientCertEnabled": True, "clientCertMode": "Optional"}, ["violated"]),
    ],
)
def test_an_app_forwards_to_the_port_of_its_setting(inputs, expected, moment):
    program, _ = app(**inputs)

    assert login_faults(program, moment) == expected


@both
@pytest.mark.parametrize(
    ("token", "inputs", "port", "expected"),
    [
        (SETTINGS, {"properties": {"WEBSITES_PORT": "8888"}}, "8080", ["violated"]),
        (SETTINGS, {"properties": {"OTHER": "8888"}}, "8080", []),
        (CONTAINER, {"isMain": True, "targetPort": "8888"}, "8080", ["violated"]),
        (CONTAINER, {"isMain": False, "targetPort": "8888"}, "8080", []),
        (LOGIN, {"globalValidation": {"requireAuthentication": True}}, "8888", ["not-knowable"]),
        (
            LOGIN,
            {"globalValidation": {"unauthenticatedClientAction": "AllowAnonymous"}},
            "8888",
            ["violated"],
        ),
        (LOGIN, {"globalValidation": {"requireAuthentication": False}}, "8888", ["violated"]),
        (LOGIN, {**ON, "globalValidation": REQUIRED}, "8888", []),
        (LOGIN, {"globalValidation": REQUIRED}, "8888", ["not-knowable"]),
        (
            LOGIN,
            {"platform": {"enabled": False}, "globalValidation": REQUIRED},
            "8888",
            ["violated"],
        ),
        (
            LOGIN,
            {**ON, "globalValidation": {**REQUIRED, "excludedPaths": ["/api"]}},
            "8888",
            ["not-knowable"],
        ),
        (
            LOGIN,
            {**ON, "globalValidation": {"unauthenticatedClientAction": "Return401"}},
            "8888",
            ["not-knowable"],
        ),
        (
            FIRST_LOGIN,
            {"enabled": True, "unauthenticatedClientAction": "RedirectToLoginPage"},
            "8888",
            [],
        ),
    ],
)
def test_settings_of_an_app_may_be_resources_of_their_own(token, inputs, port, expected, moment):
    program, site = app(port=port)
    program.add(token, "more", resourceGroupName="rg", name=site.out("name"), **inputs)

    assert login_faults(program, moment) == expected


@both
@pytest.mark.parametrize(
    ("token", "inputs", "port", "expected"),
    [
        (f"{SETTINGS}Slot", {"properties": {"WEBSITES_PORT": "8888"}}, "8080", ["violated"]),
        (f"{CONTAINER}Slot", {"isMain": True, "targetPort": "8888"}, "8080", ["violated"]),
        (f"{LOGIN}Slot", {**ON, "globalValidation": REQUIRED}, "8888", []),
        (
            f"{LOGIN}Slot",
            {**ON, "globalValidation": REQUIRED, "slot": "other"},
            "8888",
            ["violated"],
        ),
        (
            f"{LOGIN}Slot",
            {**ON, "globalValidation": REQUIRED, "slot": UNKNOWN},
            "8888",
            ["not-knowable"],
        ),
        (LOGIN, {**ON, "globalValidation": REQUIRED}, "8888", ["violated"]),
    ],
)
def test_a_slot_has_settings_of_its_own(token, inputs, port, expected, moment):
    program = AzureProgram()
    site = program.add(WEB, "desk", resourceGroupName="rg", name="desk", httpsOnly=True)
    where = {"name": site.out("name"), "slot": "staging"}
    settings = {"siteConfig": {"appSettings": [{"name": "WEBSITES_PORT", "value": port}]}}
    program.add(SLOT, "staging", resourceGroupName="rg", **where, **settings)
    program.add(token, "more", resourceGroupName="rg", **{**where, **inputs})

    assert login_faults(program, moment) == expected


def test_the_login_of_a_slot_of_another_app_closes_none():
    program = AzureProgram()
    where = {"name": "desk", "slot": "staging"}
    settings = {"siteConfig": {"appSettings": [{"name": "PORT", "value": "8888"}]}}
    program.add(SLOT, "staging", resourceGroupName="rg", **where, **settings)
    login = {**where, "name": "other", **ON, "globalValidation": REQUIRED}
    program.add(f"{LOGIN}Slot", "more", resourceGroupName="rg", **login)

    assert login_faults(program, "created") == ["violated"]


@pytest.mark.parametrize("kind", [WEB, SLOT])
def test_an_app_and_its_slot_run_on_the_workers_of_a_plan(kind):
    program, _ = app(kind, identity={"type": "SystemAssigned"})

    rows = of_resources(program.resources()).not_judged

    assert [row.reason for row in rows if row.may_start_machines] == []
