"""`gpuinfra doctor SOURCE`: check whether the user's account allows a stack."""

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.options import Command, Detail
from gpuinfra.cli.source import load
from gpuinfra.cli.views.render import clean, note, show_json, show_table, wrap_after
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.clouds.account_check import TIME_LIMIT_S, AccountCheck, AccountQuery, AccountReport
from gpuinfra.clouds.provider_contract import AccountChecker
from gpuinfra.errors import InputError, NotYetError, Problem
from gpuinfra.model import Plan
from gpuinfra.planning.observed_plan import workload_rows

SIGNS: Final = {"ok": "✓", "problem": "✗", "unknown": "?"}
"""The printed symbol of each check state."""

_MAX_SECONDS: Final = 3600.0
_NO_ANSWER: Final = 3
_NO_PROMISE: Final = (
    "this does not promise capacity: only `gpuinfra up` shows whether machines are free; "
    "`gpuinfra plan` shows the next rungs"
)


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """Options of `gpuinfra doctor` for checks of the account."""

    cloud: str | None = None
    all_rungs: bool = False
    strict: bool = False
    seconds: float = TIME_LIMIT_S
    endpoint: str | None = None


def options(command: Command) -> Command:
    """Add --cloud, --all-rungs, --strict, --timeout and --endpoint-url, given as `account`."""

    @click.option(
        "--cloud",
        type=click.Choice(CLOUDS),
        default=None,
        help="The account's cloud; default: that of the stack. So far only aws can be asked; for "
        "gcp and azure it prints the commands that list quotas.",
    )
    @click.option("--all-rungs", is_flag=True, help="Check every rung, not only the active one.")
    @click.option("--strict", is_flag=True, help="Exit 1 also if anything is unknown.")
    @click.option(
        "--timeout",
        "seconds",
        type=click.FloatRange(1, _MAX_SECONDS),
        default=TIME_LIMIT_S,
        show_default=True,
        help="Time limit in seconds for all requests; a check without a response is unknown.",
    )
    @click.option(
        "--endpoint-url",
        "endpoint",
        default=None,
        help="Use another endpoint than the cloud's own; AWS_ENDPOINT_URL does the same.",
    )
    @wraps(command)
    def run_with_account_options(**option_values: Any) -> Any:
        names = ("cloud", "all_rungs", "strict", "seconds", "endpoint")
        account = DoctorOptions(**{name: option_values.pop(name) for name in names})
        return command(account=account, **option_values)

    return run_with_account_options


def check_account(
    source: Path,
    options: DoctorOptions,
    *,
    as_of: datetime | None,
    rung: tuple[str, ...],
    format_: str,
    detail: Detail,
) -> int:
    """Check the account, show the results, and return the exit code."""
    problems = tuple(_problems(options))
    try:
        loaded = load(source, as_of=as_of, rung=rung)
        account = account_of(loaded.plan, options.cloud)
    except InputError as error:
        raise InputError((*problems, *error.problems)) from None
    if problems:
        raise InputError(problems)
    if not options.cloud and (others := _unasked_clouds(loaded.plan)):
        # before an error that the account can't be asked
        note(f"note: {_quota_commands(loaded.plan, others)}")
    with progress() as show_progress:
        result = account_report(account, loaded, options, show_progress)
    code = exit_code(result, strict=options.strict)
    if code or detail != "quiet" or format_ == "json":
        show(result, loaded, format_, failed_only=detail == "quiet")
    return code


def _problems(options: DoctorOptions) -> Iterator[Problem]:
    """Yield what keeps any account from being asked."""
    if find_spec("boto3") is None:
        yield Problem(
            message="the Python package boto3, which calls AWS, is not installed",
            fix="pip install 'gpuinfra[aws]'",
        )
    if options.endpoint is not None and not options.endpoint.startswith(("http://", "https://")):
        yield Problem(
            message="--endpoint-url is not an address",
            value=options.endpoint,
            allowed="an address, for example https://ec2.example.com or http://127.0.0.1:5000",
        )


