"""The state of a stack, read as rows; and what happens when it cannot be read."""

import json
import stat

import pytest

from gpuinfra.crossguard import existing_resources
from gpuinfra.errors import EngineError
from gpuinfra.model import UNKNOWN

OF = "urn:pulumi:dev::proj::"
URN = f"{OF}aws:ec2/instance:Instance::one"
PROVIDER = "urn:pulumi:dev::proj::pulumi:providers:aws::default"
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}


PROJECT = {
    "urn": f"{OF}gcp:organizations/project:Project::c",
    "custom": True,
    "id": "projects/ml",
    "type": "gcp:organizations/project:Project",
    "inputs": {"projectId": "ml"},
}
KEPT = {**PROJECT, "urn": f"{PROJECT['urn']}2", "retainOnDelete": True}


def entry(urn=URN, **more):
    return {
        "urn": urn,
        "custom": True,
        "id": "i-1",
        "type": "aws:ec2/instance:Instance",
        "inputs": {"__defaults": [], "instanceType": "p5.48xlarge"},
        "outputs": {"arn": "arn:1"},
        "provider": f"{PROVIDER}::abc",
        "propertyDependencies": {"subnetId": ["urn:subnet"], "instanceType": None},
        **more,
    }


def exported(*entries, operations=(), version=3):
    provider = {
        "urn": PROVIDER,
        "custom": True,
        "id": "abc",
        "type": "pulumi:providers:aws",
        "inputs": {"region": "us-west-2"},
    }
    deployment = {"resources": [provider, *entries], "pending_operations": list(operations)}
    return json.dumps({"version": version, "deployment": deployment})


def test_reads_a_resource_with_id_region_and_relations():
    (standing,) = existing_resources.parse(exported(entry()))
    assert standing.resource.name == "one"
    assert standing.resource.inputs == {"instanceType": "p5.48xlarge"}
    assert standing.resource.outputs == {"arn": "arn:1", "id": "i-1"}
    assert standing.resource.region == "us-west-2"
    assert standing.resource.relations == {"subnetId": ("urn:subnet",), "instanceType": ()}
    assert (standing.awaits_deletion, standing.pending_operation) == (False, "")


@pytest.mark.parametrize(
    ("more", "created"),
    [
        ({}, ""),
        ({"created": "2026-11-28T09:00:00Z"}, "2026-11-28T09:00:00Z"),
        ({"created": "2026-11-28T09:00:00Z", "importID": "i-1"}, ""),
    ],
    ids=["not said", "made by an update", "imported"],
)
def test_tells_when_an_update_made_a_resource(more, created):
    (standing,) = existing_resources.parse(exported(entry(**more)))
    assert standing.resource.created == created


def test_a_resource_of_its_own_region_is_not_in_its_providers():
    inputs = {"region": "us-east-2"}
    (standing,) = existing_resources.parse(exported(entry(inputs=inputs)))
    assert standing.resource.region == "us-east-2"


def test_a_provider_of_no_account_says_what_stands_for_it():
    text = exported(entry()).replace('"us-west-2"', '"us-west-2", "profile": "prod"')
    (standing,) = existing_resources.parse(text)
    assert (standing.resource.account, standing.resource.credentials) == (
        None,
        '{"profile": "prod"}',
    )


def test_the_environment_tells_the_region_last(monkeypatch):
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    (standing,) = existing_resources.parse(exported(entry(provider="")))
    assert standing.resource.region == "eu-west-1"


@pytest.mark.parametrize(
    "left_out",
    [
        {"custom": False},
        {"external": True},
        {"pendingReplacement": True},
        {"type": "pulumi:providers:gcp"},
    ],
)
def test_what_does_not_stand_by_this_stack_is_left_out(left_out):
    assert existing_resources.parse(exported(entry(**left_out))) == ()


def test_what_is_retained_stands_beside_what_is_made_anew():
    left = entry(pendingReplacement=True, retainOnDelete=True)
    (standing,) = existing_resources.parse(exported(left))
    assert (standing.awaits_deletion, standing.retained) == (True, True)


