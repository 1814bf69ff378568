"""Turns a malformed response into an unknown check, so that the other checks still run."""

from collections.abc import Iterator

from gpuinfra.clouds.account_check import AccountCheck, unknown
from gpuinfra.clouds.aws.account.missing_responses import MALFORMED_ANSWER, malformed_answer


def catch_malformed(
    check: str, label: str, checks: Iterator[AccountCheck]
) -> Iterator[AccountCheck]:
    """Yield the checks; a malformed response makes the remaining ones unknown."""
    try:
        yield from checks
    except MALFORMED_ANSWER as error:
        answer = malformed_answer("AWS", error)
        yield unknown(check, f"the rest of it: {label}", answer.why, answer.fix)
