"""Look-ups of machine images, and of the public SSM parameters that refer to them."""

import re
from typing import Any

from botocore.exceptions import ClientError

from gpuinfra.sandbox.plugin.aws.lookups.answers import filters, listed, tags
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.facts import facts, read_fields

_SAME_NAMES = facts("aws", "attributes")["aws:ec2/getAmi:getAmi"]
_NO_DETAILS: dict[str, Any] = {"blockDeviceMappings": [], "productCodes": [], "tags": {}}


def _matching(lookup_context: LookupContext, args: dict[str, Any]) -> list[dict[str, Any]]:
    request: dict[str, Any] = {"Filters": filters(args)}
    if args.get("owners"):
        request["Owners"] = args["owners"]
    client = lookup_context.client("ec2", args.get("region") or lookup_context.settings.place)
    images = client.describe_images(**request)["Images"]
    name = re.compile(args.get("nameRegex") or "")
    matches = [image for image in images if name.search(image.get("Name", ""))]
    return sorted(matches, key=lambda image: image.get("CreationDate") or "", reverse=True)


def _image(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    matches = _matching(lookup_context, args)
    if not matches:
        raise CloudRefusalError(
            "NoMatch",
            "Your query returned no results. Please change your search criteria and try again. "
            "(The sandbox knows only moto's images and a few of today's: Amazon Linux 2023, "
            "Ubuntu 22.04 and 24.04, Deep Learning images.)",
        )
    if len(matches) > 1 and not args.get("mostRecent"):
        raise CloudRefusalError(
            "TooManyMatches",
            "Your query returned more than one result. Please try a more specific search "
            "criteria, or set `most_recent` attribute to true.",
        )
    image = matches[0]
    region = args.get("region") or lookup_context.settings.place
    known = {key: image.get(name, "") for key, name in _SAME_NAMES.items()}
    return {
        **args,
        **known,
        "id": image["ImageId"],
        "imageId": image["ImageId"],
        "arn": f"arn:aws:ec2:{region}::image/{image['ImageId']}",
        **_NO_DETAILS,
        "region": region,
        "tags": tags(image.get("Tags")),
    }


def _image_ids(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    matches = [image["ImageId"] for image in _matching(lookup_context, args)]
    newest_first = listed(matches, "EC2 image")
    ids = newest_first[::-1] if args.get("sortAscending") else newest_first
    return {
        **args,
        "id": "images",
        "ids": ids,
        "region": args.get("region") or lookup_context.settings.place,
    }


def _parameter(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    region = args.get("region") or lookup_context.settings.place
    name = args["name"]
    try:
        answer = lookup_context.client("ssm", region).get_parameter(Name=name, WithDecryption=True)
    except ClientError as error:
        raise CloudRefusalError("ParameterNotFound", f"couldn't find resource: {name}") from error
    parameter = answer["Parameter"]
    return {
        "id": name,
        **read_fields("aws:ssm/getParameter:getParameter", parameter),
        "region": region,
        "withDecryption": args.get("withDecryption", True),
    }


INVOKES: dict[str, Invoke] = {
    "aws:ec2/getAmi:getAmi": _image,
    "aws:ec2/getAmiIds:getAmiIds": _image_ids,
    "aws:ssm/getParameter:getParameter": _parameter,
}
