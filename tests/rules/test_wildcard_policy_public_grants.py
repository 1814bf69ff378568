"""Grants to everyone on single resources of Google Cloud, of any service."""

import json
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources
from tests.rules.cases.verdicts import verdicts

RULE = "wildcard-policy"
ALL = "allAuthenticatedUsers"
READS = "roles/secretmanager.secretAccessor"
SECRET = "secretmanager/secretIam{}:SecretIam{}"
KEY = "kms/cryptoKeyIAMMember:CryptoKeyIAMMember"
OBJECTS = "grants everyone access to objects of a bucket"
ENTITY = "storage/objectAccessControl:ObjectAccessControl"
DEFAULT = "storage/defaultObjectACL:DefaultObjectACL"
FOLDER = "storage/managedFolderIamMember:ManagedFolderIamMember"
DATA = "bigquery/datasetAccess:DatasetAccess"
RUN = "roles/run.admin"
APPS = "roles/iap.httpsResourceAccessor"
OPEN_APPS = f"grants {APPS} to everyone"


def policy(role: str, *members: str) -> str:
    return json.dumps({"bindings": [{"role": role, "members": list(members)}]})


PUBLIC = "principalSet://goog/public:all"
ACCESS = "iam/projectAccessPolicy:ProjectAccessPolicy"


def rule(effect: str, principal: str) -> dict[str, Any]:
    operation = {"permissions": ["a.b/c.d"]}
    return {"effect": effect, "principals": [principal], "operation": operation}


def told(token: str, program: GcpProgram | None = None, **inputs: Any) -> list[str]:
    program = program or GcpProgram()
    program.add(token, "it", **inputs)
    judged = verdicts(of_resources(program.resources()), RULE)
    return [words for outcome, words in judged if outcome != "not-applicable"]


