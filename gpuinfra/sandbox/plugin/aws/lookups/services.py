"""Look-ups of AWS's other services: images, keys, queues, topics, certificates."""

from datetime import datetime
from typing import Any

from gpuinfra.sandbox.plugin.aws.lookups.answers import single_match, tags
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.facts import read_fields

_HOME = "us-east-1"  # S3 calls this region by no name
_DEEP_LEARNING_CONTAINERS = "763104351884"


def _lookup_region(lookup_context: LookupContext, args: dict[str, Any]) -> str:
    return str(args.get("region") or lookup_context.settings.place)


def _image(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return an image of a repository, by tag, by digest, or the latest."""
    client, region = (
        lookup_context.client("ecr", _lookup_region(lookup_context, args)),
        _lookup_region(lookup_context, args),
    )
    known = {"imageTag": args.get("imageTag"), "imageDigest": args.get("imageDigest")}
    image = {key: value for key, value in known.items() if value}
    registry = {"registryId": args["registryId"]} if args.get("registryId") else {}
    ids = {"imageIds": [image]} if image else {}
    answer = client.describe_images(repositoryName=args["repositoryName"], **registry, **ids)
    details = answer["imageDetails"]
    newest = sorted(details, key=lambda detail: detail["imagePushedAt"], reverse=True)
    if args.get("mostRecent") and newest:
        newest = newest[:1]
    newest_image = single_match(newest, "ECR image")
    repositories = client.describe_repositories(
        repositoryNames=[args["repositoryName"]], **registry
    )
    repository = repositories["repositories"][0]["repositoryUri"]
    return {
        **args,
        "id": newest_image["imageDigest"],
        "imageDigest": newest_image["imageDigest"],
        "imagePushedAt": int(newest_image["imagePushedAt"].timestamp()),
        "imageSizeInBytes": newest_image.get("imageSizeInBytes", 0),
        "imageTags": newest_image.get("imageTags", []),
        "imageUri": f"{repository}@{newest_image['imageDigest']}",
        "registryId": newest_image["registryId"],
        "region": region,
    }


def _prebuilt_image(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return the path of one of SageMaker's images, which the provider doesn't look up either.

    The account is that of the Deep Learning Containers in most regions, a sandbox value for all:
    https://aws.github.io/deep-learning-containers/reference/region_availability/
    """
    region, tag = _lookup_region(lookup_context, args), args.get("imageTag") or "1"
    suffix = args.get("dnsSuffix") or (
        "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    )
    host = f"{_DEEP_LEARNING_CONTAINERS}.dkr.ecr.{region}.{suffix}"
    return {
        **args,
        "id": _DEEP_LEARNING_CONTAINERS,
        "registryId": _DEEP_LEARNING_CONTAINERS,
        "registryPath": f"{host}/{args['repositoryName']}:{tag}",
        "region": region,
    }


def _repository(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("ecr", _lookup_region(lookup_context, args))
    repository = client.describe_repositories(repositoryNames=[args["name"]])["repositories"][0]
    scan = repository["imageScanningConfiguration"]["scanOnPush"]
    existing = client.list_tags_for_resource(resourceArn=repository["repositoryArn"])["tags"]
    return {
        **read_fields("aws:ecr/getRepository:getRepository", repository),
        "imageScanningConfigurations": [{"scanOnPush": scan}],
        "encryptionConfigurations": [repository["encryptionConfiguration"]],
        "mostRecentImageTags": [],
        "region": _lookup_region(lookup_context, args),
        "tags": tags(existing),
    }


def _key(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("kms", _lookup_region(lookup_context, args))
    metadata = client.describe_key(KeyId=args["keyId"])["KeyMetadata"]
    return {
        **read_fields("aws:kms/getKey:getKey", metadata),
        "keyId": args["keyId"],
        "creationDate": _iso(metadata["CreationDate"]),
        "deletionDate": _iso(metadata.get("DeletionDate")),
        "keyUsage": metadata.get("KeyUsage", "ENCRYPT_DECRYPT"),
        "multiRegion": bool(metadata.get("MultiRegion")),
        "region": _lookup_region(lookup_context, args),
    }


def _alias(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("kms", _lookup_region(lookup_context, args))
    pages = client.get_paginator("list_aliases").paginate()
    listed = [
        alias for page in pages for alias in page["Aliases"] if alias["AliasName"] == args["name"]
    ]
    alias = single_match(listed, "KMS alias")
    # AWS's own aliases name no key until one is used.
    target = alias.get("TargetKeyId") or args["name"]
    key = client.describe_key(KeyId=target)["KeyMetadata"]
    return {
        "id": alias["AliasArn"],
        "name": alias["AliasName"],
        "arn": alias["AliasArn"],
        "targetKeyId": key["KeyId"],
        "targetKeyArn": key["Arn"],
        "region": _lookup_region(lookup_context, args),
    }


def _identity_provider(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("iam", lookup_context.settings.place)
    listed = client.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    host = str(args.get("url") or "").removeprefix("https://")
    arns = [
        provider["Arn"]
        for provider in listed
        if provider["Arn"] == args.get("arn") or (host and provider["Arn"].endswith(f"/{host}"))
    ]
    arn = single_match(arns, "IAM OIDC Provider")
    provider = client.get_open_id_connect_provider(OpenIDConnectProviderArn=arn)
    return {
        "id": arn,
        "arn": arn,
        "url": provider["Url"],
        "clientIdLists": provider["ClientIDList"],
        "thumbprintLists": provider["ThumbprintList"],
        "tags": tags(provider.get("Tags")),
    }


def _queue(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("sqs", _lookup_region(lookup_context, args))
    url = client.get_queue_url(QueueName=args["name"])["QueueUrl"]
    attributes = client.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])[
        "Attributes"
    ]
    return {
        "id": url,
        "name": args["name"],
        "url": url,
        "arn": attributes["QueueArn"],
        "region": _lookup_region(lookup_context, args),
        "tags": client.list_queue_tags(QueueUrl=url).get("Tags") or {},
    }


def _topic(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("sns", _lookup_region(lookup_context, args))
    pages = client.get_paginator("list_topics").paginate()
    arns = [topic["TopicArn"] for page in pages for topic in page["Topics"]]
    arn = single_match(
        [topic_arn for topic_arn in arns if topic_arn.rpartition(":")[2] == args["name"]],
        "SNS topic",
    )
    existing = client.list_tags_for_resource(ResourceArn=arn)["Tags"]
    return {
        "id": arn,
        "name": args["name"],
        "arn": arn,
        "region": _lookup_region(lookup_context, args),
        "tags": tags(existing),
    }


def _bucket(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client, name = (
        lookup_context.client("s3", _lookup_region(lookup_context, args)),
        args["bucket"],
    )
    region = client.get_bucket_location(Bucket=name)["LocationConstraint"] or _HOME
    return {
        "id": name,
        "bucket": name,
        "arn": f"arn:aws:s3:::{name}",
        "bucketRegion": region,
        "bucketDomainName": f"{name}.s3.amazonaws.com",
        "bucketRegionalDomainName": f"{name}.s3.{region}.amazonaws.com",
        "region": region,
    }


def _certificate(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("acm", _lookup_region(lookup_context, args))
    statuses = args.get("statuses") or ["ISSUED"]
    pages = client.get_paginator("list_certificates").paginate()
    listed = [
        summary["CertificateArn"] for page in pages for summary in page["CertificateSummaryList"]
    ]
    certificates = [
        client.describe_certificate(CertificateArn=arn)["Certificate"] for arn in listed
    ]
    fitting = [
        certificate
        for certificate in certificates
        if certificate["Status"] in statuses
        and args.get("domain") in (None, certificate["DomainName"])
    ]
    certificate = single_match(fitting, "ACM Certificate")
    arn = certificate["CertificateArn"]
    return {
        **args,
        "id": arn,
        "arn": arn,
        "domain": certificate["DomainName"],
        "status": certificate["Status"],
        "region": _lookup_region(lookup_context, args),
        "tags": tags(client.list_tags_for_certificate(CertificateArn=arn)["Tags"]),
    }


def _iso(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


INVOKES: dict[str, Invoke] = {
    "aws:acm/getCertificate:getCertificate": _certificate,
    "aws:ecr/getImage:getImage": _image,
    "aws:ecr/getRepository:getRepository": _repository,
    "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider": _identity_provider,
    "aws:kms/getAlias:getAlias": _alias,
    "aws:kms/getKey:getKey": _key,
    "aws:s3/getBucket:getBucket": _bucket,
    "aws:sagemaker/getPrebuiltEcrImage:getPrebuiltEcrImage": _prebuilt_image,
    "aws:sns/getTopic:getTopic": _topic,
    "aws:sqs/getQueue:getQueue": _queue,
}
