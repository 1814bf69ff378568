"""Keys, certificates and containers, as they stand in moto."""

import pytest

from gpuinfra.clouds.aws.account import service_checks
from gpuinfra.specs.storage import Bucket
from tests.clouds.aws.account.conftest import REGION, need

ACCOUNT = "123456789012"


def only(checks):
    (check,) = checks
    return check


def test_a_key_is_enabled_or_a_problem(caller, aws):
    made = aws("kms").create_key()["KeyMetadata"]
    bucket = Bucket(encryption=made["Arn"])

    fine = only(service_checks.key(caller, "data", bucket, REGION))
    aws("kms").disable_key(KeyId=made["KeyId"])
    caller._known.clear()
    disabled = only(service_checks.key(caller, "data", bucket, REGION))
    abroad = only(service_checks.key(caller, "data", bucket, "eu-west-1"))

    assert (fine.state, fine.result) == ("ok", "Enabled, SYMMETRIC_DEFAULT")
    assert (disabled.state, disabled.result) == ("problem", "Disabled, SYMMETRIC_DEFAULT")
    assert (abroad.state, abroad.result) == ("problem", "in us-east-1")


def test_a_key_that_is_not_there_is_a_problem_and_one_nobody_may_see_unknown(caller, stubbed):
    arn = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/0b8e9c1e-0000-4000-8000-000000000000"
    bucket = Bucket(encryption=arn)
    denied = stubbed(("kms", "describe_key", "AccessDeniedException"))

    assert only(service_checks.key(caller, "data", bucket, REGION)).result == "no such key"
    assert only(service_checks.key(denied, "data", bucket, REGION)).state == "unknown"


@pytest.mark.parametrize("encryption", ["managed", "kms"])
def test_a_bucket_without_a_key_of_the_caller_s_asks_nothing(stubbed, encryption):
    bucket = Bucket(encryption=encryption)

    assert list(service_checks.key(stubbed(), "data", bucket, REGION)) == []


def test_a_certificate_is_issued_or_a_problem(caller, stubbed):
    arn = f"arn:aws:acm:{REGION}:{ACCOUNT}:certificate/0b8e9c1e"
    of = need(certificate=arn)

    def state(status):
        details = {"Status": status, "DomainName": "llm.example.com", "CertificateArn": arn}
        answers = stubbed(("acm", "describe_certificate", {"Certificate": details}))
        return only(service_checks.certificate(answers, of))

    issued, pending = state("ISSUED"), state("PENDING_VALIDATION")
    gone = only(service_checks.certificate(caller, of))
    denied = stubbed(("acm", "describe_certificate", "AccessDeniedException"))
    hidden = only(service_checks.certificate(denied, of))
    abroad = only(
        service_checks.certificate(stubbed(), need(certificate=arn, rung={"region": "eu-west-1"}))
    )

    assert (issued.state, issued.result) == ("ok", "issued, for llm.example.com")
    assert (pending.state, pending.result) == (
        "problem",
        "pending_validation, for llm.example.com",
    )
    assert (gone.state, gone.result) == ("problem", "no such certificate")
    assert hidden.state == "unknown"
    assert (abroad.state, abroad.result) == ("problem", "in us-east-1")


def test_a_container_of_ecr_is_there_or_a_problem(caller, aws):
    registry = f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com"

    def check(name):
        caller._known.clear()
        return only(service_checks.container(caller, need(container=f"{registry}/{name}")))

    nowhere = check("serve:v1")
    aws("ecr").create_repository(repositoryName="serve")
    missing = check("serve:v1")
    manifest = '{"schemaVersion": 2, "config": {"digest": "sha256:0"}, "layers": []}'
    made = aws("ecr").put_image(
        repositoryName="serve",
        imageManifest=manifest,
        imageManifestMediaType="application/vnd.oci.image.manifest.v1+json",
        imageTag="v1",
    )
    digest = made["image"]["imageId"]["imageDigest"]
    by_tag, by_digest = check("serve:v1"), check(f"serve@{digest}")

    assert (nowhere.state, nowhere.result) == ("problem", "no such repository")
    assert (missing.state, missing.result) == ("problem", "no such image")
    assert (by_tag.state, by_tag.result) == ("ok", digest)
    assert by_digest.state == "ok"


def test_a_queue_is_there_or_a_problem(caller, aws, stubbed):
    of = need(queue="jobs")

    gone = only(service_checks.queue(caller, of))
    aws("sqs").create_queue(QueueName="jobs")
    caller._known.clear()
    there = only(service_checks.queue(caller, of))
    hidden = only(service_checks.queue(stubbed(("sqs", "get_queue_url", "AccessDenied")), of))

    assert (gone.state, gone.result) == ("problem", "no such queue")
    assert (there.state, there.result.endswith("/jobs")) == ("ok", True)
    assert hidden.state == "unknown"
    assert list(service_checks.queue(caller, need())) == []


@pytest.mark.parametrize("container", [None, "vllm/vllm-openai:v0.11.0", "ghcr.io/a/b:1"])
def test_other_registries_are_not_asked(stubbed, container):
    assert list(service_checks.container(stubbed(), need(container=container))) == []
