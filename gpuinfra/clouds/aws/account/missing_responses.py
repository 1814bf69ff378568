"""The reasons for a missing response of AWS: refused, throttled, silent, late or garbled."""

from typing import Final, Literal

import botocore.exceptions as sdk
from botocore.parsers import ResponseParserError

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.network_failures import network_reason
from gpuinfra.errors import GpuinfraError, InputError, printable
from gpuinfra.records import record

Kind = Literal["denied", "throttled", "unreachable", "not implemented", "late", "refused"]

MAX_MESSAGE_LENGTH: Final = 200
"""The maximum number of characters shown of an external message."""

_CODES: Final = TABLES.table("errors")
"""Error codes by meaning."""

CREDENTIALS: Final = frozenset(_CODES["credentials"])

_PREFIXES: Final = {"service-quotas": "servicequotas"}
"""Where a right begins otherwise than boto3 names the service."""

CREDENTIAL_ERRORS: Final = (
    sdk.NoCredentialsError,
    sdk.PartialCredentialsError,
    sdk.CredentialRetrievalError,
    sdk.TokenRetrievalError,
    sdk.SSOError,
    sdk.ProfileNotFound,
    sdk.RefreshWithMFAUnsupportedError,
)

MALFORMED_ANSWER: Final = (
    ResponseParserError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""The reason for a malformed response."""

LOG_IN: Final = (
    "log in as for the AWS CLI: environment variables, a profile (AWS_PROFILE), or a "
    "role; `aws sts get-caller-identity` shows the current identity"
)


@record
class NoAnswer:
    """The reason for a missing response; `code` is AWS's error code where AWS refused."""

    kind: Kind
    why: str
    fix: str
    code: str = ""


class CredentialsError(InputError):
    """The credentials are missing, or AWS rejects them: it was asked nothing."""

    exit_code = GpuinfraError.exit_code


def timeout_answer(service: str) -> NoAnswer:
    """Return the reason for a call that timed out."""
    return NoAnswer(
        kind="late",
        why=f"{service} did not answer in time",
        fix="raise the limit, for example --timeout 300",
    )


def malformed_answer(service: str, error: Exception) -> NoAnswer:
    """Return the reason for a response that does not match its documentation."""
    reason = (
        f"{service} sent a response that its documentation doesn't describe "
        f"({type(error).__name__})"
    )
    return NoAnswer(kind="unreachable", why=reason, fix="check --endpoint-url, then retry")


def no_credentials(reason: str) -> CredentialsError:
    """Return the error for credentials that are missing or that AWS rejects."""
    return CredentialsError.of(
        f"no valid AWS credentials: {printable(reason)[:MAX_MESSAGE_LENGTH]}", fix=LOG_IN
    )


def no_response_answer(service: str, region: str, error: Exception) -> NoAnswer:
    """Return the reason for a service that does not respond."""
    reason = network_reason(error) or printable(str(error))[:MAX_MESSAGE_LENGTH]
    return NoAnswer(
        kind="unreachable",
        why=f"{service} in {region} gave no answer: {reason}",
        fix="check the network, the region and --endpoint-url, then retry",
    )


def iam_action(service: str, operation: str) -> str:
    """Return the IAM action that a call needs, for example `ec2:DescribeSubnets`."""
    operation_name = "".join(word.capitalize() for word in operation.split("_"))
    return f"{_PREFIXES.get(service, service)}:{operation_name}"


def refusal_answer(service: str, operation: str, error: sdk.ClientError) -> NoAnswer:
    """Return the reason for an error response of AWS; each check interprets it."""
    details = error.response.get("Error", {})
    code = str(details.get("Code", ""))
    status = str(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", ""))
    permission = iam_action(service, operation)
    reason = printable(f"{code}: {details.get('Message', '')}")[:MAX_MESSAGE_LENGTH]
    if code in _CODES["denied"] or (status == "403" and code not in CREDENTIALS):
        return NoAnswer(
            kind="denied",
            why=f"the caller may not read this: {permission} was denied ({code})",
            fix=f"allow {permission} to the caller",
            code=code,
        )
    if code in _CODES["throttled"]:
        again = "wait a minute, then retry"
        return NoAnswer(
            kind="throttled", why=f"AWS throttled {permission} ({code})", fix=again, code=code
        )
    if code in _CODES["no such call"] or status == "501":
        return NoAnswer(
            kind="not implemented",
            why=f"the endpoint doesn't support {permission}",
            fix="use AWS itself: remove --endpoint-url and AWS_ENDPOINT_URL",
            code=code,
        )
    return NoAnswer(
        kind="refused",
        why=f"{permission} was refused: {reason}",
        fix="see the message of AWS",
        code=code,
    )
