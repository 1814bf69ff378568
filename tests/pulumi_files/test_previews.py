"""Previews, as a digest and as a stream: what will stand, where, and in whose account."""

import pytest

from gpuinfra import pulumi_files
from gpuinfra.model import UNKNOWN
from gpuinfra.model.resource import is_of_account
from tests.pulumi_files.files import (
    INSTANCE,
    PROVIDER,
    STACK,
    UNKNOWN_TEXT,
    digest,
    entry,
    pre,
    put,
    step,
    stream,
    summary,
    urn,
)


def test_a_digest_s_resources_relations_and_region(tmp_path):
    relations = {"subnetId": [urn("net", "aws:ec2/subnet:Subnet")], "tags": None}
    made = entry(
        inputs={"subnetId": UNKNOWN_TEXT, "__defaults": []},
        propertyDependencies=relations,
        parent=urn("top", "a:b:C"),
    )
    preview = pulumi_files.read(put(tmp_path, digest(step(newState=made))))
    (resource,) = preview.resources
    assert (preview.kind, preview.name) == ("digest", "shop/dev")
    assert (resource.urn, resource.type, resource.name) == (urn("one"), INSTANCE, "one")
    assert resource.inputs == {"subnetId": UNKNOWN}
    assert resource.relations == {"subnetId": (urn("net", "aws:ec2/subnet:Subnet"),), "tags": ()}
    assert resource.parent == urn("top", "a:b:C")
    assert resource.region == "us-east-1"


def test_an_explicit_provider_says_the_region(tmp_path):
    there = f"{STACK}::pulumi:providers:aws::there"
    provider = {"urn": there, "type": "pulumi:providers:aws", "inputs": {"region": "eu-west-1"}}
    steps = [
        step("one", newState=entry(provider=f"{there}::{UNKNOWN_TEXT}")),
        {"op": "create", "urn": there, "newState": provider},
    ]
    (resource,) = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert resource.region == "eu-west-1"


def test_an_explicit_provider_of_google_cloud_says_the_zone(tmp_path):
    here = f"{STACK}::pulumi:providers:gcp::here"
    box = f"{STACK}::gcp:compute/instance:Instance::box"
    provider = {"urn": here, "type": "pulumi:providers:gcp", "inputs": {"zone": "us-central1-f"}}
    made = entry(urn=box, type="gcp:compute/instance:Instance", provider=f"{here}::{UNKNOWN_TEXT}")
    steps = [
        {"op": "create", "urn": box, "newState": made},
        {"op": "create", "urn": here, "newState": provider},
    ]
    (resource,) = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert (resource.region, resource.zone) == ("us-central1", "us-central1-f")


@pytest.mark.parametrize(
    ("settings", "account", "credentials"),
    [
        ({}, None, ""),
        ({"profile": "prod"}, None, '{"profile": "prod"}'),
        ({"profile": "prod", "allowedAccountIds": '["111111111111"]'}, "111111111111", None),
        ({"assumeRoles": UNKNOWN_TEXT}, None, f"{STACK}::pulumi:providers:aws::there"),
        (
            {"assumeRoles": [{"roleArn": UNKNOWN_TEXT}]},
            None,
            f"{STACK}::pulumi:providers:aws::there",
        ),
    ],
)
def test_an_explicit_provider_says_the_account(tmp_path, settings, account, credentials):
    there = f"{STACK}::pulumi:providers:aws::there"
    provider = {"urn": there, "type": "pulumi:providers:aws", "inputs": settings}
    steps = [
        step("one", newState=entry(provider=f"{there}::{UNKNOWN_TEXT}")),
        {"op": "create", "urn": there, "newState": provider},
    ]
    (resource,) = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert resource.account == account
    assert credentials in {None, resource.credentials}


