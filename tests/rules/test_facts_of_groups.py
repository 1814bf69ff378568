"""Rules that read one fact of a group or a bucket: good, bad, hidden, and nothing there."""

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Bucket, Disk, Fabric, Safety
from tests.rules.cases.judging import findings, group, outcomes, plan

GOOD = {
    "launch-settings": {},
    "scaling-settings": {},
    "disk-limits": {},
    "capacity-block": {"capacity": "capacity-block"},
}


@pytest.mark.parametrize("rule", GOOD)
def test_what_a_cloud_refuses_of_a_group_is_told_in_its_words(rule):
    good = GOOD[rule]
    assert outcomes(plan(group(**good)), rule) == ["fine"]
    (finding,) = findings(plan(group(**good, faults=rule_faults(rule, ("one", "two")))), rule)
    assert (finding.outcome, finding.message) == ("violated", "one; two")
    assert finding.subject == "training.trainer"
    (hidden,) = findings(plan(group(**good, faults=rule_faults(rule, UNKNOWN))), rule)
    assert hidden.outcome == "not-knowable"
    assert hidden.message.endswith("not known yet")
    assert outcomes(plan(), rule) == ["not-applicable"]


@pytest.mark.parametrize(
    ("addresses", "outcome"),
    [
        ((4, 5), "fine"),
        ((5, 5), "fine"),
        ((6, 5), "violated"),
        (UNKNOWN, "not-knowable"),
        (None, "not-applicable"),
    ],
    ids=str,
)
def test_a_subnet_may_be_full_to_its_last_address(addresses, outcome):
    assert outcomes(plan(group(addresses=addresses)), "subnet-addresses") == [outcome]


BUCKET = {
    "name": "data",
    "subject": "buckets.data",
    "cloud": "aws",
    "region": "us-east-1",
    "encrypted": True,
    "public_blocked": True,
    "tls_only": True,
    "owner_enforced": True,
    "versioned": True,
    "expires_noncurrent": True,
    "aborts_uploads": True,
}

BUCKETS = [
    ("bucket-encrypted", {}, "fine"),
    ("bucket-encrypted", {"encrypted": False}, "violated"),
    ("bucket-encrypted", {"encrypted": UNKNOWN}, "not-knowable"),
    ("bucket-private", {}, "fine"),
    ("bucket-private", {"public_blocked": False}, "violated"),
    ("bucket-private", {"owner_enforced": False}, "violated"),
    ("bucket-private", {"public_blocked": UNKNOWN}, "not-knowable"),
    ("bucket-private", {"owner_enforced": UNKNOWN}, "not-knowable"),
    ("bucket-private", {"owner_enforced": None}, "fine"),
    ("bucket-private", {"public_blocked": UNKNOWN, "owner_enforced": False}, "violated"),
    ("bucket-tls", {}, "fine"),
    ("bucket-tls", {"tls_only": False}, "violated"),
    ("bucket-tls", {"tls_only": UNKNOWN}, "not-knowable"),
    ("bucket-tls", {"tls_only": None}, "not-applicable"),
    ("bucket-lifecycle", {"expires": True}, "fine"),
    ("bucket-lifecycle", {"expires": False}, "violated"),
    ("bucket-lifecycle", {"expires": UNKNOWN}, "not-knowable"),
    ("bucket-versioned-expiry", {}, "fine"),
    ("bucket-versioned-expiry", {"expires_noncurrent": False}, "violated"),
    ("bucket-versioned-expiry", {"versioned": False, "expires_noncurrent": False}, "fine"),
    ("bucket-versioned-expiry", {"versioned": False, "aborts_uploads": False}, "violated"),
    ("bucket-versioned-expiry", {"versioned": UNKNOWN}, "not-knowable"),
    ("bucket-versioned-expiry", {"expires_noncurrent": UNKNOWN}, "not-knowable"),
    ("bucket-versioned-expiry", {"aborts_uploads": UNKNOWN}, "not-knowable"),
]


