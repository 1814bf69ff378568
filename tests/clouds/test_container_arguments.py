"""The arguments of a pool's container: as they are, on each cloud, whatever stands in them."""

import shlex
import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuinfra.clouds import secrets
from gpuinfra.clouds.aws import start_scripts as on_aws
from gpuinfra.clouds.aws import userdata as aws
from gpuinfra.clouds.azure import start_scripts as on_azure
from gpuinfra.clouds.azure import userdata as azure
from gpuinfra.clouds.gcp import start_scripts as on_gcp
from gpuinfra.clouds.gcp import userdata as gcp
from gpuinfra.clouds.startup import ServerStart
from tests.clouds.start_scripts import mounts, noise, pool
from tests.clouds.startup_scripts import private_pool

CLIENT = "00000000-0000-0000-0000-000000000000"
SCRIPTS: dict[str, Callable[[ServerStart], str]] = {
    "aws": aws.server_script,
    "gcp": gcp.server_script,
    "azure": lambda start: azure.server_script(start, CLIENT),
}
FAULTS: dict[str, Callable[[str, Any], Any]] = {
    "aws": on_aws.pool_start_faults,
    "gcp": on_gcp.pool_start_faults,
    "azure": on_azure.pool_start_faults,
}
CLOUDS = pytest.mark.parametrize("cloud", SCRIPTS)
START = private_pool("ghcr.io/example/serve:1")
STARTED = "\ntouch /var/lib/gpuinfra/started\n"
STAND_IN = "set -euo pipefail\ndocker() { printf '%s\\0' \"$@\"; }\n"
HOSTILE = (
    *("$(reboot)", "`reboot`", "'; reboot; '", '"; reboot; "', "\\", "$IMAGE", "${ARGS[@]}", "*"),
    *("", " ", "a b", "\n", "END", "a\nEND\nreboot\n", "--", "-", "#", "!!", "~", "{a,b}"),
    *(")", "(", "))\nreboot", "\t", "\u00e9", "\u2028", "\U0001f600", "&& reboot", ">f", "|cat"),
)
ARGUMENT = st.text(
    st.characters(codec="utf-8", exclude_characters=[*map(chr, (*range(9), *range(11, 32), 127))]),
    max_size=40,
)


def run_line(script: str) -> str:
    """What a script does from the variables of the container on, without pulling it."""
    variables, run = script[script.index("\nIMAGE=") :], script[script.index("\ndocker run") :]
    given = variables[: variables.index("\n\n")]
    return f"{STAND_IN}{given}{run.removesuffix(STARTED)}"


def told(script: str) -> list[str]:
    """The words behind the image with which a script calls `docker run`."""
    ran = subprocess.run(
        ["bash", "-c", run_line(script)], capture_output=True, check=True, timeout=30
    )
    words = ran.stdout.decode().split("\0")[:-1]
    return words[words.index(START.image) + 1 :]


@CLOUDS
@settings(max_examples=40, deadline=None)
@given(args=st.lists(ARGUMENT | st.sampled_from(HOSTILE), min_size=1, max_size=8))
@example(args=list(HOSTILE))
@example(args=["--model", "meta-llama/Llama-3.1-8B-Instruct", "--max-model-len", "8192"])
def test_the_container_gets_its_arguments_in_their_order_and_nothing_else_runs(
    cloud: str, args: list[str]
) -> None:
    assert told(SCRIPTS[cloud](replace(START, args=tuple(args)))) == args


@CLOUDS
def test_without_arguments_the_script_stays_and_the_image_comes_last(cloud: str) -> None:
    script = SCRIPTS[cloud](START)

    assert "ARGS" not in script
    assert script.endswith(f' "$IMAGE"\n{STARTED}')
    assert told(script) == []


@CLOUDS
@pytest.mark.parametrize(
    ("args", "kind"),
    [
        (("--api-key", "sk-aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA"), "an OpenAI key"),
        (("--hf-token", "hf_aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zAab"), "a Hugging Face token"),
        (("--api-key", "token-a1b2c3d4e5f6"), "a token or key"),
        (("--api-key=token-a1b2c3d4e5f6",), "a token or key"),
        (("--chat-template", "it's", "--api-key", "token-a1b2c3d4e5f6"), "a token or key"),
    ],
)
def test_a_secret_in_them_is_found_in_the_script(
    cloud: str, args: tuple[str, ...], kind: str
) -> None:
    script = SCRIPTS[cloud](replace(START, args=args))
    line = script[: script.index("\nARGS=") + 1].count("\n") + 1

    assert secrets.script_secrets(SCRIPTS[cloud](START), "userData") == ()
    assert secrets.script_secrets(script, "userData") == (f"{kind} on line {line} of userData",)


@CLOUDS
def test_a_script_that_is_too_long_names_them(cloud: str) -> None:
    args = noise(256)
    (fault,) = FAULTS[cloud]("chat", pool(args=args))

    assert fault.key == ("args",)
    assert fault.value == f"{len(shlex.join(args)):,} bytes"
    assert fault.message.startswith("the start-up script of chat is too long for its machines")
    assert fault.fix.startswith("shorten args: put long values into a file of the image")
    assert "checkpoints" not in fault.fix, "a pool has none"


@CLOUDS
def test_some_arguments_fit(cloud: str) -> None:
    args = ["--model", "meta-llama/Llama-3.1-8B-Instruct", "--max-model-len", "8192"] * 8

    assert list(FAULTS[cloud]("chat", pool(args=args))) == []


def test_on_aws_a_bucket_takes_a_script_that_they_make_too_long() -> None:
    (fault,) = FAULTS["aws"]("chat", pool(args=noise(8)))

    assert fault.fix.endswith("or name a bucket in data, where the script is then stored")
    assert list(FAULTS["aws"]("chat", pool(args=noise(8), data=mounts(1)))) == []
