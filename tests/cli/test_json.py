import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.documents import DOCUMENT, documented


@pytest.mark.parametrize(
    "command",
    [("check",), ("plan",), ("cost",), ("choose", "L4:1"), ("commitments",), ("doctor",)],
)
def test_the_documented_keys_are_the_real_ones(
    gpuinfra: Run, quickstart: Path, command: tuple[str, ...]
) -> None:
    needs_source = command[0] in {"check", "plan", "cost", "commitments"}
    answer = json.loads(gpuinfra(*command, *([quickstart] if needs_source else []), "--json").out)
    first = answer[0] if isinstance(answer, list) else answer

    assert set(first) == documented()[command[0]]


def keys_of(kind: type[Any]) -> set[str]:
    """Return the JSON keys of a record's fields."""
    from gpuinfra.cli.views.plan_rows import other_keys

    return {other_keys(kind).get(field.name, field.name) for field in fields(kind)}


def test_what_stands_in_the_sandbox_has_the_documented_keys() -> None:
    from gpuinfra import sandbox

    assert keys_of(sandbox.SandboxResource) == documented()["sandbox ls"]
    assert keys_of(sandbox.SandboxStatus) == documented()["sandbox status"]


def test_a_refused_up_is_json_alone(
    tmp_path: Path, quickstart: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from gpuinfra.cli.commands import up
    from gpuinfra.cli.source import load

    path = tmp_path / "stack.yaml"
    text = (quickstart / "stack.yaml").read_text()
    path.write_text(text.replace("per_hour: 8", "per_hour: 1", 1))

    assert up.refuse(load(path), "json", "normal", verb="up") == 1
    assert json.loads(capsys.readouterr().out)["ending"] == "refused"


def test_a_finding_has_its_place_in_the_file(gpuinfra: Run, quickstart: Path) -> None:
    findings = json.loads(gpuinfra("check", quickstart, "--json").out)["findings"]
    (cap,) = (finding for finding in findings if finding["rule"] == "cap-per-hour")

    lines = (quickstart / "stack.yaml").read_text().splitlines()
    assert "per_hour" in lines[cap["position"]["line"] - 1]
    assert cap["position"]["file"].endswith("stack.yaml")


def test_every_key_of_what_is_nested_is_documented() -> None:
    """Parts that no table of commands lists: a forecast, a score's value, a model's request."""
    from gpuinfra.catalog.scoring.score import ScoreValue
    from gpuinfra.catalog.sizing.model_request import ModelRequest
    from gpuinfra.forecast.backtest import Trial
    from gpuinfra.forecast.commitment_advice import CommitmentAdvice, HeldOutTest, Month
    from gpuinfra.forecast.commitment_level import Level

    named = set(re.findall(r"`(\w+)`", DOCUMENT.read_text()))
    for kind in (ScoreValue, ModelRequest, CommitmentAdvice, Month, HeldOutTest, Trial, Level):
        assert keys_of(kind) - named == set(), kind.__name__


def test_the_unit_of_a_size_is_in_its_name_and_named() -> None:
    text = DOCUMENT.read_text()

    assert "memory in GiB" not in text
    for ending in ("_gib", "_gb", "_gbps", "_gbs", "_tflops"):
        assert f"`{ending}`" in text
