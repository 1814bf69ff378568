"""A preview judged by every rule against Checkov over the same resources as a Terraform plan."""

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Mapping
from pathlib import Path

from platformdirs import user_cache_path

from tests.benchmarks import Skipped, twins
from tests.benchmarks.cold import seconds

VERSION = "3.3.30"
RESOURCES = 1_000
RUNS = 3
LIMIT = 0.1

SAME = (
    *("CKV_AWS_79", "CKV_AWS_341"),  # machine metadata, its hop limit
    *("CKV_AWS_3", "CKV_AWS_8", "CKV_AWS_19"),  # disks and buckets are encrypted
    "CKV_AWS_88",  # public addresses
    "CKV_AWS_46",  # secrets in user data
    *("CKV_AWS_24", "CKV_AWS_25", "CKV_AWS_260"),  # firewalls that the world may pass
    *("CKV_AWS_20", "CKV_AWS_53", "CKV_AWS_54", "CKV_AWS_55", "CKV_AWS_56", "CKV_AWS_57"),
    *("CKV2_AWS_6", "CKV2_AWS_65"),  # closed buckets
    *("CKV_AWS_21", "CKV2_AWS_61", "CKV_AWS_300"),  # versions and lifecycles
    "CKV_AWS_153",  # tags
)
"""Checks on what rules of ours judge as well; ours on money, spot and fabrics have no twin."""


def against_checkov() -> Iterator[tuple[str, float, float, str]]:
    """Processor time of both from a cold start, interleaved, the least of each.

    Checkov has an environment of its own, made once in the user's cache. Each writes its table,
    which is what it does by itself; what they found is counted in a run apart.

    Raises:
        Skipped: Checkov can't be installed.
    """
    program = installed()
    with tempfile.TemporaryDirectory() as folder:
        preview, plan = Path(folder) / "preview.json", Path(folder) / "plan.json"
        count = twins.preview(preview, RESOURCES)
        if twins.plan(plan, RESOURCES) != count:
            raise AssertionError("the twins differ")
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/cache"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        ours = [sys.executable, "-m", "gpuinfra.cli", "check", str(preview)]
        theirs = [str(program), "--file", str(plan), "--framework", "terraform_plan"]
        theirs += ["--check", ",".join(SAME), "--skip-download", "--compact", "--quiet"]
        judged, checked = _ours(ours, environment), _theirs(theirs, environment)
        if checked["resource_count"] != count:
            raise AssertionError(f"Checkov saw {checked['resource_count']} of {count} resources")
        taken = [
            [seconds(command, environment, code=1) for command in (ours, theirs)]
            for _ in range(RUNS)
        ]
    high, low = (min(row[at] for row in taken) for at in (0, 1))
    details = (
        f"{high:.2f} s for {judged:,} findings / {low:.2f} s for"
        f" {checked['passed'] + checked['failed']:,} of Checkov {checked['checkov_version']},"
        f" {low / high:.1f} times as long"
    )
    yield f"check, preview of {count:,} resources / Checkov", high / low, LIMIT, details


def _ours(command: list[str], environment: Mapping[str, str]) -> int:
    findings = _json([*command, "--format", "json"], environment)["findings"]
    return sum(finding["outcome"] != "not-applicable" for finding in findings)


def _theirs(command: list[str], environment: Mapping[str, str]) -> dict[str, int]:
    return _json([*command, "--output", "json"], environment)["summary"]


def _json(command: list[str], environment: Mapping[str, str]) -> dict:
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode != 1:
        raise AssertionError(f"{command[:3]} ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def installed() -> Path:
    """Checkov in an environment of its own.

    Raises:
        Skipped: it can't be installed, with why.
    """
    home = user_cache_path("gpuinfra") / "benchmarks" / f"checkov-{VERSION}"
    program = home / "bin" / "checkov"
    if program.exists():
        return program
    venv.create(home, with_pip=True, clear=True)
    command = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    done = subprocess.run(
        [*command, f"checkov=={VERSION}"], check=False, capture_output=True, text=True
    )
    if done.returncode:
        program.unlink(missing_ok=True)
        raise Skipped(f"Checkov can't be installed: {done.stderr.strip()[-200:]}")
    return program
