"""A page is the same each time, of the command and of the API, and bounded."""

import os
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from gpuinfra import api
from gpuinfra.model import Resource
from gpuinfra.report.html.page import write
from gpuinfra.report.html.topology import topologies
from tests.report.cases import many
from tests.report.html.pages import DAY, STACKS, page_of
from tests.report.html.plans import content_named


@pytest.mark.slow
def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    def written(seed: str) -> bytes:
        file = tmp_path / f"{seed}.html"
        words = ["report", str(STACKS / "training"), "--output", str(file), "--as-of", DAY]
        subprocess.run(
            [sys.executable, "-m", "gpuinfra.cli", *words],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        return file.read_bytes()

    assert written("1") == written("2")


@pytest.mark.slow
def test_a_page_of_a_hundred_thousand_findings_is_bounded() -> None:
    content = content_named("x")
    group = content.plan.groups[0]
    crowd = tuple(replace(group, name=str(number)) for number in range(1_000))
    plan = replace(content.plan, groups=crowd)
    resources = [
        Resource(urn=f"net-{at}", type="aws:ec2/vpc:Vpc", name=f"net-{at}", inputs={})
        for at in range(1_000)
    ]
    nodes = "aws:autoscaling/group:Group"
    to_all = {"a": tuple(resource.urn for resource in resources)}
    resources.append(
        Resource(urn=group.subject, type=nodes, name="x", inputs={}, relations=to_all)
    )
    drawn = topologies(plan, resources, lambda group: group.subject, lambda _: "")
    text = write(replace(content, report=many(100_000), plan=plan, topology=drawn))

    assert len(text) < 1_000_000
    assert "… and 109800 more" in text
    assert "and 950 more workloads" in text
    assert "net-7, 992 more" in text


def test_the_python_api_gives_the_page_of_the_command(tmp_path: Path) -> None:
    checked = api.check(STACKS / "quickstart", as_of=date.fromisoformat(DAY))

    assert api.html_report(checked) == page_of(STACKS / "quickstart", tmp_path)
