"""`gpuinfra doctor SOURCE` against moto, and where nobody answers."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import boto3
import pytest

from gpuinfra.cli.commands import doctor_account
from gpuinfra.clouds.account_check import AccountCheck, AccountReport
from tests.cli.conftest import Run

pytestmark = pytest.mark.slow

STACK = """
version: 1
name: demo
owner: ml
budget: {per_hour: 500, per_month: 100000}
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1, us-west-2]}
training:
  trainer:
    instance: g6.8xlarge
    nodes: 2
    capacity: [spot, on-demand]
    machine_image: IMAGE
    duration: 4h
"""


TWO_CLOUDS = """
name: demo
owner: ml
budget: {per_hour: 500}
training:
  here: {gpu: "L4:1", where: {cloud: aws}, time_to_live: 8h}
  there: {gpu: "L4:1", where: {cloud: gcp}, time_to_live: 8h}
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "stack.yaml"
    file.write_text(STACK.replace("IMAGE", "ami-0123456789abcdef0"))
    return file


@pytest.fixture
def account(address: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An account with an image that the stack file names; gives the address of its cloud."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nobody")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    ec2 = boto3.client("ec2", region_name="us-east-1", endpoint_url=address)
    images = ec2.describe_images(Filters=[{"Name": "architecture", "Values": ["x86_64"]}])
    path.write_text(STACK.replace("IMAGE", images["Images"][0]["ImageId"]))
    return address


def states(out: str) -> dict[str, list[str]]:
    by_check: dict[str, list[str]] = {}
    for check in json.loads(out)["checks"]:
        by_check.setdefault(check["check"], []).append(check["state"])
    return by_check


def test_what_is_answered_is_fine_and_the_rest_is_unknown(
    gpuinfra: Run, account: str, path: Path
) -> None:
    ran = gpuinfra("doctor", path, "--cloud", "aws", "--endpoint-url", account, "--json")

    assert ran.code == 0, ran.out + ran.err
    assert states(ran.out) == {
        "caller": ["ok"],
        "quota": ["unknown"],
        "network quota": ["ok", "unknown"],
        "offered": ["ok"],
        "image": ["ok"],
        "disk": ["ok"],
        "right": ["unknown", "unknown"],
    }
    answer = json.loads(ran.out)
    assert answer["counts"] == {"ok": 5, "problem": 0, "unknown": 4}
    assert answer["account"] == "123456789012"
    strict = gpuinfra("doctor", path, "--endpoint-url", account, "--strict")
    assert strict.code == 1
    assert "4 unknown" in strict.out
    assert "no answer, and do not count as passed" in strict.err
    assert "this does not promise capacity: only `gpuinfra up`" in strict.err


