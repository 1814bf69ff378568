"""Texts that a preview does not know, and secrets in those that it does."""

import pytest

from tests.crossguard.resources import GROUP, MACHINE, TEMPLATE
from tests.crossguard.wire import LATER, secret

KEY = "AKIAIOSFODNN7EXAMPLE"
TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(("output", "refused"), [(KEY, True), (secret(KEY), False)])
def test_a_key_in_a_plain_output_of_the_stack_is_refused_and_a_secret_is_not(
    engine, output, refused
):
    run = engine("secret-in-output")
    run.show("pulumi:pulumi:Stack", "proj-dev", {}, outputs={"key": output})
    assert ("secret-in-output" in run.end()) is refused


BUCKET, POLICY = "aws:s3/bucket:Bucket", "aws:s3/bucketPolicy:BucketPolicy"


def bucket_with_policy(run, name, sources):
    """A bucket whose policy is not known yet, written from resources or from nothing."""
    run.show(BUCKET, name, {"bucket": name})
    sources = {"bucket": name, **sources}
    run.show(POLICY, f"{name}-policy", {"bucket": name, "policy": LATER}, sources=sources)


@pytest.mark.parametrize(
    ("dry_run", "sources", "refused"),
    [(True, {"policy": "data"}, False), (True, {}, True), (False, {"policy": "data"}, True)],
    ids=["written from the bucket", "hidden", "at an update"],
)
def test_a_preview_leaves_a_text_that_waits_for_other_resources_to_the_update(
    engine, dry_run, sources, refused
):
    run = engine("bucket-tls", dry_run=dry_run)
    bucket_with_policy(run, "data", sources)
    assert ("bucket-tls" in run.end()) is refused


def test_a_hidden_text_is_refused_beside_one_that_waits(engine):
    run = engine("bucket-tls", dry_run=True)
    bucket_with_policy(run, "waits", {"policy": "waits"})
    bucket_with_policy(run, "hides", {})
    (text,) = run.end()["bucket-tls"]
    assert text.startswith("hides:")


def test_what_is_hidden_in_a_script_that_a_group_starts_with_is_found_through_its_template(engine):
    group = {"minSize": 1, "maxSize": 1, "launchTemplate": {"id": LATER}}
    for sources, refused in (({"userData": "files"}, False), ({}, True)):
        run = engine("secret-in-script", dry_run=True)
        run.show("aws:ec2/vpc:Vpc", "files", {"cidrBlock": "10.0.0.0/16"})
        run.show(TEMPLATE, "lt", {**MACHINE, "userData": LATER}, sources=sources)
        run.show(GROUP, "a", group, sources={"launchTemplate": "lt"})
        assert ("secret-in-script" in run.end()) is refused


def test_a_function_s_plain_environment_is_refused_before_it_is_made(engine):
    run = engine("secret-in-output")
    environment = {"variables": {"GH": TOKEN}}
    function = {"role": "arn:aws:iam::123456789012:role/r", "environment": environment}
    assert "secret-in-output" in run.show("aws:lambda/function:Function", "gate", function)


@pytest.mark.parametrize("known", [True, False], ids=["before it is made", "of the whole"])
def test_a_variable_that_is_marked_as_a_secret_is_unknown_as_in_a_check(engine, known):
    hidden = "the values of GH are marked as secrets"
    for variable, words in ((TOKEN, "a GitHub token"), (secret(TOKEN), hidden)):
        run = engine("secret-in-output")
        inputs = {"role": "r", "environment": {"variables": {"GH": variable}}}
        outputs = None if known else {"id": "gate", **inputs}
        found = run.show("aws:lambda/function:Function", "gate", inputs, outputs=outputs)

        (text,) = {**found, **run.end()}["secret-in-output"]
        assert words in text
