"""`gpuinfra report`: where the page goes, and what it says without its extra."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import StackStatus, StandingResource
from gpuinfra.model import Resource
from tests.cli.conftest import STACKS, Run
from tests.pulumi_files.files import SECRET, SIGNATURE, entry, put, state

WITHOUT = """
import sys
sys.modules[{module!r}] = None
from gpuinfra.cli import run
sys.exit(run(["report", {stack!r}, "--output", {file!r}]))
"""


def test_the_page_is_written_and_the_verdict_told(gpuinfra: Run, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    ran = gpuinfra("report", STACKS / "quickstart", "--output", file)

    assert (ran.code, ran.out.split()) == (0, f"{file}: PASS, 1 warning".split())
    assert file.read_text().startswith("<!doctype html>")


def test_a_page_of_a_stack_that_fails_is_written_too(gpuinfra: Run, tmp_path: Path, stack) -> None:
    file = tmp_path / "page.html"
    ran = gpuinfra("report", stack(("per_hour: 8", "per_hour: 0.1")), "--output", file)

    assert ran.code == 0
    assert "FAIL," in ran.out.split()
    assert "FAIL, " in file.read_text()


def test_the_page_is_printed(gpuinfra: Run) -> None:
    ran = gpuinfra("report", STACKS / "quickstart", "--output", "-")

    assert ran.out.startswith("<!doctype html>")
    assert ran.out.endswith("</html>\n")


def test_a_named_rung_stands_on_the_page(gpuinfra: Run) -> None:
    named = gpuinfra("report", STACKS / "quickstart", "--rung", "trainer=on-demand", "--output=-")

    assert "trainer was put on the rung on-demand by --rung" in named.out


def test_the_rung_that_is_deployed_is_active_on_the_page(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = Resource(urn="urn:a", type="aws:s3/bucket:Bucket", name="data", inputs={})
    resource = StandingResource(
        resource=bucket, id="data", custom=True, created=None, modified=None
    )
    config = {"gpuinfra:rung.trainer": "on-demand@us-east-1"}
    standing = StackStatus(
        project="quickstart",
        target="sandbox",
        resources=(resource,),
        pending=(),
        outputs={},
        config=config,
        updated=None,
    )
    monkeypatch.setattr(lifecycle, "current_status", lambda _: standing)
    page = gpuinfra("report", STACKS / "quickstart", "--target", "sandbox", "--output=-").out
    ladder = page.partition("<h3>trainer</h3>")[2].partition("</table>")[0]
    first, second = ladder.split("<tr class")[1:]

    assert "before the active one" in first
    assert ">active<" in second
    assert "on-demand@us-east-1" in second
    assert "trainer is on the rung on-demand@us-east-1, as of the last up" in page


def test_what_is_not_deployed_has_no_page_as_deployed(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lifecycle, "current_status", lambda _: None)
    file = tmp_path / "page.html"
    ran = gpuinfra("report", STACKS / "quickstart", "--target", "sandbox", "--output", file)

    assert ran.code == 2
    assert "nothing of this stack is deployed in the sandbox" in ran.err
    assert not file.exists()


def test_a_folder_that_is_not_there_is_refused(gpuinfra: Run, tmp_path: Path) -> None:
    ran = gpuinfra("report", STACKS / "quickstart", "--output", tmp_path / "no" / "page.html")

    assert ran.code == 2
    assert "the report can't be written" in ran.err


@pytest.mark.parametrize("module", ["jinja2", "matplotlib"])
def test_without_its_extra_the_command_says_what_to_install(module: str, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    code = WITHOUT.format(module=module, stack=str(STACKS / "quickstart"), file=str(file))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert f"the Python package {module} is not installed" in done.stderr
    assert "gpuinfra[report]" in done.stderr
    assert not file.exists()


def test_a_secret_of_a_state_is_not_on_the_page(gpuinfra: Run, tmp_path: Path) -> None:
    secret = {SIGNATURE: SECRET, "plaintext": json.dumps("p9.hunter22")}
    path = put(tmp_path, state(entry("gpu", id="i-1", inputs={"instanceType": secret})))
    ran = gpuinfra("report", path, "--output", "-")

    assert "p9.hunter22" in path.read_text()
    assert ran.code == 0
    assert "hunter22" not in ran.out
