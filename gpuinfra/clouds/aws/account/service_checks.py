"""Checks that the keys, certificates, containers and queues of a stack file exist."""

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.clouds.account_check import AccountCheck, answered_check, unknown
from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from gpuinfra.clouds.aws.account.workload_needs import WorkloadNeed
from gpuinfra.clouds.aws.registries import ECR

if TYPE_CHECKING:
    from gpuinfra.specs.storage import Bucket

CONTAINER: Final = "container"
CERTIFICATE: Final = "certificate"
KEY: Final = "key"
QUEUE: Final = "queue"

NO_IMAGE: Final = frozenset({"ImageNotFoundException", "RepositoryNotFoundException"})
NO_CERTIFICATE: Final = frozenset({"ResourceNotFoundException"})
NO_KEY: Final = frozenset({"NotFoundException"})
NO_QUEUE: Final = frozenset({"AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"})

_REGION_OF: Final = re.compile(r"arn:[^:]+:[^:]+:(?P<region>[^:]*):")


def container(client: AccountClient, need: WorkloadNeed) -> Iterator[AccountCheck]:
    """Check that a container image in ECR exists; other registries are not checked.

    https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_DescribeImages.html
    """
    parts = re.fullmatch(ECR, need.container or "")
    if parts is None:
        return
    item = f"{need.container}: {need.workload}"
    digest, tag = parts["digest"], parts["tag"] or "latest"
    answer = client.ask(
        "ecr",
        parts["region"],
        "describe_images",
        registryId=parts["account"],
        repositoryName=parts["repository"],
        imageIds=[{"imageDigest": digest} if digest else {"imageTag": tag}],
    )
    allowed = "an image with this digest or tag"
    if isinstance(answer, NoAnswer):
        missing_kind = "repository" if answer.code.startswith("Repository") else "image"
        fix = "push the image, or use one that exists"
        problem = answered_check(
            CONTAINER, item, fine=False, value=f"no such {missing_kind}", allowed=allowed, fix=fix
        )
        yield _missing_or_unknown(problem, answer, NO_IMAGE)
        return
    digests = [image["imageDigest"] for image in answer["imageDetails"]]
    yield answered_check(
        CONTAINER,
        item,
        fine=bool(digests),
        value=digests[0] if digests else "no such image",
        allowed=allowed,
        fix="push the image, or use one that exists",
    )


def certificate(client: AccountClient, need: WorkloadNeed) -> Iterator[AccountCheck]:
    """Check that a pool's certificate is issued and in the pool's region.

    https://docs.aws.amazon.com/acm/latest/APIReference/API_DescribeCertificate.html
    """
    if need.certificate is None:
        return
    region = need.rung.region
    item = f"{need.certificate}: {need.workload_and_rung}"
    actual_region = _region(need.certificate)
    allowed = f"issued, in {region}"
    if actual_region != region:
        fix = f"request or import the certificate in {region} too, and use that one"
        yield answered_check(
            CERTIFICATE, item, fine=False, value=f"in {actual_region}", allowed=allowed, fix=fix
        )
        return
    answer = client.ask("acm", region, "describe_certificate", CertificateArn=need.certificate)
    if isinstance(answer, NoAnswer):
        fix = f"use one listed by: aws acm list-certificates --region {region}"
        found_value = "no such certificate"
        problem = answered_check(
            CERTIFICATE, item, fine=False, value=found_value, allowed=allowed, fix=fix
        )
        yield _missing_or_unknown(problem, answer, NO_CERTIFICATE)
        return
    yield _certificate_check(item, answer["Certificate"], allowed)


def _certificate_check(label: str, details: dict[str, Any], allowed: str) -> AccountCheck:
    names = sorted({details["DomainName"], *details.get("SubjectAlternativeNames", ())})
    end = details.get("NotAfter")
    until = f", until {end:%Y-%m-%d}" if end is not None else ""
    return answered_check(
        CERTIFICATE,
        label,
        fine=details["Status"] == "ISSUED",
        value=f"{details['Status'].lower()}, for {', '.join(names)}{until}",
        allowed=allowed,
        fix="validate the domain in AWS Certificate Manager, or use another certificate",
    )


def key(client: AccountClient, name: str, bucket: "Bucket", region: str) -> Iterator[AccountCheck]:
    """Check that the key that a bucket names can encrypt in the bucket's region.

    https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html
    """
    if not bucket.encryption.startswith("arn:"):
        return
    item = f"{bucket.encryption}: bucket {name}"
    actual_region = _region(bucket.encryption)
    allowed = f"enabled, symmetric, in {region}"
    if actual_region != region:
        fix = "name a key of the bucket's region, or write region: for the bucket"
        yield answered_check(
            KEY, item, fine=False, value=f"in {actual_region}", allowed=allowed, fix=fix
        )
        return
    answer = client.ask("kms", region, "describe_key", KeyId=bucket.encryption)
    if isinstance(answer, NoAnswer):
        fix = f"use one listed by: aws kms list-keys --region {region}"
        problem = answered_check(
            KEY, item, fine=False, value="no such key", allowed=allowed, fix=fix
        )
        yield _missing_or_unknown(problem, answer, NO_KEY)
        return
    metadata = answer["KeyMetadata"]
    spec = metadata.get("KeySpec") or metadata.get("CustomerMasterKeySpec", "")
    yield answered_check(
        KEY,
        item,
        fine=metadata["KeyState"] == "Enabled" and spec == "SYMMETRIC_DEFAULT",
        value=f"{metadata['KeyState']}, {spec}",
        allowed=allowed,
        fix="enable the key (aws kms enable-key), or use another key",
    )


def queue(client: AccountClient, need: WorkloadNeed) -> Iterator[AccountCheck]:
    """Check that a pool's queue exists in the pool's region.

    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueUrl.html
    """
    if need.queue is None:
        return
    region = need.rung.region
    item, allowed = f"{need.queue}: {need.workload_and_rung}", f"a queue in {region}"
    answer = client.ask("sqs", region, "get_queue_url", QueueName=need.queue)
    if isinstance(answer, NoAnswer):
        fix = "remove its name to have one created, or use one listed by: aws sqs list-queues"
        problem = answered_check(
            QUEUE, item, fine=False, value="no such queue", allowed=allowed, fix=fix
        )
        yield _missing_or_unknown(problem, answer, NO_QUEUE)
        return
    yield answered_check(QUEUE, item, fine=True, value=str(answer["QueueUrl"]), allowed=allowed)


def _missing_or_unknown(
    problem: AccountCheck, answer: NoAnswer, codes: Collection[str]
) -> AccountCheck:
    """Return the problem if AWS answered with one of these codes, else an unknown check."""
    if answer.code in codes:
        return problem
    return unknown(problem.check, problem.item, answer.why, answer.fix, problem.allowed)


def _region(arn: str) -> str:
    match = _REGION_OF.match(arn)
    return match["region"] if match else ""
