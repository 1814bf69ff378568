"""The shell completes rules, machines, stacks and workloads; a missing extra is named."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gpuinfra import cli
from gpuinfra.clouds import PACKAGES, SDKS

ROOT = Path(__file__).parents[2]


def completed(*words: str, folder: Path = ROOT) -> list[str]:
    """What bash is given for the last word."""
    done = subprocess.run(
        [sys.executable, "-m", "gpuinfra.cli"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "COMP_WORDS": " ".join(["gpuinfra", *words]),
            "COMP_CWORD": str(len(words)),
            "_GPUINFRA_COMPLETE": "bash_complete",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("qui",), ["plain,quickstart"]),
        (("explain", "cap-per-h"), ["plain,cap-per-hour"]),
        (("catalog", "show", "p5.48"), ["plain,p5.48xlarge"]),
        (("choose", "p5.48"), ["plain,p5.48xlarge"]),
        (("choose", "L40"), ["plain,L40", "plain,L40S", "plain,L40S-48GB"]),
        (("check", "stacks/quick"), ["plain,stacks/quickstart"]),
        (("check", "REA"), ["file,REA"]),
        (("plan", "stacks/quickstart", "--rung", "tr"), ["plain,trainer="]),
        (
            ("plan", "stacks/quickstart", "--rung", "trainer=on"),
            ["plain,trainer=on-demand@us-east-1"],
        ),
        (("plan", "nowhere", "--rung", "tr"), []),
        (("commitments", "stacks/quickstart", "--workload", "c"), ["plain,chat"]),
    ],
)
def test_a_word_is_completed(words: tuple[str, ...], expected: list[str]) -> None:
    assert completed(*words) == expected


def test_a_missing_extra_is_named() -> None:
    """In a process of its own: here the engine may be loaded, and would wait for a program."""
    hidden = "import sys; sys.modules['pulumi'] = None; from gpuinfra import cli; "
    run = "sys.exit(cli.run(['up', 'stacks/quickstart', '--target', 'sandbox']))"

    done = subprocess.run(
        [sys.executable, "-c", hidden + run], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert "install gpuinfra with the extra 'engine' or 'all'" in done.stderr


def test_each_extra_that_is_named_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]

    sdks = {SDKS[provider]: cloud for cloud, provider in PACKAGES.items()}
    assert {package: cli._cloud_of_sdk(package) for package in sdks} == sdks
    for package, extra in (cli.EXTRAS | sdks).items():
        brought = " ".join(extras[extra]).replace("-", "_")
        assert package in brought or package == "botocore", package


@pytest.mark.parametrize(
    ("shell", "words"),
    [("bash", "bash_complete"), ("zsh", "#compdef gpuinfra"), ("fish", "fish_complete")],
)
def test_a_shell_is_given_its_completion(
    shell: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["completion", shell]) == 0
    script = capsys.readouterr().out

    assert words in script
    assert "_GPUINFRA_COMPLETE" in script
