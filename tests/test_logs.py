"""What is read and decided is logged, where there is a listener, and nothing secret with it."""

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuinfra import logs, rules
from gpuinfra.cli import run
from gpuinfra.pulumi_special_values import SECRET, SIGNATURE

QUICKSTART = Path(__file__).parents[1] / "stacks" / "quickstart"


@pytest.fixture(autouse=True)
def logger() -> Iterator[logging.Logger]:
    """The logger, as it was before after each test."""
    logger = logging.getLogger(logs.LOGGER)
    handlers, level = list(logger.handlers), logger.level
    yield logger
    logger.handlers[:] = handlers
    logger.setLevel(level)


@pytest.mark.parametrize(
    "arguments", [["--debug", "check"], ["check", "--debug"]], ids=["before", "behind"]
)
def test_debug_tells_what_is_read_and_decided(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, str(QUICKSTART)]) == 0

    printed = capsys.readouterr()
    assert f"read stack file {QUICKSTART / 'stack.yaml'}" in printed.err
    assert "planned trainer on aws: g6.8xlarge spot@us-east-1" in printed.err
    assert f"checked {len(rules.RULES) + 1} rules for " in printed.err, "with that of waivers"
    assert re.search(r"read table \S+aws/data/machines\.json: \d{4,} bytes", fresh(arguments))
    assert "metadata-v2 of training.trainer: fine: " in printed.err
    decided = re.findall(r"  (\S+) of \S+: [a-z-]+(?:, waived)?: ", printed.err)
    assert set(decided) >= {rule.id for rule in rules.RULES}
    assert "debug" not in printed.out


def fresh(arguments: list[str]) -> str:
    """The messages of a new process, which has read no table yet."""
    command = [sys.executable, "-m", "gpuinfra.cli", *arguments, str(QUICKSTART)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stderr


def test_no_secret_is_told_with_a_decision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = {SIGNATURE: SECRET, "plaintext": '"p9.hunter22"'}
    resource = {
        "urn": "urn:pulumi:dev::shop::aws:ec2/instance:Instance::box",
        "type": "aws:ec2/instance:Instance",
        "custom": True,
        "id": "i-1",
        "inputs": {"instanceType": secret, "availabilityZone": "us-east-1a"},
    }
    state = {"version": 3, "deployment": {"manifest": {}, "resources": [resource]}}
    (tmp_path / "state.json").write_text(json.dumps(state))

    run(["--debug", "check", str(tmp_path / "state.json")])

    told = capsys.readouterr().err
    assert f"price-unknown of {resource['urn']}: violated: " in told
    assert "hunter22" not in told


def test_a_waived_decision_is_told_as_such(caplog: pytest.LogCaptureFixture) -> None:
    closed, opened = (
        rules.Finding(outcome=outcome, subject="box", message=message, rule="open-login")
        for outcome, message in (("fine", "no login port"), ("violated", "port 22"))
    )
    verdict = rules.Verdict(findings=(closed,), waived=(opened,), waiver_indexes=(0,))
    verdict.log()
    with caplog.at_level(logging.DEBUG, logger=logs.LOGGER):
        verdict.log()

    assert caplog.messages == [
        "open-login of box: fine: no login port",
        "open-login of box: violated, waived: port 22",
    ]


def test_a_struck_rung_is_told_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (QUICKSTART / "stack.yaml").read_text().replace("per_hour: 8", "per_hour: 6")
    (tmp_path / "stack.yaml").write_text(text)

    run(["--debug", "check", str(tmp_path)])

    assert "struck on-demand@us-east-1 of trainer" in capsys.readouterr().err


def test_without_debug_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", str(QUICKSTART)])

    assert not capsys.readouterr().err


def test_a_word_behind_two_dashes_is_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--", "--debug"]) == 2
    assert "--debug does not exist" in capsys.readouterr().err


def test_a_program_hears_the_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger=logs.LOGGER):
        logs.debug("read %s", "a.yaml")

    assert caplog.messages == ["read a.yaml"]


def test_a_check_does_not_load_logging() -> None:
    program = (
        "import sys; from gpuinfra.cli import run; "
        f"run(['check', '-q', {str(QUICKSTART)!r}]); sys.exit('logging' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
