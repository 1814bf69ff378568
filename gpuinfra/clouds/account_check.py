"""The result of an account check: ok, a problem, or unknown."""

from collections.abc import Callable
from typing import Final, Literal

from gpuinfra.records import record

TIME_LIMIT_S: Final = 60.0
"""For all requests to an account together, by default."""

State = Literal["ok", "problem", "unknown"]


@record
class AccountCheck:
    """The result of one account check.

    Attributes:
        check: which check it is, for example quota.
        item: the checked item, in the user's words.
        state: ok, problem, or unknown: the check got no answer, which never counts as ok.
        result: the actual value; for unknown, why it is unknown.
        allowed: the required value.
        fix: what to change; empty when the check passes.
    """

    check: str
    item: str
    state: State
    result: str
    allowed: str = ""
    fix: str = ""


def answered_check(
    check: str, label: str, *, fine: bool, value: str, allowed: str = "", fix: str = ""
) -> AccountCheck:
    """Return a check with an answer; the fix is kept only for a problem."""
    state: State = "ok" if fine else "problem"
    return AccountCheck(
        check=check,
        item=label,
        state=state,
        result=value,
        allowed=allowed,
        fix="" if fine else fix,
    )


def unknown(check: str, label: str, reason: str, fix: str, allowed: str = "") -> AccountCheck:
    """Return a check without an answer."""
    return AccountCheck(
        check=check, item=label, state="unknown", result=reason, allowed=allowed, fix=fix
    )


def _no_progress(_: str) -> None:
    """Print nothing."""


@record
class AccountQuery:
    """The settings of an account query.

    Attributes:
        all_rungs: check every rung of each ladder, not only the active one.
        timeout_seconds: for all requests together; what is not answered by then is unknown.
        endpoint: another address than the cloud's own.
        report_progress: called with each request.
    """

    all_rungs: bool = False
    timeout_seconds: float = TIME_LIMIT_S
    endpoint: str | None = None
    report_progress: Callable[[str], None] = _no_progress


@record
class AccountReport:
    """The check results of an account for a stack; account and caller are None if unknown."""

    account: str | None
    caller: str | None
    checks: tuple[AccountCheck, ...]

    def count(self, state: State) -> int:
        """Return how many checks came to this."""
        return sum(check.state == state for check in self.checks)
