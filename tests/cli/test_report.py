"""`gpuinfra report`: where the page goes, and what it says without its extra."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import StackStatus, StateResource
from gpuinfra.model import Resource
from tests.cli.conftest import STACKS, Run
from tests.fixes.conftest import WITHOUT_RDMA
from tests.pulumi_files.files import SECRET, SIGNATURE, entry, put, state

pytestmark = pytest.mark.slow

WITHOUT = """
import sys
sys.modules[{module!r}] = None
from gpuinfra.cli import run
sys.exit(run(["report", {stack!r}, "--output", {file!r}]))
"""


def test_the_page_is_written_and_the_verdict_told(gpuinfra: Run, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    ran = gpuinfra("report", STACKS / "quickstart", "--output", file)

    assert (ran.code, ran.out.split()) == (0, f"wrote {file}: PASS".split())
    assert file.read_text().startswith("<!doctype html>")


def test_a_page_of_a_stack_that_fails_is_written_too(gpuinfra: Run, tmp_path: Path, stack) -> None:
    file = tmp_path / "page.html"
    ran = gpuinfra("report", stack(("per_hour: 8", "per_hour: 0.1")), "--output", file)

    assert ran.code == 0
    told = f"FAIL, {' '.join(ran.out.split()).partition(': FAIL, ')[2]}"
    assert "; failing rules: cap-per-hour" in told
    assert f"<strong>{told}</strong>" in file.read_text()


def test_the_page_of_a_stack_without_a_cap_names_the_failing_rules(
    gpuinfra: Run, tmp_path: Path
) -> None:
    (tmp_path / "stack.yaml").write_text(
        "owner: me\nwhere: {regions: [us-east-1]}\n"
        "training: {tune: {gpu: L4:1, duration: 24h, capacity: spot}}\n"
    )
    ran = gpuinfra("report", tmp_path, "--output", tmp_path / "page.html")

    banner = "FAIL, 2 errors, 2 warnings; failing rules: no-cap (no cap is set), spot-checkpoints"
    assert banner in " ".join(ran.out.split())
    assert f"<strong>{banner}</strong>" in (tmp_path / "page.html").read_text()


def test_a_fabric_without_rdma_is_in_the_banner_which_is_not_green(
    gpuinfra: Run, tmp_path: Path
) -> None:
    (tmp_path / "stack.yaml").write_text(WITHOUT_RDMA.replace("required", "preferred"))
    page = gpuinfra("report", tmp_path, "--output=-").out
    (tmp_path / "stack.yaml").write_text(WITHOUT_RDMA.replace("required", "none"))
    without = gpuinfra("report", tmp_path, "--output=-").out

    banner = "PASS, 1 warning; lora: NCCL over GPUDirect-TCPX: no"
    assert f'<p class="verdict warn"><strong>{banner}</strong>' in page
    assert '<p class="verdict"><strong>PASS</strong>' in without
    assert ">first choice<" in page
    assert ">active<" not in page


def test_a_page_of_resources_proposes_the_edits_that_check_names(
    gpuinfra: Run, tmp_path: Path
) -> None:
    inputs = {"instanceType": "g6.xlarge", "availabilityZone": "us-east-1a"}
    machine = entry("one", id="i-1", inputs=inputs)
    path = put(tmp_path, state(machine))
    page = gpuinfra("report", path, "--output", "-").out

    assert "to fix " in gpuinfra("check", path).out
    assert '<h2 id="fixes">Proposed fixes</h2>' in page
    assert ">active<" in page


def test_without_a_file_it_is_named_after_the_stack(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # a page of ours is written over
        assert gpuinfra("report", STACKS / "training").out.startswith("wrote llama-sft.html: PASS")
    assert [path.name for path in tmp_path.iterdir()] == ["llama-sft.html"]


@pytest.mark.parametrize("there", ["my notes", "<!doctype html><html></html>", "\xff\xfe"])
def test_what_gpuinfra_did_not_write_is_not_overwritten(
    gpuinfra: Run, tmp_path: Path, there: str
) -> None:
    file = tmp_path / "page.html"
    file.write_text(there, encoding="latin-1")
    ran = gpuinfra("report", STACKS / "quickstart", "--output", file)

    assert ran.code == 2
    assert "the file exists, and gpuinfra did not write it" in ran.err
    assert file.read_text(encoding="latin-1") == there


def test_a_page_of_a_stack_that_fails_proposes_fixes(gpuinfra: Run, stack) -> None:
    path = stack(("per_hour: 8", "per_hour: 5"))
    told = gpuinfra("report", path, "--output=-").out

    assert '<h2 id="fixes">Proposed fixes</h2>' in told
    assert 'id="fixes"' not in gpuinfra("report", STACKS / "training", "--output=-").out


def test_what_no_key_mends_is_noted(gpuinfra: Run) -> None:
    page = gpuinfra("report", STACKS / "startup-gcp", "--output=-").out

    assert "1 note, no change required" in page
    assert "secure-boot: training.trainer: its machine type supports secure boot" in page


def test_what_may_keep_it_from_running_stands_at_the_top(gpuinfra: Run, tmp_path: Path) -> None:
    file = tmp_path / "stack.yaml"
    ladder = "    capacity: [spot, on-demand]\n"
    text = (STACKS / "training/stack.yaml").read_text().replace("us-east-2", "us-east-1")
    file.write_text(text.replace(ladder, f"{ladder}    max_price: 40\n"))
    page = gpuinfra("report", file, "--output=-").out
    top = page.partition("<main>")[0]

    assert "<strong>May not run:</strong> trainer: spot p5.48xlarge in us-east-1 cost $55." in top
    assert "The expected cost is" in page.partition('id="findings"')[0]
    assert "May not run" not in gpuinfra("report", STACKS / "research-gcp", "--output=-").out


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
    resource = StateResource(resource=bucket, id="data", custom=True, created=None, modified=None)
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
    assert "on-demand@</span><wbr><span>us-east-1" in second
    assert (
        "trainer is on the rung on-demand@us-east-1, as of the last <code>gpuinfra up</code>"
        in page
    )


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
    words = " ".join(ran.err.split())
    assert f"error: the folder {tmp_path / 'no'} does not exist" in words
    assert "fix: create the folder first" in words


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
