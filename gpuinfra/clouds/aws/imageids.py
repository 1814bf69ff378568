"""Asks AWS, with the caller's credentials, which image an SSM parameter currently names."""

import re
from typing import Final

from gpuinfra.clouds.network_failures import CHECK_NETWORK, network_reason
from gpuinfra.errors import CloudError, Refusal, printable

_AMI: Final = re.compile(r"ami-[0-9a-f]{8}(?:[0-9a-f]{9})?")
_MAX_MESSAGE_LENGTH: Final = 200


def image_id(parameter: str, region: str) -> str:
    """Return the id of the image that a parameter names in a region.

    https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html

    Raises:
        CloudError: AWS refuses, can't be reached, or names no image.
        ModuleNotFoundError: boto3 is not installed.
    """
    import boto3
    import botocore.exceptions as refusals  # noqa: PLC0415  (only who has credentials needs it)

    try:
        answer = boto3.Session().client("ssm", region_name=region).get_parameter(Name=parameter)
        value = str(answer["Parameter"]["Value"])
    except refusals.NoCredentialsError:
        fix = "log in as for the AWS CLI: environment, profile or role"
        raise _lookup_error(parameter, region, "no AWS credentials are found", fix) from None
    except refusals.ClientError as error:
        details = error.response.get("Error", {})
        reason = printable(f"{details.get('Code', '')}: {details.get('Message', '')}")[
            :_MAX_MESSAGE_LENGTH
        ]
        fix = "the caller needs ssm:GetParameter, and the parameter must exist"
        raise _lookup_error(parameter, region, reason, fix) from None
    except refusals.BotoCoreError as error:
        reason = network_reason(error) or printable(str(error))[:_MAX_MESSAGE_LENGTH]
        raise _lookup_error(
            parameter, region, f"AWS gave no answer: {reason}", CHECK_NETWORK
        ) from None
    if not _AMI.fullmatch(value):
        reason = f"its value is not an image id: {printable(value)[:_MAX_MESSAGE_LENGTH]}"
        raise _lookup_error(
            parameter, region, reason, "use a parameter that contains the id of an image"
        )
    return value


def _lookup_error(parameter: str, region: str, reason: str, fix: str) -> CloudError:
    return CloudError(
        [Refusal(what=f"SSM parameter {parameter} in {region}", why=reason, fix=fix)]
    )
