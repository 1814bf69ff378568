import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from gpuinfra.clouds.azure.declare.bucket import account_name, declare_bucket, lifecycle
from gpuinfra.errors import InputError
from gpuinfra.graph import STASH
from gpuinfra.specs import Bucket
from tests.components.azure.workloads import order

STACKS = st.from_regex(r"[a-z][a-z0-9-]{0,38}[a-z0-9]", fullmatch=True)
BUCKETS = st.from_regex(r"[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?", fullmatch=True)

Stored = Callable[..., Any]


def test_bucket_is_the_golden_one(stored: Stored, golden: Callable[..., None]) -> None:
    golden("azure-data-bucket", stored().golden())


def test_every_child_stands_under_the_component(stored: Stored) -> None:
    seen = stored()
    (component,) = [resource for resource in seen.resources if resource.type.startswith("tests:")]

    assert {resource.parent for resource in seen.resources if resource is not component} == {
        component.urn
    }
    assert all(
        resource.name.startswith("data-")
        for resource in seen.resources
        if resource is not component
    )


def test_nobody_gets_in_without_an_identity_and_tls(stored: Stored) -> None:
    account = stored().of("data-account").inputs

    assert account["minimumTlsVersion"] == "TLS1_2"
    assert account["enableHttpsTrafficOnly"] is True
    for closed in (
        "allowBlobPublicAccess",
        "allowSharedKeyAccess",
        "allowCrossTenantReplication",
        "isLocalUserEnabled",
    ):
        assert account[closed] is False


def test_the_group_has_the_accounts_name_and_mounts_get_the_short_one(stored: Stored) -> None:
    seen = stored()
    account = seen.of("data-account").inputs["accountName"]

    assert seen.of("data-resource-group").inputs["resourceGroupName"] == account
    assert seen.outputs["bucket_name"] == f"{account}/data"
    assert seen.outputs["bucket_id"].endswith(
        f"/resourceGroups/{account}/providers/Microsoft.Storage/storageAccounts/{account}"
        "/blobServices/default/containers/data"
    )


def test_the_name_stays_when_the_stack_is_renamed(stored: Stored) -> None:
    """Another name would make an empty account, and delete the full one."""
    seen = stored()
    (pin,) = [resource for resource in seen.resources if resource.type == "pulumi:index:Stash"]
    pins = {
        next(resource.name for resource in graph.resources.values() if resource.type == STASH)
        for graph in (
            declare_bucket(replace(order("data"), stack=stack), Bucket(), "bucket.data")
            for stack in ("llama", "alpaca")
        )
    }

    assert pins == {pin.name}
    assert pin.options == {"ignoreChanges": ["input"]}
    for child in ("resource-group", "account"):
        assert pin.name in seen.of(f"data-{child}").after
    assert seen.of("data-account").inputs["accountName"] == pin.inputs["input"]


def test_a_group_of_another_name_makes_mounts_take_the_resource_id(stored: Stored) -> None:
    seen = stored(given={"customize": {"resource_group": {"resource_group_name": "shared"}}})

    assert "/resourceGroups/shared/" in seen.outputs["bucket_name"]
    assert seen.outputs["bucket_name"] == seen.outputs["bucket_id"]


@pytest.mark.parametrize(
    ("kept", "days", "deleted"), [("30d", 30, 30), ("36h", 2, 2), ("500d", 500, 365)]
)
def test_old_versions_go_and_stay_recoverable(
    stored: Stored, kept: str, days: int, deleted: int
) -> None:
    seen = stored(words={"keep_noncurrent": kept})
    (rule,) = seen.of("data-lifecycle").inputs["policy"]["rules"]
    service = seen.of("data-blob-service").inputs

    aged = {"delete": {"daysAfterCreationGreaterThan": days}}
    assert rule["definition"]["actions"] == {"version": aged, "snapshot": aged}
    assert service["isVersioningEnabled"] is True
    assert service["deleteRetentionPolicy"] == {"enabled": True, "days": deleted}


def test_a_bucket_without_versions_keeps_nothing_deleted_but_tidies_what_is_left(
    stored: Stored,
) -> None:
    service = stored(words={"versioned": False}).of("data-blob-service").inputs

    assert service["isVersioningEnabled"] is False
    assert service["deleteRetentionPolicy"] == {"enabled": False}
    assert lifecycle(Bucket(versioned=False)) == lifecycle(Bucket())


def test_parts_that_have_one_name_only(stored: Stored) -> None:
    seen = stored()

    assert seen.of("data-blob-service").inputs["blobServicesName"] == "default"
    assert seen.of("data-lifecycle").inputs["managementPolicyName"] == "default"


def test_an_unknown_child_is_refused_with_the_one_that_was_meant(stored: Stored) -> None:
    with pytest.raises(InputError) as refused:
        stored(given={"customize": {"acount": {}}})

    (problem,) = refused.value.problems
    assert problem.suggestion == "account"


def test_the_network_can_be_closed(stored: Stored) -> None:
    rules = {"default_action": "Deny", "virtual_network_rules": []}
    seen = stored(given={"customize": {"account": {"network_rule_set": rules}}})

    assert seen.of("data-account").inputs["networkRuleSet"] == {
        "defaultAction": "Deny",
        "bypass": "AzureServices",
        "virtualNetworkRules": [],
    }


@drawn(STACKS, BUCKETS, st.lists(st.text(max_size=20), max_size=3))
def test_an_account_name_is_what_azure_takes(stack: str, name: str, identity: list[str]) -> None:
    made = account_name(stack, name, tuple(identity))

    assert re.fullmatch(r"[a-z0-9]{3,24}", made)
    assert made == account_name(stack, name, tuple(identity))


@drawn(st.lists(st.tuples(STACKS, BUCKETS, BUCKETS), min_size=2, max_size=5, unique=True))
def test_no_two_buckets_share_an_account(owners: list[tuple[str, str, str]]) -> None:
    made = {account_name(stack, name, (place,)) for stack, name, place in owners}

    assert len(made) == len(owners)
