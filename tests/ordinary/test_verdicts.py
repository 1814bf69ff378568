"""Every ordinary stack gets the verdict that its file states, with nothing wrong besides."""

import json
from collections import defaultdict
from datetime import date
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from gpuinfra.api import check_settings
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.rules import Verdict
from gpuinfra.rules.waivers import short_name
from tests.ordinary.programs import STACKS, Ordinary, read

DAY = date(2026, 11, 21)
FILES = sorted(STACKS.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_ordinary_stack_is_judged_as_its_file_says(file: Path, tmp_path: Path) -> None:
    stack = read(file)
    verdict = _checked(stack, tmp_path)
    violated: dict[str, set[str]] = defaultdict(set)
    for finding in verdict.findings:
        if finding.refuses:
            violated[finding.rule].add(short_name(finding.subject))

    assert violated == {rule: set(names) for rule, names in stack.violated.items()}
    assert verdict.ok is stack.passes


def _checked(stack: Ordinary, folder: Path) -> Verdict:
    settings, preview = folder / "settings.yaml", folder / "preview.json"
    YAML().dump(stack.settings, settings)
    preview.write_text(json.dumps(stack.preview()))
    read_settings = check_settings.read(settings, None, DAY)
    return check_file(preview, read_settings, DAY).report.verdict
