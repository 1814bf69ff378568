"""Grants to members written from accounts, pools and projects which are still to be made."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes

POOL = "iam/workloadIdentityPool:WorkloadIdentityPool"
SOURCES = [
    (POOL, "name"),
    ("projects/serviceIdentity:ServiceIdentity", "member"),
    ("organizations/project:Project", "number"),
    ("logging/projectSink:ProjectSink", "writerIdentity"),
    ("serviceaccount/account:Account", "member"),
]
GRANTS = [
    ("projects/iAMMember:IAMMember", {"project": "p", "role": "roles/storage.objectViewer"}),
    (
        "serviceaccount/iAMMember:IAMMember",
        {"serviceAccountId": "a", "role": "roles/iam.workloadIdentityUser"},
    ),
    ("storage/bucketIAMMember:BucketIAMMember", {"bucket": "b", "role": "roles/storage.admin"}),
]


def judged(token, output, grant, inputs):
    program = GcpProgram()
    source = program.add(token, "source")
    program.add(grant, "it", member=source.out(output), **inputs)
    return outcomes(of_resources(program.resources("preview")), "wildcard-policy")[-1:]


@pytest.mark.parametrize(("grant", "inputs"), GRANTS)
@pytest.mark.parametrize(("token", "output"), SOURCES)
def test_what_is_made_of_an_identity_is_not_everyone(token, output, grant, inputs):
    assert judged(token, output, grant, inputs) == ["fine"]


@pytest.mark.parametrize(("grant", "inputs"), GRANTS)
def test_what_is_made_of_anything_else_may_be(grant, inputs):
    assert judged("pubsub/topic:Topic", "name", grant, inputs) == ["not-knowable"]


def test_a_bucket_of_the_stack_is_closed_to_all_others():
    program = GcpProgram()
    bucket = program.add(
        "storage/bucket:Bucket",
        "b",
        location="US-CENTRAL1",
        publicAccessPrevention="enforced",
        uniformBucketLevelAccess=True,
    )
    pool = program.add(POOL, "pool", workloadIdentityPoolId="gh")
    program.add(
        "storage/bucketIAMMember:BucketIAMMember",
        "m",
        bucket=bucket.out("name"),
        role="roles/storage.objectViewer",
        member=pool.out("name"),
    )
    assert outcomes(of_resources(program.resources("preview")), "bucket-private") == ["fine"]


def test_several_members_of_one_pool_are_known_together():
    program = GcpProgram()
    pool = program.add(POOL, "pool", workloadIdentityPoolId="gh")
    for others, outcome in (([], "fine"), (["allUsers"], "violated")):
        program.add(
            "projects/iAMBinding:IAMBinding",
            "b",
            role="roles/storage.objectViewer",
            members=[pool.out("name"), pool.out("id"), *others],
        )
        resources = program.resources("preview")
        assert outcomes(of_resources(resources), "wildcard-policy")[-1:] == [outcome]


def test_what_is_made_of_nothing_that_is_seen_may_be_everyone():
    program = GcpProgram()
    program.add(
        "projects/iAMMember:IAMMember", "m", role="roles/storage.objectViewer", member=UNKNOWN
    )
    assert outcomes(of_resources(program.resources("preview")), "wildcard-policy") == [
        "not-knowable"
    ]