@pytest.mark.parametrize(
    ("token", "inputs", "words"),
    [
        (
            SECRET.format("Member", "Member"),
            {"role": READS, "member": ALL},
            f"grants {READS} to everyone",
        ),
        (
            SECRET.format("Binding", "Binding"),
            {"role": READS, "members": ["user:me@example.com", "allUsers"]},
            f"grants {READS} to everyone",
        ),
        (
            SECRET.format("Policy", "Policy"),
            {"policyData": policy(READS, ALL)},
            f"grants {READS} to everyone",
        ),
        (KEY, {"role": UNKNOWN, "member": "allUsers"}, "grants a role to everyone"),
        (SECRET.format("Member", "Member"), {"role": READS, "member": "user:me@x.com"}, None),
        (SECRET.format("Member", "Member"), {"role": READS, "member": UNKNOWN}, None),
        (
            "artifactregistry/repositoryIamMember:RepositoryIamMember",
            {"role": "roles/artifactregistry.writer", "member": "allUsers"},
            "grants roles/artifactregistry.writer to everyone",
        ),
        (
            "artifactregistry/repositoryIamMember:RepositoryIamMember",
            {"role": "roles/artifactregistry.reader", "member": "allUsers"},
            None,
        ),
        (
            "cloudrunv2/serviceIamMember:ServiceIamMember",
            {"role": "roles/run.invoker", "member": "allUsers"},
            None,
        ),
        (
            "cloudrunv2/serviceIamMember:ServiceIamMember",
            {"role": "roles/run.developer", "member": "allUsers"},
            "grants roles/run.developer to everyone",
        ),
        (ENTITY, {"bucket": "theirs", "entity": "allUsers"}, OBJECTS),
        (ENTITY, {"bucket": "theirs", "entity": "user-me@example.com"}, None),
        (DEFAULT, {"bucket": "theirs", "roleEntities": ["READER:allUsers"]}, OBJECTS),
        (DEFAULT, {"bucket": "theirs", "predefinedAcl": "publicRead"}, OBJECTS),
        (DEFAULT, {"bucket": "theirs", "predefinedAcl": "private"}, None),
        (
            FOLDER,
            {"bucket": "theirs", "role": "roles/storage.objectViewer", "member": "allUsers"},
            "grants roles/storage.objectViewer to everyone",
        ),
        (DATA, {"role": "OWNER", "specialGroup": ALL}, f"grants a dataset to {ALL}"),
        (DATA, {"role": "READER", "specialGroup": "projectReaders"}, None),
        (
            "bigquery/iamMember:IamMember",
            {"role": READS, "member": ALL},
            f"grants {READS} to everyone",
        ),
        (
            "bigquery/iamBinding:IamBinding",
            {"role": READS, "members": ["allUsers"]},
            f"grants {READS} to everyone",
        ),
        (
            "bigquery/iamPolicy:IamPolicy",
            {"policyData": policy(READS, "allUsers")},
            f"grants {READS} to everyone",
        ),
        (
            "cloudrun/iamMember:IamMember",
            {"role": RUN, "member": ALL},
            f"grants {RUN} to everyone",
        ),
        (
            "cloudrun/iamPolicy:IamPolicy",
            {"policyData": policy(RUN, "allUsers")},
            f"grants {RUN} to everyone",
        ),
        ("cloudrun/iamMember:IamMember", {"role": "roles/run.invoker", "member": ALL}, None),
        (
            "iap/webBackendServiceIamMember:WebBackendServiceIamMember",
            {"role": APPS, "member": ALL},
            None,
        ),
        *(
            (f"iap/{one}IamMember:{two}IamMember", {"role": APPS, "member": ALL}, OPEN_APPS)
            for one, two in (
                ("web", "Web"),
                ("locationWeb", "LocationWeb"),
                ("webTypeCompute", "WebTypeCompute"),
                ("webTypeAppEnging", "WebTypeAppEnging"),
            )
        ),
        ("projects/iamMemberRemove:IamMemberRemove", {"role": READS, "member": ALL}, None),
        (
            "bigquery/rowAccessPolicy:RowAccessPolicy",
            {"grantees": ["user:me@example.com", ALL]},
            f"grants a part of a table to {ALL}",
        ),
        (
            "bigquery/datapolicyv2DataPolicy:Datapolicyv2DataPolicy",
            {"grantees": ["principalSet://goog/public:all"]},
            "grants a part of a table to principalSet://goog/public:all",
        ),
        (ACCESS, {"details": {"rules": [rule("ALLOW", PUBLIC)]}}, "grants a.b/c.d to everyone"),
        (ACCESS, {"details": {"rules": [rule("DENY", PUBLIC)]}}, None),
        (ACCESS, {"details": {"rules": [rule("ALLOW", "principal://goog/subject/me@x")]}}, None),
        (
            "bigquery/dataset:Dataset",
            {"accesses": [{"role": "READER", "iamMember": "allUsers"}]},
            "grants a dataset to allUsers",
        ),
    ],
)
def test_a_grant_to_everyone_is_told_of_any_service(token, inputs, words):
    assert told(token, **inputs) == ([words] if words else [])


@pytest.mark.parametrize(
    ("bucket", "token", "open_"),
    [
        ({"publicAccessPrevention": "enforced"}, ENTITY, False),
        ({"publicAccessPrevention": "enforced"}, FOLDER, False),
        ({"uniformBucketLevelAccess": True}, ENTITY, False),
        ({"uniformBucketLevelAccess": True}, FOLDER, True),
        ({}, ENTITY, True),
    ],
)
def test_a_closed_bucket_is_not_opened_by_a_grant_on_a_part_of_it(bucket, token, open_):
    program = GcpProgram()
    closed = program.add("storage/bucket:Bucket", "b", location="US-CENTRAL1", **bucket)
    everyone = {"entity": "allUsers", "member": "allUsers", "role": "roles/storage.objectViewer"}
    assert bool(told(token, program, bucket=closed.out("name"), **everyone)) is open_