def test_a_provider_that_is_not_listed_has_not_the_default_s_region(tmp_path):
    made = entry(provider=f"{STACK}::pulumi:providers:aws::there::id")
    path = put(tmp_path, digest(step(newState=made)))
    assert pulumi_files.read(path).resources[0].region is None
    assert pulumi_files.read(path, "us-west-2").resources[0].region == "us-west-2"
    assert pulumi_files.read(path, "europe-west4").resources[0].region is None


def test_a_resource_that_the_preview_could_not_write_down_is_not_judged(tmp_path):
    made = step()
    del made["newState"]
    preview = pulumi_files.read(put(tmp_path, digest(made)))
    assert [(row.subject, row.type) for row in preview.not_read] == [(urn("one"), INSTANCE)]


def test_a_digest_with_its_unchanged_resources_is_whole(tmp_path):
    path = put(tmp_path, digest(step(op="same"), changeSummary={"same": 1}))
    assert len(pulumi_files.read(path).resources) == 1


def test_a_child_s_urn_ends_in_its_own_type(tmp_path):
    inside = entry() | {"urn": urn("one", f"a:b:C${INSTANCE}")}
    assert len(pulumi_files.read(put(tmp_path, digest(step(newState=inside)))).resources) == 1


def test_a_stream_s_resources_and_that_relations_are_not_knowable(tmp_path):
    text = stream(
        {"preludeEvent": {"config": {"aws:region": "us-east-1"}}},
        pre("one"),
        {"resOutputsEvent": pre("one")["resourcePreEvent"]},
        {"resOutputsEvent": pre("one")["resourcePreEvent"]},
        pre("two", "same"),
        pre("three", "delete"),
        summary(create=1, same=1, delete=1),
        {"cancelEvent": {}},
    )
    preview = pulumi_files.read(put(tmp_path, text))
    assert preview.kind == "stream"
    assert [resource.name for resource in preview.resources] == ["one", "two"]
    assert preview.resources[0].region == "us-east-1"
    assert [leaving.urn for leaving in preview.leaving] == [urn("three")]
    assert "are unknown" in preview.notes[0]


def test_secrets_of_a_preview_are_not_known(tmp_path):
    made = entry(inputs={"userData": "[secret]"}, provider=PROVIDER)
    (resource,) = pulumi_files.read(put(tmp_path, digest(step(newState=made)))).resources
    assert resource.inputs == {"userData": UNKNOWN}


def test_a_provider_that_the_file_lacks_stands_for_an_account_of_its_own(tmp_path):
    """It may be another than that of the default provider, which has the stack's settings."""
    there = f"{STACK}::pulumi:providers:aws::there"
    default = f"{STACK}::pulumi:providers:aws::default_7_0_0"
    steps = [
        step("one", newState=entry(provider=f"{default}::{UNKNOWN_TEXT}")),
        step("two", newState=entry("two", provider=f"{there}::{UNKNOWN_TEXT}")),
        step("three", newState=entry("three", provider=f"{there}::{UNKNOWN_TEXT}")),
    ]
    own, other, third = pulumi_files.read(put(tmp_path, digest(*steps))).resources
    assert (own.account, other.account) == (None, None)
    assert (is_of_account(own, other), is_of_account(other, third)) == (UNKNOWN, True)


def test_what_a_resource_waits_for_is_read(tmp_path):
    waits = entry(dependencies=[urn("net", "aws:ec2/subnet:Subnet")])
    (resource,) = pulumi_files.read(put(tmp_path, digest(step(newState=waits)))).resources
    assert resource.depends_on == (urn("net", "aws:ec2/subnet:Subnet"),)


@pytest.mark.parametrize(
    ("op", "created"),
    [("create", True), ("create-replacement", True), ("update", False), ("import", False)],
)
def test_a_preview_says_what_it_creates(tmp_path, op, created):
    steps = [step("one", op=op, oldState=entry(id="i-1"), newState=entry())]
    stack = pulumi_files.read(put(tmp_path, digest(*steps)))
    assert [resource.created_in_update for resource in stack.resources] == [created]
    assert not any(resource.created_in_update for resource in stack.former_resources)
