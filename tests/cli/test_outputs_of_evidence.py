"""Every format over a preview whose names are made to break out of it."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from tests.cli.conftest import Run
from tests.pulumi_files.files import digest, entry, step, urn
from tests.report.cases import HOSTILE
from tests.report.schemas import SARIF


@pytest.fixture
def preview(tmp_path: Path) -> Path:
    """A preview with one machine under each hostile name."""
    steps = [step(newState=entry(name), urn=urn(name)) for name in HOSTILE if "\ud800" not in name]
    path = tmp_path / "preview.json"
    path.write_text(json.dumps(digest(*steps)))
    return path


def test_each_format_holds(gpuinfra: Run, preview: Path, tmp_path: Path) -> None:
    names = ("sarif", "junit", "github", "markdown", "json", "table")
    files = {name: tmp_path / name for name in names}
    options = [part for name, file in files.items() for part in ("--output", f"{name}={file}")]

    ran = gpuinfra("check", preview, *options)

    assert ran.code == 1
    log = json.loads(files["sarif"].read_text())
    SARIF.validate(log)
    places = [result["locations"][0] for result in log["runs"][0]["results"]]
    assert any("urn:pulumi" in str(place.get("logicalLocations")) for place in places)
    assert len(
        {str(result["partialFingerprints"]) for result in log["runs"][0]["results"]}
    ) == len(places)
    cases = list(ET.parse(files["junit"]).iter("testcase"))  # noqa: S314 - our own
    assert len(cases) == len(json.loads(files["json"].read_text())["findings"])
    for line in files["github"].read_text().splitlines()[:-1]:
        assert re.match(r"::(error|warning) (file=[^,:]*,line=\d+,col=\d+,)?title=[^,:]*::", line)
    assert "<script" not in MarkdownIt("commonmark", {"html": True}).render(
        files["markdown"].read_text()
    )
    for name in ("table", "github", "markdown", "sarif"):
        text = files[name].read_text()
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert not re.search(r"^\s*::", files["table"].read_text(), re.MULTILINE)
