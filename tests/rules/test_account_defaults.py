"""Defaults of an account: in their region and account, for what is made after them."""

from dataclasses import replace

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

ENCRYPTED = "aws:ebs/encryptionByDefault:EncryptionByDefault"
TOKENS = "aws:ec2/instanceMetadataDefaults:InstanceMetadataDefaults"
INSTANCE = "aws:ec2/instance:Instance"
VOLUME = "aws:ebs/volume:Volume"
PRIVATE = "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock"
BUCKET = "aws:s3/bucket:Bucket"
BLOCKS = dict.fromkeys(
    ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"), True
)
CASES = (
    (INSTANCE, {"instanceType": "g6.xlarge", "ami": "ami-1"}, ENCRYPTED, "disk-encrypted"),
    (VOLUME, {"size": 100, "type": "gp3"}, ENCRYPTED, "disk-encrypted"),
    (INSTANCE, {"instanceType": "g6.xlarge", "ami": "ami-1"}, TOKENS, "metadata-v2"),
)
each = pytest.mark.parametrize(("kind", "inputs", "default", "rule"), CASES)
ON = {ENCRYPTED: {"enabled": True}, TOKENS: {"httpTokens": "required"}}
DECLARED = {"rootBlockDevice": {"volumeSize": 8}}


def stack(kind, inputs, default, *, moment="created", **of_default):
    program = Program()
    made = program.add(kind, "machine", **inputs, **(DECLARED if kind == INSTANCE else {}))
    on = program.add(default, "default", **ON.get(default, {}), **of_default)
    resources = {resource.urn: resource for resource in program.resources(moment)}
    return resources, made.urn, on.urn


def judged(resources, rule):
    """The outcome for the machine or the volume; a default that is off has one of its own."""
    (outcome,) = (
        finding.outcome
        for finding in findings(of_resources(list(resources.values())), rule)
        if finding.subject.endswith("machine")
    )
    return outcome


@each
@pytest.mark.parametrize(("moment", "outcome"), [("preview", "not-knowable"), ("created", "fine")])
def test_a_default_holds_in_its_region(kind, inputs, default, rule, moment, outcome):
    resources, _, _ = stack(kind, inputs, default, moment=moment)
    assert judged(resources, rule) == outcome
    resources, _, _ = stack(kind, inputs, default, moment=moment, region="eu-west-1")
    assert judged(resources, rule) == "violated"


@each
@pytest.mark.parametrize("through", ["depends_on", "relations", "another"])
def test_what_is_made_together_with_a_default_depends_on_it_or_may_be_first(
    kind, inputs, default, rule, through
):
    resources, machine, on = stack(kind, inputs, default, moment="preview")
    between = replace(resources[on], urn=f"{on}2", type="aws:s3/bucket:Bucket", depends_on=(on,))

    def after(later, earlier):
        if through == "another":
            resources[between.urn] = replace(between, depends_on=(earlier,))
            earlier = between.urn
        made = resources[later]
        more = {"relations": {"tags": (earlier,)}}
        more = more if through == "relations" else {"depends_on": (earlier,)}
        return {**resources, later: replace(made, **more)}

    assert judged(after(machine, on), rule) == "fine"
    assert judged(after(on, machine), rule) == "violated"


@each
@both
def test_of_two_defaults_that_differ_none_is_known_to_hold(kind, inputs, default, rule, moment):
    resources, machine, on = stack(kind, inputs, default, moment=moment)
    off = {ENCRYPTED: {"enabled": False}, TOKENS: {"httpTokens": "optional"}}[default]
    second = f"{on}2"
    resources[second] = replace(resources[on], urn=second, inputs=off)
    resources[machine] = replace(resources[machine], depends_on=(on, second))
    assert judged(resources, rule) == "not-knowable"
    resources[on] = replace(resources[on], inputs=off)
    assert judged(resources, rule) == "violated"


@each
@pytest.mark.parametrize(
    ("account", "credentials", "outcome"),
    [("1", "", "violated"), ("2", "", "fine"), (None, "other", "not-knowable")],
)
def test_a_default_holds_in_its_account(
    kind, inputs, default, rule, account, credentials, outcome
):
    resources, machine, on = stack(kind, inputs, default)
    resources[machine] = replace(resources[machine], account=account and "2")
    resources[on] = replace(resources[on], account=account, credentials=credentials)
    assert judged(resources, rule) == outcome


@each
def test_what_stood_before_a_default_is_not_changed_by_it(kind, inputs, default, rule):
    resources, machine, on = stack(kind, inputs, default)
    resources[on] = replace(resources[on], outputs={})
    assert judged(resources, rule) == "violated"
    resources[machine] = replace(resources[machine], outputs={})
    assert judged(resources, rule) == "not-knowable"
    resources[machine] = replace(resources[machine], depends_on=(on,))
    assert judged(resources, rule) == "fine"


@each
def test_what_stood_before_a_default_was_switched_on_is_not_changed_by_it(
    kind, inputs, default, rule
):
    resources, _, on = stack(kind, inputs, default)
    key = next(iter(ON[default]))
    before = {**resources[on].inputs, key: {"enabled": False, "httpTokens": "optional"}[key]}
    resources[on] = replace(resources[on], before=before)
    assert judged(resources, rule) == "violated"
    resources[on] = replace(resources[on], before={**resources[on].inputs, "tags": {}})
    assert judged(resources, rule) == "fine"