def account_of(plan: Plan, cloud: str | None) -> AccountChecker:
    """Return the account checks of the named cloud, else of the plan's only cloud.

    Raises:
        InputError: the stack has nothing on that cloud.
        NotYetError: its account can't be asked yet.
    """
    clouds = list(dict.fromkeys(place for place, _ in plan.places))
    if cloud is not None and cloud not in clouds:
        message = f"this stack has no resources on {cloud}"
        fix = f"name a cloud of the stack, for example --cloud {clouds[0]}" if clouds else ""
        raise InputError.of(message, value=cloud, allowed=", ".join(clouds), fix=fix)
    accounts = [provider_of(name).account for name in ([cloud] if cloud else clouds)]
    account = next(
        (account_checks for account_checks in accounts if account_checks is not None), None
    )
    if account is None:
        raise NotYetError(_quota_commands(plan, [cloud] if cloud else clouds))
    return account


def _unasked_clouds(plan: Plan) -> Sequence[str]:
    """Return the clouds of a plan whose accounts can't be asked yet."""
    clouds = dict.fromkeys(place for place, _ in plan.places)
    return [name for name in clouds if provider_of(name).account is None]


def _quota_commands(plan: Plan, clouds: Sequence[str]) -> str:
    """Return that the accounts of clouds can't be asked, and the commands that list quotas."""
    commands = dict.fromkeys(
        provider_of(name).quota_command.format(region=region)
        for name, region in plan.places
        if name in clouds
    )
    return (
        f"{' and '.join(clouds)} accounts can't be checked yet, only aws accounts; "
        f"list the quotas yourself: {'; '.join(commands)}"
    )


def account_report(
    account: AccountChecker,
    stack_check: StackCheck,
    options: DoctorOptions,
    show_progress: Callable[[str], None],
) -> AccountReport:
    """Return the account's report for the stack."""
    return account.look(
        stack_check.plan,
        stack_check.stack,
        partial(workload_rows, stack_check.stack),
        AccountQuery(
            all_rungs=options.all_rungs,
            timeout_seconds=options.seconds,
            endpoint=options.endpoint,
            report_progress=show_progress,
        ),
    )


def exit_code(account_report: AccountReport, *, strict: bool) -> int:
    """Return 1 with a problem, 3 without any answer; unknown counts only if strict."""
    if account_report.count("problem"):
        return 1
    if not account_report.count("ok"):
        return _NO_ANSWER
    return 1 if strict and account_report.count("unknown") else 0


def show(
    account_report: AccountReport,
    stack_check: StackCheck,
    format_: str,
    *,
    failed_only: bool = False,
) -> None:
    """Print the checks, problems first, and how many have each state."""
    counts = {
        state: sum(check.state == state for check in account_report.checks) for state in SIGNS
    }
    if format_ == "json":
        show_json(
            {
                "stack": stack_check.stack.name,
                "account": account_report.account,
                "caller": account_report.caller,
                "checks": account_report.checks,
                "counts": counts,
            }
        )
        return
    order = ("problem", "unknown", "ok")
    shown_checks = [
        check for check in account_report.checks if not failed_only or check.state != "ok"
    ]
    ranked = sorted(shown_checks, key=lambda check: order.index(check.state))
    show_table(("", "check", "of", "found", "needed"), [_row(check) for check in ranked])
    for line in fix_lines(ranked):
        click.echo(line)
    total = ", ".join(f"{count} {state}" for state, count in counts.items())
    text = f"account {account_report.account}" if account_report.account else "an unknown account"
    click.secho(f"{clean(text)}: {total}", fg="red" if counts["problem"] else None)
    if counts["unknown"]:
        note("unknown checks got no answer, and do not count as passed")
    note(_NO_PROMISE)


def fix_lines(checks: Sequence[AccountCheck]) -> Iterator[str]:
    """Yield each fix once, with the checks it is for."""
    for fix in dict.fromkeys(check.fix for check in checks if check.fix):
        fixable = [check for check in checks if check.fix == fix]
        names = ", ".join(dict.fromkeys(check.check for check in fixable))
        checks_text = (
            f"{names} of {fixable[0].item}"
            if len(fixable) == 1
            else f"{len(fixable)} checks ({names})"
        )
        yield wrap_after(f"{SIGNS[fixable[0].state]} ", checks_text)
        yield wrap_after("  fix: ", fix)


def _row(check: AccountCheck) -> tuple[str, ...]:
    return (SIGNS[check.state], check.check, check.item, check.result, check.allowed)


@contextmanager
def progress() -> Generator[Callable[[str], None]]:
    """Show on a terminal which request is running; give the function that updates the line."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("asking AWS") as status:
        yield lambda words: status.update(f"calling AWS: {clean(words)}")
