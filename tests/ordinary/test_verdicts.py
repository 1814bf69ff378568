"""Every ordinary stack gets the verdict that its file states, and a way out of each refusal."""

import json
from collections import defaultdict
from datetime import date
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from gpuinfra.api import check_settings
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.rules import Verdict
from gpuinfra.rules.rule import Finding
from gpuinfra.rules.waivers import short_name
from tests.ordinary.programs import Ordinary, every_stack, read

DAY = date(2026, 11, 21)
MISSING_PRICE = "price-unknown"


@pytest.mark.parametrize("file", every_stack(), ids=lambda file: file.stem)
def test_an_ordinary_stack_is_judged_as_its_file_says(file: Path, tmp_path: Path) -> None:
    stack = read(file)
    verdict = checked(stack, tmp_path)
    refusals = [finding for finding in verdict.findings if finding.refuses]
    unknown = [finding for finding in refusals if is_unknown(finding)]
    violated = [finding for finding in refusals if not is_unknown(finding)]

    assert by_rule(violated) == stack.violated
    assert by_rule(unknown) == stack.unknown
    assert verdict.ok is (stack.verdict == "fine")
    assert [finding.rule for finding in refusals if not finding.fix] == []


def is_unknown(finding: Finding) -> bool:
    """Return whether a finding speaks of what isn't known; a price that is in no table, too."""
    return finding.outcome == "not-knowable" or finding.rule == MISSING_PRICE


def by_rule(findings: list[Finding]) -> dict[str, set[str]]:
    """Return the names of the resources that findings are about, by the rules' ids."""
    names: dict[str, set[str]] = defaultdict(set)
    for finding in findings:
        names[finding.rule].add(short_name(finding.subject))
    return dict(names)


def checked(stack: Ordinary, folder: Path) -> Verdict:
    """Return what `gpuinfra check` says of a stack's preview under its settings."""
    settings, preview = folder / "settings.yaml", folder / "preview.json"
    YAML().dump(stack.settings, settings)
    preview.write_text(json.dumps(stack.preview()))
    read_settings = check_settings.read(settings, None, DAY)
    return check_file(preview, read_settings, DAY).report.verdict
