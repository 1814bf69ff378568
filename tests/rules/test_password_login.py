"""Machines that accept no password for login."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import changed
from tests.rules.cases.judging import findings, outcomes, plan

RULE = "password-login"
KEYS = {"publicKeys": [{"path": "/home/me/.ssh/authorized_keys", "keyData": "ssh-rsa AAAA me"}]}


def linux(**more: Any) -> dict[str, Any]:
    return {"adminUsername": "me", "linuxConfiguration": {"ssh": KEYS, **more}}


@pytest.mark.parametrize(
    ("system", "outcome"),
    [
        (linux(disablePasswordAuthentication=True), "fine"),
        (linux(disablePasswordAuthentication="true"), "fine"),
        (linux(disablePasswordAuthentication=False), "violated"),
        ({**linux(), "adminPassword": "${password}"}, "violated"),
        ({**linux(), "adminPassword": UNKNOWN}, "violated"),
        (linux(), "not-knowable"),
        (linux(disablePasswordAuthentication=UNKNOWN), "not-knowable"),
        ({"adminUsername": "me", "adminPassword": UNKNOWN}, "not-knowable"),
        (UNKNOWN, "not-knowable"),
        ({"adminUsername": "me", "adminPassword": "x", "windowsConfiguration": {}}, "fine"),
        (None, "fine"),
    ],
    ids=str,
)
def test_a_machine_says_that_it_takes_no_password(system: Any, outcome: str) -> None:
    assert outcomes(changed.azure({"osProfile": system}), "password-login") == [outcome]


@pytest.mark.parametrize(
    "storage",
    [
        {"imageReference": {"publisher": "MicrosoftWindowsServer", "offer": "WindowsServer"}},
        {"osDisk": {"osType": "Windows"}},
    ],
    ids=str,
)
def test_windows_has_no_keys(storage: dict[str, Any]) -> None:
    system = {"adminUsername": "me", "adminPassword": UNKNOWN}
    judged = changed.azure({"osProfile": system, "storageProfile": storage})

    assert outcomes(judged, RULE) == ["fine"]


def test_the_fix_names_the_setting() -> None:
    system = linux(disablePasswordAuthentication=False)
    (finding,) = findings(changed.azure({"osProfile": system}), RULE)

    assert "login takes a password" in finding.message
    assert "disablePasswordAuthentication: true" in finding.fix


def test_other_clouds_have_no_such_setting() -> None:
    for judged in (changed.aws({}), changed.gcp({}), plan()):
        assert outcomes(judged, RULE) == ["not-applicable"]
