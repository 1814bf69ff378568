"""How long a machine's start-up script tries again what fails at first."""

import subprocess
from pathlib import Path

import pytest

from gpuinfra.clouds.startup import shell_part

GOLDEN = Path(__file__).parents[1] / "golden" / "startup"
ROLE = 20 * 60
"""Seconds; a role may take ten minutes to be known everywhere, and the machine starts earlier:
https://learn.microsoft.com/azure/role-based-access-control/troubleshooting
https://docs.cloud.google.com/iam/docs/access-change-propagation"""


def tried(command: str) -> tuple[int, list[int]]:
    """How the command ended, and the seconds slept between its tries."""
    functions = shell_part("base.sh").partition("install -d")[0] + shell_part("access.sh")
    stand_ins = "sleep() { echo $1; }\nnth() { ((count++ == $1)); }\ncount=0\n"
    run = subprocess.run(
        ["bash", "-c", f"{functions}\n{stand_ins}{command}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    return run.returncode, [int(line) for line in run.stdout.split()]


def test_what_takes_a_role_is_tried_for_as_long_as_one_takes() -> None:
    code, slept = tried("retry_access false")

    assert code == 1
    assert ROLE <= sum(slept[:-1]) < 2 * ROLE
    assert tried("retry_access nth 20") == (0, slept[:20])


def test_what_takes_the_network_alone_fails_within_minutes() -> None:
    code, slept = tried("retry false")

    assert code == 1
    assert 60 <= sum(slept) < 180


@pytest.mark.parametrize("cloud", ["azure", "gcp"])
def test_a_private_image_waits_for_its_role(cloud: str) -> None:
    script = (GOLDEN / f"{cloud}-inference-private-image.sh").read_text()
    lines = [line.strip() for line in script.splitlines()]

    assert any(line.endswith(("retry_access log_in", "retry_access log_in; fi")) for line in lines)
    assert 'retry_access docker pull --quiet "$IMAGE"' in lines