@pytest.mark.parametrize(("rule", "changes", "outcome"), BUCKETS, ids=str)
def test_each_fact_of_a_bucket(rule, changes, outcome):
    bucket = Bucket(**{**BUCKET, **changes})
    assert outcomes(plan(buckets=(bucket,)), rule) == [outcome]


@pytest.mark.parametrize("rule", sorted({rule for rule, _, _ in BUCKETS}))
def test_without_a_bucket_its_rules_do_not_apply(rule):
    assert outcomes(plan(group()), rule) == ["not-applicable"]


def test_unfinished_uploads_have_a_way_out_of_their_own():
    bucket = Bucket(**{**BUCKET, "aborts_uploads": False})
    (finding,) = findings(plan(buckets=(bucket,)), "bucket-versioned-expiry")
    assert finding.message == "incomplete multipart uploads never expire"
    assert "aborts incomplete multipart uploads" in finding.fix


def test_a_disk_that_stands_by_itself_is_judged():
    def judged(*groups, faults):
        told = rule_faults("disk-limits", faults)
        disk = Disk(name="d", subject="urn:d", cloud="aws", encrypted=True, faults=told)
        return findings(plan(*groups, disks=(disk,)), "disk-limits")

    (finding,) = judged(faults=("iops: 500,000 is more than 64,000",))
    assert (finding.subject, finding.outcome) == ("urn:d", "violated")
    assert [finding.outcome for finding in judged(faults=UNKNOWN)] == ["not-knowable"]
    assert [finding.outcome for finding in judged(faults=())] == ["fine"]
    assert [finding.subject for finding in judged(group(), faults=())] == [
        "training.trainer",
        "urn:d",
    ]


@pytest.mark.parametrize("rule", ["fabric-capable", "fabric-interfaces"])
def test_what_is_surely_wrong_counts_more_than_what_nobody_knows(rule):
    # g6.xlarge has no fabric interface, and no table knows p9.48xlarge.
    declared = Fabric(requirement="required", interfaces=1)
    for machines in (("p9.48xlarge", "g6.xlarge"), ("g6.xlarge", "p9.48xlarge")):
        assert outcomes(plan(group(machines[0], machines=machines, fabric=declared)), rule) == [
            "violated"
        ]


@pytest.mark.parametrize(
    ("secrets", "outcome"),
    [((), "fine"), (("a password",), "violated"), (UNKNOWN, "not-knowable")],
    ids=str,
)
def test_secrets_in_a_script_are_told_and_a_hidden_script_is_not_trusted(secrets, outcome):
    judged = plan(group(safety=Safety(secrets=secrets)))
    assert outcomes(judged, "secret-in-script") == [outcome]


@pytest.mark.parametrize(
    ("faults", "outcome"),
    [((), "fine"), (("too long",), "violated"), (UNKNOWN, "not-knowable")],
    ids=str,
)
def test_names_that_a_cloud_refuses(faults, outcome):
    assert outcomes(plan(group(faults=rule_faults("valid-names", faults))), "valid-names") == [
        outcome
    ]
    bucket = Bucket(**{**BUCKET, "faults": rule_faults("valid-names", faults)})
    assert outcomes(plan(buckets=(bucket,)), "valid-names") == [outcome]


def test_disks_that_stand_by_themselves_are_judged_beside_machines_and_without_them():
    safe = group(safety=Safety(disks_encrypted=True))
    disk = Disk(name="spare", subject="urn:spare", cloud="aws", encrypted=False)

    def seen(judged):
        return [
            (finding.subject, finding.outcome) for finding in findings(judged, "disk-encrypted")
        ]

    machines, spare = ("training.trainer", "fine"), ("urn:spare", "violated")
    assert seen(plan(safe, disks=(disk,))) == [machines, spare]
    assert seen(plan(safe)) == [machines]
    assert seen(plan(disks=(disk,))) == [spare]
    assert seen(plan()) == [("shop", "not-applicable")]