def test_a_replaced_resource_that_waits_for_deletion_still_stands():
    current, old = existing_resources.parse(exported(entry(), entry(id="i-0", delete=True)))
    assert (current.awaits_deletion, old.awaits_deletion) == (False, True)


@pytest.mark.parametrize(
    ("mark", "forced", "paths"),
    [
        ({"taint": True}, True, ()),
        ({"replaceWith": ["urn"]}, True, ()),
        ({"replacementTrigger": "1"}, True, ()),
        ({"replacementTrigger": 0}, True, ()),
        ({"replacementTrigger": False}, True, ()),
        ({"replacementTrigger": None}, False, ()),
        ({"replaceOnChanges": ["*"]}, False, ("*",)),
        ({"replaceOnChanges": ["ami"], "initErrors": ["late"]}, True, ("ami",)),
        ({"initErrors": ["late"]}, False, ()),
        ({}, False, ()),
    ],
)
def test_what_may_replace_a_resource_besides_its_inputs(mark, forced, paths):
    (standing,) = existing_resources.parse(exported(entry(**mark)))
    assert (standing.may_be_replaced, standing.replaced_on) == (forced, paths)


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        ("creating", True),
        ("updating", True),
        ("importing", False),
        ("deleting", False),
        ("reading", False),
    ],
)
def test_operations_an_interrupted_run_left_open(kind, counts):
    operation = {"type": kind, "resource": entry()}
    standing = existing_resources.parse(exported(operations=[operation]))
    assert [resource.pending_operation for resource in standing] == ([kind] if counts else [])


@pytest.mark.parametrize(
    ("policy", "more", "retained"),
    [
        ("DELETE", {}, False),
        ("ABANDON", {}, True),
        ("DELETE", {"retainOnDelete": True}, True),
        ("DELETE", {"deletedWith": f"{OF}gcp:storage/bucket:Bucket::c"}, True),
        ("DELETE", {"deletedWith": PROJECT["urn"]}, False),
        ("DELETE", {"deletedWith": PROJECT["urn"], "outputs": {"project": "other"}}, True),
        ("DELETE", {"deletedWith": KEPT["urn"]}, True),
    ],
)
def test_what_stands_on_when_it_is_deleted(policy, more, retained):
    token = "gcp:compute/instance:Instance"
    inputs = {"deletionPolicy": policy}
    urn = URN.replace("aws:ec2/instance:Instance", token)
    google = entry(urn, type=token, inputs=inputs, outputs={"project": "ml"})
    standing = existing_resources.parse(exported({**google, **more}, PROJECT, KEPT))
    assert standing[0].retained == retained


@pytest.mark.parametrize(("provider", "retained"), [("a", False), ("b", True)])
def test_one_name_in_two_clusters_is_not_deleted_with_the_other(provider, retained):
    """Of each package the provider tells which cluster a namespace is in."""
    kind, holder = "kubernetes:apps/v1:Deployment", "kubernetes:core/v1:Namespace"
    providers = f"{OF}pulumi:providers:kubernetes::"
    named = {"metadata": {"name": "ml", "namespace": "ml"}}
    space = entry(f"{OF}{holder}::c", type=holder, inputs=named, provider=f"{providers}a::1")
    pods = entry(f"{OF}{kind}::d", type=kind, inputs=named, provider=f"{providers}{provider}::1")
    standing = existing_resources.parse(exported({**pods, "deletedWith": space["urn"]}, space))
    assert standing[0].retained == retained


def test_secrets_are_unwrapped_and_unknown_where_they_stay_closed():
    opened = {**SECRET, "plaintext": json.dumps({"type": "p5.48xlarge"})}
    closed = {**SECRET, "ciphertext": "v1:abc"}
    (standing,) = existing_resources.parse(
        exported(entry(inputs={"open": opened, "closed": [closed]}))
    )
    assert standing.resource.inputs == {"open": {"type": "p5.48xlarge"}, "closed": [UNKNOWN]}