def test_every_rung_is_looked_at_on_request(
    gpuinfra: Run, account: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", account)

    ran = gpuinfra("doctor", path, "--all-rungs", "--json")

    of = [check["what"] for check in json.loads(ran.out)["checks"] if check["check"] == "offered"]
    assert [what.rpartition(" on ")[2] for what in of] == [
        *("spot@us-east-1", "on-demand@us-east-1"),
        *("spot@us-west-2", "on-demand@us-west-2"),
    ]


def test_a_problem_is_exit_1_and_comes_first(gpuinfra: Run, account: str, path: Path) -> None:
    path.write_text(STACK.replace("IMAGE", "ami-0123456789abcdef0"))

    ran = gpuinfra("doctor", path, "--endpoint-url", account)

    assert ran.code == 1
    rows = [line.split()[:2] for line in ran.out.splitlines() if line.strip()[:1] in "✗?✓"]
    assert ["✗", "image"] in rows
    assert rows.index(["✗", "image"]) < rows.index(["✓", "caller"])
    assert "  fix: use the id of an image of this region that the account may use" in ran.out


def test_where_nobody_answers_it_is_exit_3(gpuinfra: Run, account: str, path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    ran = gpuinfra("doctor", path, "--endpoint-url", f"http://127.0.0.1:{port}")

    assert ran.code == 3
    assert "0 ok, 0 problem" in ran.out
    assert "Traceback" not in ran.out + ran.err


def test_without_credentials_it_says_how_to_log_in(
    gpuinfra: Run, path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))

    ran = gpuinfra("doctor", path, "--cloud", "aws")

    assert ran.code == 3
    assert "no valid AWS credentials" in ran.err
    assert "AWS_PROFILE" in ran.err


def test_without_boto3_it_says_how_to_install_it(
    gpuinfra: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = find_spec
    monkeypatch.setattr(
        doctor_account, "find_spec", lambda name: None if name == "boto3" else real(name)
    )

    ran = gpuinfra("doctor", path, "--cloud", "aws")

    assert ran.code == 2
    assert "pip install 'gpuinfra[aws]'" in ran.err


@pytest.mark.parametrize("options", [[], ["--cloud"]])
@pytest.mark.parametrize(
    ("cloud", "command"),
    [
        ("gcp", "gcloud compute regions describe us-central1"),
        ("azure", "az vm list-usage --location eastus --output table"),
    ],
)
def test_another_cloud_s_account_is_not_asked_yet(
    gpuinfra: Run, quickstart: Path, cloud: str, command: str, options: list[str]
) -> None:
    named = [*options, cloud] if options else []
    ran = gpuinfra("doctor", quickstart.parent / f"startup-{cloud}", *named)
    text = " ".join(ran.err.split())

    assert ran.code == 2
    assert f"{cloud} accounts can't be checked yet, only aws accounts" in text
    assert command in text


def test_a_stack_of_another_cloud_has_nothing_to_ask(gpuinfra: Run, quickstart: Path) -> None:
    ran = gpuinfra("doctor", quickstart.parent / "startup-gcp", "--cloud", "aws")

    assert ran.code == 2
    assert "this stack has no resources on aws" in ran.err
    assert "--cloud gcp" in ran.err


@pytest.mark.parametrize("option", [["--all-rungs"], ["--strict"], ["--cloud", "aws"]])
def test_options_about_a_stack_need_one(gpuinfra: Run, option: list[str]) -> None:
    ran = gpuinfra("doctor", *option)

    assert ran.code == 2
    assert "these options need SOURCE" in ran.err


def test_an_endpoint_that_is_no_address_is_bad_input(gpuinfra: Run, path: Path) -> None:
    ran = gpuinfra("doctor", path, "--endpoint-url", "moto")

    assert ran.code == 2
    assert "--endpoint-url is not an address" in ran.err


def test_all_that_is_wrong_is_told_at_once(
    gpuinfra: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_account, "find_spec", lambda _: None)
    path.write_text(path.read_text().replace("nodes: 2", "nodes: two"))

    ran = gpuinfra("doctor", path, "--endpoint-url", "moto")

    assert ran.code == 2
    assert "pip install 'gpuinfra[aws]'" in ran.err
    assert "--endpoint-url is not an address" in ran.err
    assert "training.trainer.nodes" in ran.err
    assert "3 problems" in ran.err


def test_without_credentials_the_other_cloud_s_quotas_are_told_too(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    (tmp_path / "stack.yaml").write_text(TWO_CLOUDS)

    ran = gpuinfra("doctor", tmp_path)

    assert ran.code == 3
    assert "list the quotas yourself: gcloud compute regions describe" in " ".join(ran.err.split())
    assert "error: no valid AWS credentials" in ran.err
    assert "gcloud" not in gpuinfra("doctor", tmp_path, "--cloud", "aws").err


def test_each_way_out_is_told_once() -> None:
    quota = AccountCheck(check="quota", item="a", state="unknown", result="?", fix="wait")
    other = AccountCheck(check="image", item="b", state="unknown", result="?", fix="wait")
    bad = AccountCheck(check="key", item="c", state="problem", result="no", fix="mend")

    assert list(doctor_account.fix_lines((bad, quota, other))) == [
        "✗ key of c",
        "  fix: mend",
        "? 2 checks (quota, image)",
        "  fix: wait",
    ]


@pytest.mark.parametrize(
    ("states_", "strict", "code"),
    [
        (("ok",), True, 0),
        (("ok", "unknown"), False, 0),
        (("ok", "unknown"), True, 1),
        (("ok", "unknown", "problem"), False, 1),
        (("unknown",), False, 3),
        (("unknown", "problem"), False, 1),
    ],
)
def test_the_exit_code(states_: tuple[str, ...], strict: bool, code: int) -> None:
    checks = tuple(AccountCheck(check="x", item="x", state=state, result="") for state in states_)
    seen = AccountReport(account=None, caller=None, checks=checks)

    assert doctor_account.exit_code(seen, strict=strict) == code


def test_doctor_without_a_stack_asks_no_account() -> None:
    code = """
import contextlib, io, sys
from gpuinfra.cli import run
with contextlib.redirect_stdout(io.StringIO()):
    run(["doctor", "--json"])
assert "gpuinfra.clouds.aws.account.client" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
