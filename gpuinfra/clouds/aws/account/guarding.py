"""Keeps an answer that is not what the documentation says from ending all checks."""

from collections.abc import Iterator

from gpuinfra.clouds.account_check import AccountCheck, unknown
from gpuinfra.clouds.aws.account.unanswered import MALFORMED_ANSWER, garbled


def guarded(check: str, what: str, checks: Iterator[AccountCheck]) -> Iterator[AccountCheck]:
    """The checks; an answer that is not what the documentation says makes the rest unknown."""
    try:
        yield from checks
    except MALFORMED_ANSWER as error:
        answer = garbled("AWS", error)
        yield unknown(check, f"the rest of it: {what}", answer.why, answer.fix)
