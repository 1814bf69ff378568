"""What opens a machine: keys that outlive it, extensions, and data that they read."""

import base64
import gzip

import pytest

from gpuinfra.model import UNKNOWN
from tests.clouds.azure.observe.observed import safety
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_cluster import cluster
from tests.rules.cases.azure_program import GROUP, SUBSCRIPTION
from tests.rules.cases.moments import both


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def compressed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode())).decode()


SAS = f"curl 'https://a.blob.core.windows.net/c?sp=r&se=2030-01-01&sig={'aB9' * 14}x%3D'"
SSH = f"ssh-rsa {'B' * 370}== me"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"osProfile": {"customData": encoded(f"KEY={stacks.KEY}\n")}}, True),
        ({"userData": f"KEY={stacks.KEY}"}, True),
        ({"userData": encoded("#!/bin/sh\n")}, False),
        ({"userData": SSH}, False),
        ({"userData": UNKNOWN}, UNKNOWN),
        ({"userData": compressed(f"KEY={stacks.KEY}")}, True),
        ({"userData": base64.encodebytes(f"KEY={stacks.KEY}".encode()).decode()}, True),
        ({"userData": compressed("#!/bin/sh\n")}, False),
        ({"userData": base64.b64encode(gzip.compress(b"#!/bin/sh\n")[:-6]).decode()}, UNKNOWN),
        ({"userData": base64.b64encode(b"\xff\xfe\x00k").decode()}, UNKNOWN),
        ({"userData": SAS}, True),
        ({"osProfile": {"customData": encoded(SAS.replace("%3D", "="))}}, True),
        ({"userData": "curl 'https://a/c?sig=$SIGNATURE'"}, False),
        (
            {"extensionProfile": {"extensions": [{"settings": {"script": compressed(SAS)}}]}},
            True,
        ),
        (
            {"extensionProfile": {"extensions": [{"settings": {"script": "/////w=="}}]}},
            UNKNOWN,
        ),
        ({"extensionProfile": {"extensions": [{"settings": {"name": "/////w=="}}]}}, False),
        ({"userData": 7}, UNKNOWN),
        ({"osProfile": {"adminPassword": UNKNOWN}}, False),
        (
            {
                "osProfile": {
                    "adminPassword": "p",
                    "linuxConfiguration": {"disablePasswordAuthentication": True},
                }
            },
            False,
        ),
        (
            {
                "osProfile": {
                    "adminPassword": "p",
                    "linuxConfiguration": {"disablePasswordAuthentication": UNKNOWN},
                }
            },
            False,
        ),
        (
            {"extensionProfile": {"extensions": [{"protectedSettings": UNKNOWN}]}},
            UNKNOWN,
        ),
        (
            {
                "extensionProfile": {
                    "extensions": [{"protectedSettings": {"storageAccountKey": "k"}}]
                }
            },
            True,
        ),
        (
            {"extensionProfile": {"extensions": [{"settings": {"ports": [80], "x": "y"}}]}},
            False,
        ),
    ],
    ids=range(23),
)
def test_keys_that_outlive_a_machine(parts, expected):
    case = cluster()
    case.profile(**{"osProfile": None, **parts})
    assert safety(case.program).long_lived_key is expected


@both
@pytest.mark.parametrize(
    ("settings", "expected"), [({"storageAccountKey": "k"}, True), ({"a": ["b"]}, False)]
)
def test_an_extension_of_its_own(settings, expected, moment):
    case = cluster()
    case.program.add(
        "azure-native:compute:VirtualMachineScaleSetExtension",
        "script",
        vmScaleSetName=case.scaling.out("name"),
        protectedSettings=settings,
    )
    assert safety(case.program, moment).long_lived_key is expected


OPENED = ("tokens",)


@both
@pytest.mark.parametrize(
    ("allowed", "expected"), [(None, OPENED), (True, OPENED), (False, ()), (UNKNOWN, UNKNOWN)]
)
def test_data_that_keys_open(allowed, expected, moment):
    case = cluster()
    case.program.change(case.account, allowSharedKeyAccess=allowed)
    container = case.program.add(
        "azure-native:storage:BlobContainer", "data", accountName=case.account.out("name")
    )
    assert safety(case.program, moment).opened_by_keys == expected
    case.program.change(case.grant, scope=container.id)
    assert safety(case.program, moment).opened_by_keys == expected
    case.program.change(case.grant, scope=GROUP)
    assert safety(case.program, moment).opened_by_keys == ()


@pytest.mark.parametrize(("allowed", "expected"), [(None, UNKNOWN), (False, ())])
def test_data_at_an_id_that_may_be_in_another_subscription_may_be_its_own(allowed, expected):
    case = cluster()
    case.program.change(case.program.group, resourceGroupName="rg")
    case.program.change(case.account, accountName="own", allowSharedKeyAccess=allowed)
    written = f"{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Storage/storageAccounts/own"
    case.program.change(case.grant, scope=written)
    assert safety(case.program, "preview").opened_by_keys == expected


@pytest.mark.parametrize(("allowed", "expected"), [(None, UNKNOWN), (False, ())])
def test_data_at_a_scope_that_nobody_knows_may_be_any(allowed, expected):
    case = cluster()
    case.program.change(case.account, allowSharedKeyAccess=allowed)
    case.program.change(case.grant, scope=UNKNOWN)
    assert safety(case.program).opened_by_keys == expected
    case.program.change(case.grant, principalId=UNKNOWN)
    assert safety(case.program).opened_by_keys == expected
