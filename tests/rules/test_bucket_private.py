"""What bucket-private says of a bucket whose public access the stack does not block."""

from dataclasses import replace

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.hygiene import safe_bucket
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

ALL_ON = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"


def said(resources):
    ((finding),) = findings(of_resources(resources), "bucket-private")
    return finding.outcome, finding.message


def s3(moment, **settings):
    program = Program()
    bucket = program.add("aws:s3/bucket:Bucket", "data")
    if settings:
        program.add(BLOCK, "block", bucket=bucket.id, **settings)
    return program.resources(moment)


@both
def test_a_bucket_of_s3_of_unknown_age_is_not_called_open(moment):
    outcome, words = said(s3(moment))
    assert outcome == "violated"
    assert "S3's default blocks it only on buckets created since April 2023" in words
    assert "public access is not blocked" not in words


@pytest.mark.parametrize(
    ("created", "outcome"),
    [("2026-11-28T19:06:25Z", "fine"), ("2023-03-31T00:00:00Z", "violated"), ("", "violated")],
)
def test_the_state_dates_a_bucket(created, outcome):
    dated = [replace(resource, created=created) for resource in s3("created")]

    assert said(dated)[0] == outcome


def created_now(resources):
    return [replace(resource, created_in_update=True) for resource in resources]


@both
def test_a_bucket_that_the_update_creates_is_blocked_by_the_default_of_s3(moment):
    assert said(created_now(s3(moment))) == ("fine", "public access is blocked")
    off = dict.fromkeys(ALL_ON, False)
    outcome, words = said(created_now(s3(moment, **off)))
    assert (outcome, words) == (
        "violated",
        f"its block of public access leaves {', '.join(ALL_ON)} off",
    )


def test_a_block_that_may_be_of_a_created_bucket_leaves_it_unknown():
    program = Program()
    program.add("aws:s3/bucket:Bucket", "data")
    program.add(BLOCK, "block", bucket=UNKNOWN, **dict.fromkeys(ALL_ON, False))
    assert said(created_now(program.resources("created")))[0] == "not-knowable"


@both
def test_a_block_that_is_partly_off_is_told_by_its_settings(moment):
    settings = dict.fromkeys(ALL_ON, True)
    assert said(s3(moment, **settings))[0] == "fine"
    settings = {**settings, "blockPublicPolicy": False}
    del settings["restrictPublicBuckets"]
    words = "its block of public access leaves blockPublicPolicy, restrictPublicBuckets off"
    assert said(s3(moment, **settings)) == ("violated", words)


def gcs(**inputs):
    urn = "urn:pulumi:dev::shop::gcp:storage/bucket:Bucket::data"
    given = {"name": "data", "location": "US", "uniformBucketLevelAccess": True, **inputs}
    return Resource(urn=urn, type="gcp:storage/bucket:Bucket", name="data", inputs=given)


@pytest.mark.parametrize("stated", [{}, {"publicAccessPrevention": "inherited"}])
def test_inherited_prevention_of_google_cloud_is_left_to_a_policy(stated):
    outcome, words = said([gcs(**stated)])
    assert outcome == "violated"
    assert words.startswith("public access prevention is inherited")


def test_a_grant_to_everyone_is_told_as_one_that_enforced_prevention_refuses():
    urn = "urn:pulumi:dev::shop::gcp:storage/bucketIAMMember:BucketIAMMember::all"
    member = Resource(
        urn=urn,
        type="gcp:storage/bucketIAMMember:BucketIAMMember",
        name="all",
        inputs={"bucket": "data", "role": "roles/storage.objectViewer", "member": "allUsers"},
    )
    outcome, words = said([gcs(publicAccessPrevention="enforced"), member])
    assert outcome == "violated"
    assert words.startswith("it grants everyone access, which public access prevention refuses")


@pytest.mark.parametrize(
    ("inputs", "outcome", "words"),
    [
        ({}, "fine", "public access is blocked"),
        ({"allowBlobPublicAccess": False}, "fine", "public access is blocked"),
        ({"allowBlobPublicAccess": True}, "violated", "allowBlobPublicAccess of the storage"),
    ],
)
def test_an_account_of_azure_is_closed_by_default(inputs, outcome, words):
    urn = "urn:pulumi:dev::shop::azure-native:storage:StorageAccount::data"
    given = {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, **inputs}
    account = Resource(
        urn=urn, type="azure-native:storage:StorageAccount", name="data", inputs=given
    )
    seen = said([account])
    assert (seen[0], seen[1][: len(words)]) == (outcome, words)


SITE = "azure-native:storage:StorageAccountStaticWebsite"


@pytest.mark.parametrize(
    ("inputs", "outcome", "fix"),
    [
        ({}, "violated", "remove the static website, or set publicNetworkAccess: Disabled"),
        ({"allowBlobPublicAccess": False}, "violated", "remove the static website"),
        ({"publicNetworkAccess": "Disabled"}, "fine", ""),
    ],
)
def test_a_website_of_azure_is_closed_by_what_its_fix_says(inputs, outcome, fix):
    program = AzureProgram()
    given = {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, **inputs}
    account = program.add("azure-native:storage:StorageAccount", "data", **given)
    program.add(SITE, "site", accountName=account.out("name"))
    ((finding),) = findings(of_resources(program.resources("preview")), "bucket-private")
    assert finding.outcome == outcome
    assert finding.fix.startswith(fix)


@both
@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("bucket-private", "allowBlobPublicAccess of the storage account weights is on"),
        ("bucket-tls", "the storage account weights takes connections without TLS"),
    ],
)
def test_a_container_of_azure_is_told_by_the_account_that_opens_it(rule, words, moment):
    program = AzureProgram()
    given = {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "allowBlobPublicAccess": True}
    account = program.add(
        "azure-native:storage:StorageAccount",
        "weights",
        enableHttpsTrafficOnly=False,
        **given,
    )
    program.add("azure-native:storage:BlobContainer", "models", accountName=account.out("name"))
    (finding,) = findings(of_resources(program.resources(moment)), rule)

    assert finding.subject.endswith("::models")
    assert finding.message.startswith(words)


BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")


@pytest.mark.parametrize(
    ("block", "outcome"),
    [
        (None, "violated"),
        (dict.fromkeys(BLOCKS, True), "fine"),
        (dict.fromkeys(BLOCKS[1:], True), "violated"),
        ({**dict.fromkeys(BLOCKS, True), "accountId": "123456789012"}, "not-knowable"),
    ],
)
def test_an_account_may_block_for_all_its_buckets(block, outcome):
    program = Program()
    program.add("aws:s3/bucket:Bucket", "data")
    if block is not None:
        token = "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock"
        program.add(token, "closed", **block)
    assert outcomes(of_resources(program.resources()), "bucket-private") == [outcome]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "fine"),
        ({"public_blocked": False}, "violated"),
        ({"owner_enforced": False}, "violated"),
        ({"public_blocked": UNKNOWN}, "not-knowable"),
        ({"owner_enforced": UNKNOWN}, "not-knowable"),
        ({"owner_enforced": None}, "fine"),
        ({"public_blocked": UNKNOWN, "owner_enforced": False}, "violated"),
    ],
    ids=str,
)
def test_a_bucket_is_private(changes, outcome):
    assert outcomes(plan(buckets=(safe_bucket(**changes),)), "bucket-private") == [outcome]


def test_without_a_bucket_bucket_private_does_not_apply():
    assert outcomes(plan(group()), "bucket-private") == ["not-applicable"]
