"""`gpuinfra check` of Pulumi programs, as a user meets it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.documents import documented

ROOT = Path(__file__).parents[2]
STACKS = ROOT / "stacks"
DEPLOY = ROOT / "docs" / "how-to" / "deploy.md"
STRANGERS = ROOT / "tests" / "sandbox" / "strangers"
DAY = ("--as-of", "2026-11-21")

SETTINGS = """
budget: {per_hour: 10, per_month: 6000}
prices: {accept_outdated: true}
"""

e2e = pytest.mark.e2e


@pytest.fixture
def settings(tmp_path):
    path = tmp_path / "settings.yaml"
    path.write_text(SETTINGS)
    return path


def by_rule(answer):
    return {(finding["rule"], finding["outcome"]) for finding in answer["findings"]}


@e2e
def test_the_shipped_program_is_fine_by_what_is_said_of_it(gpuinfra, settings):
    ran = gpuinfra("check", STACKS / "import-components", "-v", "--settings", settings, *DAY)

    assert ran.code == 0
    assert ran.err.startswith(f"running the code of {STACKS / 'import-components'} (python)")
    assert ran.out.splitlines()[-1].startswith("PASS, ")
    assert "37 resources of the program's preview" in ran.out
    assert "previewed by the sandbox's plugins, from an empty state" in ran.out
    assert "NCCL over RDMA: yes" in ran.out
    assert "Traceback" not in ran.err


PLACE = """
import pulumi_aws as aws
vpc = aws.ec2.Vpc("own", cidr_block="10.0.0.0/16")
private_subnet = aws.ec2.Subnet("own", vpc_id=vpc.id, cidr_block="10.0.0.0/20")
"""


@e2e
def test_the_components_of_the_docs_are_fine_by_what_they_declare(gpuinfra, town, settings):
    page = DEPLOY.read_text()
    (example,) = re.findall(r"```python\n(from gpuinfra import .*?)```", page, re.DOTALL)
    settings.write_text("budget: {per_hour: 200}\nprices: {accept_outdated: true}\n")
    ran = gpuinfra(
        "check",
        town(PLACE + example),
        "-v",
        "--settings",
        settings,
        "--config",
        "aws:region=us-east-1",
        *DAY,
    )

    assert ran.code == 0, ran.out + ran.err
    assert "✓ spot-checkpoints:" in ran.out
    assert "NCCL over RDMA: yes" in ran.out


@e2e
def test_a_program_that_refers_to_another_stack_is_judged_and_the_stack_is_named(gpuinfra):
    ran = gpuinfra("check", STACKS / "import-consumer", "--config", "aws:region=us-east-1", *DAY)

    assert ran.code == 1, ran.out + ran.err
    assert "✗ bucket-tls: aws:s3/bucket:Bucket evaluations" in ran.out
    assert "does not read other stacks: the outputs of organization/import-components/dev" in (
        " ".join(ran.out.split())
    )


@e2e
@pytest.mark.parametrize(
    ("program", "config", "expected"),
    [
        ("web_server", "aws:region=us-east-1", {"metadata-v2", "public-address"}),
        ("scaled_site", "aws:region=us-east-1", {"front-tls"}),
        ("data_intake", "aws:region=us-east-1", {"bucket-versioned-expiry"}),
        ("gpu_box", "gcp:project=town", {"no-cap", "public-address"}),
        ("web_fleet", "gcp:project=town", {"no-cap", "front-tls"}),
        ("azure_gpu_machine", "azure-native:location=eastus", {"no-cap", "public-address"}),
        ("azure_scaled_site", "azure-native:location=eastus", {"no-cap", "spot-only-pool"}),
    ],
)
def test_a_strangers_program_is_judged(program, config, expected, gpuinfra, town):
    folder = town((STRANGERS / f"{program}.py").read_text())
    zone = ("--config", "gcp:zone=us-central1-a")
    ran = gpuinfra("check", folder, "--config", config, *zone, "--json", *DAY)

    answer = json.loads(ran.out)
    assert ran.code == 1
    violated = {rule for rule, outcome in by_rule(answer) if outcome == "violated"}
    assert expected <= violated
    assert ("no-cap" in violated) is ("no-cap" in expected), "a cap is for GPUs"
    assert answer["resources"] > 5


@e2e
def test_the_verdict_in_json_says_how_it_was_made(gpuinfra, town, settings, tmp_path):
    sarif = tmp_path / "town.sarif"
    folder = town(**{"Pulumi.prod.yaml": "config: {aws:region: us-east-1}\n"})
    ran = gpuinfra(
        *("check", folder, "--settings", settings, "--json", *DAY),
        *("--output", f"sarif={sarif}"),
    )

    answer = json.loads(ran.out)
    assert set(answer) == documented()["check"] | documented()["check FILE.json"]
    assert answer["stack"] == "town/prod"
    assert answer["notes"] == [
        "previewed by the sandbox's plugins, from an empty state",
        "previewed as stack prod, with the configuration of Pulumi.prod.yaml",
        "run by gpuinfra's own Python and packages: Pulumi.yaml names no virtual environment",
    ]
    [new] = answer["coverage"]
    assert (new["type"], new["count"]) == ("aws:sagemaker/domain:Domain", 1)
    assert ("price-unknown", "violated") in by_rule(answer)
    assert json.loads(sarif.read_text())["version"] == "2.1.0"


@e2e
def test_waivers_beside_the_program_and_a_stack_file_hold(gpuinfra, town, quickstart):
    waiver = (
        "version: 1\nwaivers:\n  - {rule: bucket-tls, resource: data, reason: old, "
        "owner: me, until: 2026-12-01}\n"
    )
    folder = town(**{"gpuinfra.waivers.yaml": waiver})
    ran = gpuinfra(
        *("check", folder, "--stack", quickstart / "stack.yaml"),
        *("--config", "aws:region=us-east-1", "-v", *DAY),
    )

    assert ran.code == 1
    assert "✓ no-cap" in ran.out
    assert "~ bucket-tls" in ran.out


@e2e
@pytest.mark.parametrize("verb", ["cost", "plan"])
def test_a_program_is_priced_and_planned(verb, gpuinfra, town, quickstart):
    ran = gpuinfra(
        *(verb, town(), "--stack", quickstart / "stack.yaml"),
        *("--config", "aws:region=us-east-1", "--json", *DAY),
    )

    assert ran.code in {0, 1}
    assert set(json.loads(ran.out)) >= {{"cost": "quote", "plan": "plan"}[verb]}


@e2e
def test_a_page_of_a_program_names_the_program(gpuinfra, town):
    ran = gpuinfra("report", town(), "--config", "aws:region=us-east-1", "--output=-", *DAY)

    assert ran.code == 0
    assert "Pulumi program, previewed by the sandbox&#39;s plugins from an empty state" in ran.out
    assert "<code>Pulumi.yaml</code>" in ran.out


@e2e
def test_a_stack_file_s_program_is_run_when_that_is_asked(gpuinfra, quickstart):
    ran = gpuinfra("check", quickstart, "--program", *DAY)

    assert "running the code of" in ran.err
    assert ran.code == 0, ran.out


@e2e
def test_the_command_line_itself_loads_no_pulumi(town):
    folder = town()
    code = (
        "import sys\nfrom gpuinfra.cli import run\n"
        "assert run(['check', sys.argv[1], '--config', 'aws:region=us-east-1']) == 1\n"
        "print(sorted({'pulumi', 'grpc', 'boto3', 'moto', 'pulumi_aws'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], check=True, capture_output=True, text=True
    )

    assert done.stdout.splitlines()[-1] == "[]"


@e2e
def test_a_program_s_own_fault_is_bad_input(gpuinfra, town):
    ran = gpuinfra("check", town("def deep():\n    return {}['seven']\ndeep()\n"), *DAY)

    assert ran.code == 2
    assert ran.out == ""
    assert "the program failed: KeyError: 'seven'" in ran.err
    assert "__main__.py:3 > __main__.py:2" in ran.err
    assert "Traceback" not in ran.err


@e2e
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_all_of_it(number, town, tmp_path):
    folder = town(
        "import os, subprocess, time\nfrom pathlib import Path\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "Path(__file__).with_name('ran').write_text(f'{os.getpid()} {child.pid}')\n"
        "time.sleep(600)\n"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    code = "import sys; from gpuinfra.cli import run; sys.exit(run(sys.argv[1:]))"
    with subprocess.Popen(
        [sys.executable, "-c", code, "check", str(folder)],
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        until(lambda: (folder / "ran").exists() and (folder / "ran").read_text().count(" "))
        process.send_signal(number)
        _, told = process.communicate(timeout=30)

    assert process.returncode == 130
    assert told.splitlines()[-1] == "interrupted"
    assert list(temporary.iterdir()) == []
    for pid in (folder / "ran").read_text().split():
        until(lambda pid=pid: not alive(pid))


def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("runtime", ["nodejs", "go", "dotnet", "java"])
def test_another_language_is_said_to_be_untested(runtime, gpuinfra, town):
    ran = gpuinfra("check", town(project=f"name: town\nruntime: {runtime}\n"))

    assert ran.code == 2
    assert f"is a program in {runtime}, and its preview is untested\n" in ran.err
    assert "pulumi preview --json --show-sames > preview.json" in ran.err
    assert "running the code" not in ran.err


MOCKED = """
import pulumi, pulumi_aws as aws
class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return args.name, args.inputs
    def call(self, args):
        return {}
pulumi.runtime.set_mocks(Mocks())
aws.ec2.Instance("a", instance_type="p5.48xlarge", ami="ami-0123456789abcdef0")
"""


@e2e
@pytest.mark.parametrize("code", ["import sys\nsys.exit(0)", MOCKED])
def test_a_program_that_registers_nothing_is_told_of_by_its_folder(code, gpuinfra, town):
    place = town(code)
    ran = gpuinfra("check", place, "--config", "aws:region=us-east-1", *DAY)

    assert ran.code == 2
    assert "the preview has no resources" in ran.err
    assert str(place) in ran.err
    assert "sets mocks" in ran.err
    assert "preview.json" not in ran.err
