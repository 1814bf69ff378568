"""A default of the account that an update makes: a machine beside it may be made before it."""

from dataclasses import replace

import pytest

from gpuinfra.errors import EngineError
from tests.crossguard.resources import INSTANCE, stands
from tests.crossguard.wire import stack, urn

ENCRYPTED = "aws:ebs/encryptionByDefault:EncryptionByDefault"
TOKENS = "aws:ec2/instanceMetadataDefaults:InstanceMetadataDefaults"
MACHINE = {"instanceType": "p5.48xlarge", "ami": "ami-1"}
ON = {ENCRYPTED: {"enabled": True}, TOKENS: {"httpTokens": "required"}}
OFF = {ENCRYPTED: {"enabled": False}, TOKENS: {"httpTokens": "optional"}}

each = pytest.mark.parametrize(
    ("default", "rule"), [(ENCRYPTED, "disk-encrypted"), (TOKENS, "metadata-v2")]
)


def updated(run, standing, default, *, depends=False, resource="i-1"):
    """Show the default and the machine, make them, and show the whole."""
    run.show(default, "default", ON[default])
    run.show(INSTANCE, "a", MACHINE)
    if depends:
        run.whole["a"].dependencies.append(run.whole["default"].urn)
    standing.clear()
    standing.append(stands(default, "default", ON[default], id="d"))
    standing.append(stands(INSTANCE, "a", MACHINE, id=resource))
    return run.end()


@each
@pytest.mark.parametrize("moment", ["new", "switched on", "machine replaced"])
def test_what_an_update_makes_beside_a_default_may_come_first(
    engine, standing, default, rule, moment
):
    if moment != "new":
        standing.append(stands(default, "default", OFF[default], id="d"))
    if moment == "machine replaced":
        standing.append(stands(INSTANCE, "a", MACHINE, id="i-0"))
    told = updated(engine(rule), standing, default)
    (text,) = told[rule]
    assert "a new account default in this stack" in " ".join(text.split())


@each
def test_what_depends_on_it_comes_after(engine, standing, default, rule):
    assert updated(engine(rule), standing, default, depends=True) == {}


@each
def test_a_default_that_stands_holds_for_what_is_made(engine, standing, default, rule):
    standing.append(stands(default, "default", ON[default], id="d"))
    assert updated(engine(rule), standing, default) == {}


@each
def test_what_stood_before_it_is_not_changed_by_it(engine, standing, default, rule):
    standing.append(stands(INSTANCE, "a", MACHINE, id="i-1"))
    assert set(updated(engine(rule), standing, default)) == {rule}


@each
def test_a_state_that_cannot_be_read_leaves_it_open(engine, standing, default, rule):
    run = engine(rule)
    standing.append(EngineError)
    run.show(default, "default", ON[default])
    run.show(INSTANCE, "a", MACHINE)
    assert "unknown" in run.end()[rule][0]


def test_no_state_is_read_where_no_default_is(engine, standing):
    engine("disk-encrypted").show(INSTANCE, "a", MACHINE)
    assert standing.reads == 0


BUCKET = "aws:s3/bucket:Bucket"
RULE = "bucket-private"


@pytest.mark.parametrize(
    ("before", "aliases", "refused"),
    [
        ([], [], False),
        ([("data", "data-1")], [], True),
        ([("former", "data-1")], ["former"], True),
        ([("data", "data-0")], [], False),
    ],
    ids=["new", "older", "renamed", "replaced"],
)
def test_what_an_update_creates_has_the_defaults_of_its_day(
    engine, standing, before, aliases, refused
):
    standing.extend(stands(BUCKET, name, {}, id=id_) for name, id_ in before)
    run = engine(RULE)
    run.show(BUCKET, "data", {}, aliases=[urn(BUCKET, name) for name in aliases])
    standing[:] = [stands(BUCKET, "data", {}, id="data-1")]
    assert (RULE in run.end()) is refused


@pytest.mark.parametrize(
    ("before", "aliases", "refused"),
    [([], [], False), (["data"], [], True), (["former"], ["former"], True)],
    ids=["new", "older", "renamed"],
)
def test_a_preview_tells_what_it_creates_by_the_state(engine, standing, before, aliases, refused):
    standing.extend(stands(BUCKET, name, {}, id="data-1") for name in before)
    run = engine(RULE, dry_run=True)
    run.show(BUCKET, "data", {}, aliases=[urn(BUCKET, name) for name in aliases])
    assert (RULE in run.end()) is refused


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize(
    ("created", "refused"), [("2026-08-01T09:00:00Z", False), ("2022-08-01T09:00:00Z", True)]
)
def test_a_bucket_of_an_earlier_update_has_the_defaults_of_its_day(
    engine, standing, dry_run, created, refused
):
    bucket = stands(BUCKET, "data", {}, id="data-1")
    standing.append(replace(bucket, resource=replace(bucket.resource, created=created)))
    run = engine(RULE, dry_run=dry_run)
    run.show(BUCKET, "data", {})
    assert (RULE in run.end()) is refused


@pytest.mark.parametrize("dry_run", [True, False])
def test_without_a_state_the_age_of_a_bucket_is_not_known(engine, standing, dry_run):
    standing.append(EngineError)
    run = engine(RULE, dry_run=dry_run)
    run.show(BUCKET, "data", {})
    assert RULE in run.end()


def test_what_the_program_only_reads_is_not_created(engine, standing):
    run = engine(RULE, dry_run=True)
    run.whole["read"] = stack(BUCKET, "read", {"bucket": "older"})
    assert RULE in run.end()
