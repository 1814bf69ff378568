"""`gpuinfra doctor`: installed and missing software; with SOURCE, an account's limits."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import click

from gpuinfra.cli.commands import doctor_account
from gpuinfra.cli.options import Detail, details
from gpuinfra.cli.source import format_options, plan_options
from gpuinfra.cli.views.render import show_json, show_table
from gpuinfra.errors import EngineError, InputError, SandboxError

PACKAGES = (
    ("pydantic", "the stack file", "gpuinfra"),
    ("ruamel.yaml", "the stack file", "gpuinfra"),
    ("pulumi", "preview, up, components", "gpuinfra[engine]"),
    ("pulumi-policy", "policy packs", "gpuinfra[engine]"),
    ("boto3", "the sandbox", "gpuinfra[sandbox]"),
    ("moto", "the sandbox", "gpuinfra[sandbox]"),
)
"""Package, what it is for, and the extra that brings it."""

CLOUDS = (
    ("pulumi-aws", "AWS resources", "gpuinfra[aws]"),
    ("pulumi-gcp", "Google Cloud resources", "gpuinfra[gcp]"),
    ("pulumi-azure-native", "Azure resources", "gpuinfra[azure]"),
)
"""The same for each cloud; one of them is enough."""


_COLUMNS: Final = ("", "what", "found")


@dataclass(frozen=True, kw_only=True)
class DoctorRow:
    """The result of one installation check, with a fix if it failed."""

    item: str
    result: str
    ok: bool
    fix: str = ""


@click.command("doctor")
@click.argument("source", required=False, type=click.Path(path_type=Path))
@doctor_account.options
@plan_options
@format_options
@details("--quiet")
def command(
    source: Path | None,
    account: doctor_account.DoctorOptions,
    as_of: datetime | None,
    rung: tuple[str, ...],
    format_: str,
    detail: Detail,
) -> int:
    """Look at Python, packages, engine and sandbox; exit 3 if something needed is missing.

    With SOURCE, a stack file: ask the cloud, with your own credentials, whether the account
    allows it: quotas, zones, reservations, subnets, images, rights. Nothing is changed there.
    Exit 1 for a problem, 3 without credentials or any answer; unknown is counted apart.
    """
    if source is not None:
        return doctor_account.check_account(
            source, account, as_of=as_of, rung=rung, format_=format_, detail=detail
        )
    if as_of is not None or rung or account != doctor_account.DoctorOptions():
        fix = "add the stack file, for example gpuinfra doctor stack.yaml --cloud aws"
        raise InputError.of("these options need SOURCE", fix=fix)
    installed = tuple(installation_rows())
    if format_ == "json":
        show_json(installed)
    else:
        shown_rows = [row for row in installed if detail != "quiet" or not row.ok]
        _show(shown_rows)
    return 0 if all(row.ok for row in installed) else 3


def _show(doctor_rows: Sequence[DoctorRow]) -> None:
    """Print the rows as a table; the last column appears only if something is missing."""
    rows = [
        ("✓" if row.ok else "✗", row.item, _abbreviate_home(row.result), row.fix)
        for row in doctor_rows
    ]
    columns = (*_COLUMNS, "fix") if any(row.fix for row in doctor_rows) else _COLUMNS
    if rows:
        show_table(columns, [row[: len(columns)] for row in rows])


def _abbreviate_home(text: str) -> str:
    """Return the text with the home folder abbreviated to ~."""
    home_prefix = f"{Path.home()}{os.sep}"
    return text.replace(f" {home_prefix}", " ~/") if len(home_prefix) > 1 + len(os.sep) else text


def installation_rows() -> Iterator[DoctorRow]:
    """Yield the state of everything that the commands need."""
    yield DoctorRow(
        item="Python", result=f"{platform.python_version()} at {sys.executable}", ok=True
    )
    for name, use, extra in PACKAGES:
        yield _package(name, use, extra)
    has_cloud_package = any(_installed_version(name) for name, _, _ in CLOUDS)
    for name, use, extra in CLOUDS:
        row = _package(name, use, extra)
        yield replace(row, ok=True) if has_cloud_package else row
    if _installed_version("pulumi"):
        yield _engine()
    if _installed_version("moto"):
        yield _sandbox()
    yield _program("go", "builds the engine if necessary")
    yield _program("aws", "manual checks")


def _installed_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _package(name: str, use: str, extra: str) -> DoctorRow:
    version = _installed_version(name)
    fix = "" if version else f"pip install '{extra}'"
    return DoctorRow(
        item=f"{name} ({use})", result=version or "missing", ok=bool(version), fix=fix
    )


def _program(name: str, use: str) -> DoctorRow:
    path = shutil.which(name)
    return DoctorRow(item=f"{name} ({use})", result=path or "not on PATH; optional", ok=True)


def _engine() -> DoctorRow:
    from gpuinfra.engine import install  # noqa: PLC0415

    try:
        engine = install.find()
    except EngineError as error:
        return DoctorRow(
            item="Pulumi engine", result=str(error), ok=False, fix="gpuinfra engine install"
        )
    engine_text = f"{engine.version} at {engine.path} ({engine.origin})"
    return DoctorRow(item="Pulumi engine", result=engine_text, ok=True)


def _sandbox() -> DoctorRow:
    from gpuinfra import sandbox  # noqa: PLC0415

    try:
        status = sandbox.status()
    except SandboxError as error:
        return DoctorRow(item="sandbox", result=str(error), ok=False, fix="gpuinfra sandbox reset")
    sandbox_text = (
        f"running at {status.endpoint}" if status.running else "not running; up starts it"
    )
    return DoctorRow(item="sandbox", result=sandbox_text, ok=True)
