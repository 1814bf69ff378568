"""What moto does wrong and the sandbox's server does right."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from gpuinfra import sandbox

Clients = Callable[[str], Any]


@pytest.fixture
def client(shared_home: Path) -> Clients:
    endpoint = sandbox.start().endpoint

    def make(service: str) -> Any:
        return boto3.client(
            service,
            region_name="us-east-1",
            endpoint_url=endpoint,
            aws_access_key_id="sandbox",
            aws_secret_access_key="sandbox",
        )

    return make


def policy(bucket: str, **more: Any) -> str:
    deny = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"],
        **more,
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [deny]})


def test_a_policy_against_plain_text_denies_no_encrypted_read(client: Clients) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="mended-tls")
    s3.put_object(Bucket="mended-tls", Key="a", Body=b"1")
    plain_text = {"Condition": {"Bool": {"aws:SecureTransport": "false"}}}
    s3.put_bucket_policy(Bucket="mended-tls", Policy=policy("mended-tls", **plain_text))

    assert s3.get_object(Bucket="mended-tls", Key="a")["Body"].read() == b"1"

    s3.put_bucket_policy(Bucket="mended-tls", Policy=policy("mended-tls"))
    with pytest.raises(ClientError, match=r"403|AccessDenied"):
        s3.get_object(Bucket="mended-tls", Key="a")


def test_a_bucket_that_denies_everyone_plain_text_takes_logs(client: Clients) -> None:
    s3 = client("s3")
    log = {
        "Effect": "Allow",
        "Principal": {"Service": "logging.s3.amazonaws.com"},
        "Action": "s3:PutObject",
        "Resource": "arn:aws:s3:::mended-logs/*",
    }
    statements = json.loads(policy("mended-logs"))["Statement"]
    allowed = {"Version": "2012-10-17", "Statement": [*statements, log]}
    target = {"LoggingEnabled": {"TargetBucket": "mended-logs", "TargetPrefix": ""}}
    for bucket in ("mended-logs", "mended-logged"):
        s3.create_bucket(Bucket=bucket)
    s3.put_bucket_policy(Bucket="mended-logs", Policy=policy("mended-logs"))

    with pytest.raises(ClientError, match="InvalidTargetBucketForLogging"):
        s3.put_bucket_logging(Bucket="mended-logged", BucketLoggingStatus=target)
    s3.put_bucket_policy(Bucket="mended-logs", Policy=json.dumps(allowed))
    s3.put_bucket_logging(Bucket="mended-logged", BucketLoggingStatus=target)

    kept = s3.get_bucket_logging(Bucket="mended-logged")["LoggingEnabled"]
    assert kept["TargetBucket"] == "mended-logs"


def test_a_bucket_in_use_can_be_locked_and_keeps_its_objects(client: Clients) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="mended-lock")
    lock = {"ObjectLockEnabled": "Enabled"}
    with pytest.raises(ClientError, match="InvalidBucketState"):
        s3.put_object_lock_configuration(Bucket="mended-lock", ObjectLockConfiguration=lock)
    enabled = {"Status": "Enabled"}
    s3.put_bucket_versioning(Bucket="mended-lock", VersioningConfiguration=enabled)
    s3.put_object(Bucket="mended-lock", Key="a", Body=b"1")

    s3.put_object_lock_configuration(Bucket="mended-lock", ObjectLockConfiguration=lock)

    held = s3.get_object_lock_configuration(Bucket="mended-lock")["ObjectLockConfiguration"]
    assert held["ObjectLockEnabled"] == "Enabled"
    assert s3.get_object(Bucket="mended-lock", Key="a")["Body"].read() == b"1"


def test_an_object_goes_from_a_bucket_no_longer_versioned(client: Clients) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="mended-past")
    for status in ("Enabled", "Suspended"):
        settings = {"Status": status}
        s3.put_bucket_versioning(Bucket="mended-past", VersioningConfiguration=settings)
        if status == "Enabled":
            s3.put_object(Bucket="mended-past", Key="a", Body=b"1")
            s3.delete_object(Bucket="mended-past", Key="a")

    s3.delete_object(Bucket="mended-past", Key="a")

    assert s3.list_object_versions(Bucket="mended-past").get("Versions") is None


def test_a_changed_queue_keeps_its_policy_until_it_is_taken_away(client: Clients) -> None:
    sqs = client("sqs")
    url = sqs.create_queue(QueueName="mended", Attributes={"DelaySeconds": "1"})["QueueUrl"]
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy("mended")})

    def standing() -> dict[str, str]:
        attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        return {key: attributes[key] for key in ("Policy", "DelaySeconds") if key in attributes}

    sqs.set_queue_attributes(QueueUrl=url, Attributes={"DelaySeconds": "2"})
    assert standing() == {"Policy": policy("mended"), "DelaySeconds": "2"}

    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": ""})
    assert standing() == {"DelaySeconds": "2"}
    sqs.delete_queue(QueueUrl=url)


def test_the_roles_of_spot_have_awss_names(client: Clients) -> None:
    iam = client("iam")

    role = iam.create_service_linked_role(AWSServiceName="spotfleet.amazonaws.com")["Role"]

    assert role["RoleName"] == "AWSServiceRoleForEC2SpotFleet"
    iam.delete_service_linked_role(RoleName=role["RoleName"])


def test_a_function_answers_without_a_docker(client: Clients) -> None:
    from gpuinfra.sandbox.plugin.assets import content
    from tests.sandbox.plugin.judged import TRUST
    from tests.sandbox.plugin.judged_services import archive

    role = client("iam").create_role(RoleName="mended", AssumeRolePolicyDocument=TRUST)["Role"]
    client("lambda").create_function(
        FunctionName="mended",
        Role=role["Arn"],
        Runtime="python3.12",
        Handler="main.main",
        Code={"ZipFile": content(archive())},
    )

    answer = client("lambda").invoke(FunctionName="mended", Payload=b"{}")

    assert answer["StatusCode"] in (200, 202)