def test_an_empty_stack_has_nothing():
    assert existing_resources.parse('{"version": 3, "deployment": null}') == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"version": 9, "deployment": {}}',
        '{"version": 3, "deployment": {"resources": [{}]}}',
        '{"version": 3, "deployment": {"resources": ["x"]}}',
        '{"version": 3, "deployment": []}',
    ],
)
def test_what_is_no_state_is_refused(text):
    with pytest.raises(EngineError, match="the stack's state"):
        existing_resources.parse(text)


def cli(folder, script):
    path = folder / "pulumi"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """No Pulumi CLI anywhere but in the folder of the test."""
    for name in ("GPUINFRA_PULUMI", "PULUMI_ORGANIZATION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "home"))
    return tmp_path


def test_project_and_stack_come_from_the_urn(alone):
    text = exported(entry())
    cli(alone, f"echo \"$*\" > {alone}/asked\n/bin/cat <<'END'\n{text}\nEND")
    assert len(existing_resources.existing_resources(URN)) == 1
    words = (alone / "asked").read_text().split()
    assert words[:4] == ["stack", "export", "--stack", "organization/proj/dev"]


def test_a_state_with_secrets_is_opened_when_it_can_be(alone):
    closed = exported(entry(inputs={"a": {**SECRET, "ciphertext": "v1"}}))
    opened = exported(entry(inputs={"a": {**SECRET, "plaintext": '"p"'}}))
    cli(
        alone,
        f"echo >> {alone}/asked\n"
        f"case \"$*\" in *show-secrets*) echo '{opened}';; *) echo '{closed}';; esac",
    )
    assert existing_resources.existing_resources(URN)[0].resource.inputs == {"a": "p"}
    assert len((alone / "asked").read_text().splitlines()) == 1


def test_a_state_whose_secrets_stay_closed_is_read_all_the_same(alone):
    closed = exported(entry(inputs={"a": {**SECRET, "ciphertext": "v1"}}))
    cli(alone, f"case \"$*\" in *show-secrets*) exit 1;; *) echo '{closed}';; esac")
    assert existing_resources.existing_resources(URN)[0].resource.inputs == {"a": UNKNOWN}


def test_a_failed_export_says_what_pulumi_said(alone):
    cli(alone, "echo 'error: no stack named x found' >&2; exit 6")
    with pytest.raises(EngineError, match="failed: no stack named x found"):
        existing_resources.existing_resources(URN)


HALF_WRITTEN = "echo 'error: failed to load checkpoint: EOF' >&2; exit 255"


def test_a_state_that_is_being_written_is_read_again(alone):
    first = f"[ -e {alone}/asked ] || {{ : > {alone}/asked; {HALF_WRITTEN}; }}"
    cli(alone, f"{first}\necho '{exported(entry())}'")
    assert len(existing_resources.existing_resources(URN)) == 1


def test_a_state_that_stays_half_written_cannot_be_told(alone, monkeypatch):
    monkeypatch.setattr(existing_resources, "_PAUSE_SECONDS", 0)
    cli(alone, f"echo >> {alone}/asked\n{HALF_WRITTEN}")
    with pytest.raises(EngineError, match="failed to load checkpoint: EOF"):
        existing_resources.existing_resources(URN)
    assert len((alone / "asked").read_text().splitlines()) == 6


def test_no_cli_at_all_is_an_error(alone):
    with pytest.raises(EngineError, match="`pulumi` is not on PATH, so the stack's"):
        existing_resources.existing_resources(URN)


def test_a_cli_that_cannot_start_is_an_error(alone):
    cli(alone, "").write_text("#!/no/such/interpreter\n")
    with pytest.raises(EngineError, match="did not run"):
        existing_resources.existing_resources(URN)


def test_the_cli_is_found_where_pulumi_installs_itself(alone):
    (alone / "home" / "bin").mkdir(parents=True)
    cli(alone / "home" / "bin", f"echo '{exported()}'")
    assert existing_resources.existing_resources(URN) == ()


def test_reads_what_a_resource_waits_for():
    (standing,) = existing_resources.parse(
        exported(entry(dependencies=["urn:subnet", "urn:default"]))
    )
    assert standing.resource.depends_on == ("urn:subnet", "urn:default")
    (standing,) = existing_resources.parse(exported(entry(dependencies=None)))
    assert standing.resource.depends_on == ()