@each
@pytest.mark.parametrize(("on", "outcome"), [(True, "fine"), (False, "violated")])
def test_the_state_of_what_stands_tells_more_than_a_default(
    kind, inputs, default, rule, on, outcome
):
    resources, machine, _ = stack(kind, inputs, default)
    shown = {
        "encrypted": on,
        "rootBlockDevice": {"encrypted": on},
        "metadataOptions": {"httpTokens": "required" if on else "optional"},
    }
    standing = resources[machine]
    resources[machine] = replace(standing, outputs={**standing.outputs, **shown})
    assert judged(resources, rule) == outcome


def test_a_default_of_an_unknown_region_is_not_known_to_hold():
    resources, _, on = stack(*CASES[1][:3])
    resources[on] = replace(resources[on], region=None, outputs={"id": "a"})
    assert judged(resources, "disk-encrypted") == "not-knowable"


@pytest.mark.parametrize(
    ("named", "account", "outcome"),
    [
        (None, "1", "fine"),
        (None, "2", "violated"),
        ("2", "1", "fine"),
        ("1", "1", "violated"),
        (UNKNOWN, "2", "not-knowable"),
    ],
)
def test_an_account_that_blocks_for_its_buckets_is_that_of_the_bucket(named, account, outcome):
    resources, bucket, block = stack(BUCKET, {}, PRIVATE, **BLOCKS, accountId=named)
    resources[bucket] = replace(resources[bucket], account="1" if named is None else "2")
    resources[block] = replace(resources[block], account=account)
    assert judged(resources, "bucket-private") == outcome


ROOT = "rootBlockDevice"
TELLS = {True: "required", False: "optional"}


@pytest.mark.parametrize(
    ("default", "rule", "key", "inputs", "before"),
    [
        (ENCRYPTED, "disk-encrypted", ROOT, {}, {"tags": {"a": "b"}}),
        (ENCRYPTED, "disk-encrypted", ROOT, {}, {ROOT: {"volumeSize": 4}}),
        (TOKENS, "metadata-v2", "metadataOptions", {}, {"tags": {"a": "b"}}),
        (
            TOKENS,
            "metadata-v2",
            "metadataOptions",
            {"metadataOptions": {"httpPutResponseHopLimit": 2}},
            {"metadataOptions": {"httpPutResponseHopLimit": 1}},
        ),
        (
            TOKENS,
            "metadata-v2",
            "metadataOptions",
            {},
            {"metadataOptions": {"httpTokens": "optional"}},
        ),
    ],
)
def test_the_state_of_a_machine_tells_of_what_an_update_leaves(default, rule, key, inputs, before):
    kind, given = CASES[0][:2]
    resources, machine, _ = stack(kind, {**given, **inputs}, default)
    for on, outcome in ((False, "violated"), (True, "fine")):
        shown = {ROOT: {"encrypted": on}, "metadataOptions": {"httpTokens": TELLS[on]}}[key]
        standing = resources[machine]
        resources[machine] = replace(
            standing,
            outputs={**standing.outputs, key: shown},
            before={**standing.inputs, **before},
        )
        assert judged(resources, rule) == outcome


@pytest.mark.parametrize(
    ("shown", "before", "outcome"),
    [
        ([], {}, "violated"),
        ([{"encrypted": False}], {}, "violated"),
        ([{"encrypted": True}], {}, "fine"),
        ([], {"ebsBlockDevices": []}, "violated"),
        ([{"encrypted": True}], {"ebsBlockDevices": []}, "violated"),
    ],
)
def test_the_state_tells_nothing_of_a_disk_that_it_lacks(shown, before, outcome):
    program = Program()
    disk = {"deviceName": "/dev/sdf", "volumeSize": 8, "encrypted": False}
    made = program.add(INSTANCE, "machine", **CASES[0][1], ebsBlockDevices=[disk])
    (machine,) = program.resources()
    outputs = {**machine.outputs, ROOT: {"encrypted": True}, "ebsBlockDevices": shown}
    changed = {**machine.inputs, **before} if before else None
    resources = {made.urn: replace(machine, outputs=outputs, before=changed)}
    assert judged(resources, "disk-encrypted") == outcome


@pytest.mark.parametrize(("on", "outcome"), [(True, "violated"), (False, "violated")])
def test_the_state_says_nothing_of_what_an_update_states_anew(on, outcome):
    program = Program()
    root = {"volumeSize": 8, "encrypted": False}
    made = program.add(INSTANCE, "machine", **CASES[0][1], rootBlockDevice=root)
    (machine,) = program.resources()
    outputs = {**machine.outputs, ROOT: {"encrypted": on}}
    before = {**machine.inputs, ROOT: {"volumeSize": 8, "encrypted": on}}
    resources = {made.urn: replace(machine, outputs=outputs, before=before)}
    assert judged(resources, "disk-encrypted") == outcome


@pytest.mark.parametrize(
    ("tokens", "outcome"), [("optional", "violated"), ("required", "not-knowable")]
)
def test_a_default_that_says_the_same_as_without_it_need_not_come_first(tokens, outcome):
    resources, _, on = stack(*CASES[2][:3], moment="preview")
    resources[on] = replace(resources[on], inputs={"httpTokens": tokens})
    assert judged(resources, "metadata-v2") == outcome


@pytest.mark.parametrize(
    ("tokens", "outcome"),
    [
        ("optional", "violated"),
        ("required", None),
        ("no-preference", None),
        (None, None),
        (UNKNOWN, "not-knowable"),
    ],
)
def test_a_default_that_asks_for_no_token_is_a_fault_of_its_own(tokens, outcome):
    program = Program()
    default = program.add(TOKENS, "default", httpTokens=tokens)
    judged_default = [
        finding
        for finding in findings(of_resources(program.resources()), "metadata-v2")
        if finding.subject == default.urn
    ]
    assert [finding.outcome for finding in judged_default] == ([outcome] if outcome else [])
