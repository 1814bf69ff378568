"""The arguments of a pool's container in a program: plain or outputs, on each cloud."""

import base64
import json
from functools import partial
from typing import Any

import pulumi
import pytest
from pulumi.runtime import rpc

from gpuinfra.components.args import Mount
from gpuinfra.components.messages import ProgramError, problem_line
from gpuinfra.components.planned import plan_inference
from gpuinfra.errors import InputError
from gpuinfra.provider.components import Components
from tests.clouds.start_scripts import noise
from tests.clouds.startup_scripts import unpacked
from tests.components.test_output_arguments import (
    CLOUDS,
    GROUPS,
    MACHINES,
    REGIONS,
    built,
    check_of,
    output,
    pool,
    pool_args,
    unknown,
)

MODEL = "meta-llama/Llama-3.1-8B-Instruct"
ARGS = ["--model", MODEL, "--max-model-len", "8192"]
SECRET = {rpc._special_sig_key, "value"}
"""The keys of a secret on the wire."""
PLACES = {
    "aws": ("userData",),
    "gcp": ("metadataStartupScript",),
    "azure": ("virtualMachineProfile", "osProfile", "customData"),
}
LINE = f"ARGS=(--model {MODEL} --max-model-len 8192)\n"
WAYS: dict[str, Any] = {
    "an entry": lambda: ["--model", output(MODEL), "--max-model-len", "8192"],
    "a tuple": lambda: ("--model", output(MODEL), "--max-model-len", "8192"),
    "a secret": lambda: ["--model", pulumi.Output.secret(MODEL), "--max-model-len", "8192"],
    "the list": lambda: pulumi.Output.from_input(ARGS),
}


def script_of(seen: Any, cloud: str) -> str:
    """The start-up script that reached the engine."""
    value: Any = seen.of(GROUPS[cloud]).inputs
    for key in PLACES[cloud]:
        value = value[key]
        if isinstance(value, dict) and value.keys() >= SECRET:
            value = value["value"]
    return str(value) if cloud == "gcp" else unpacked(base64.b64decode(value)).decode()


def changed(seen: Any, other: Any) -> list[str]:
    """The resources with other inputs; the others are the same."""
    mine, its = (
        {(each.type, each.name): each.inputs for each in record.resources}
        for record in (seen, other)
    )
    assert mine.keys() == its.keys()
    return sorted(name for (kind, name), inputs in mine.items() if its[kind, name] != inputs)


@CLOUDS
def test_plain_ones_are_in_the_script_and_change_nothing_else(cloud: str) -> None:
    told = built(cloud, lambda: pool(cloud, {"args": ARGS}))
    plain = built(cloud, lambda: pool(cloud))
    script = script_of(told, cloud)

    assert LINE in script
    assert script.replace(LINE, "").replace(' "${ARGS[@]}"', "") == script_of(plain, cloud)
    assert changed(told, plain) == [GROUPS[cloud]]


@CLOUDS
def test_another_list_changes_what_another_image_does(cloud: str) -> None:
    plain = built(cloud, lambda: pool(cloud))
    image = built(cloud, lambda: pool(cloud, {"image": "vllm/vllm-openai:v0.11.1"}))
    args = built(cloud, lambda: pool(cloud, {"args": ARGS}))
    turned = built(cloud, lambda: pool(cloud, {"args": [*ARGS[2:], *ARGS[:2]]}))

    assert changed(args, plain) == changed(turned, args) == changed(image, plain)


@CLOUDS
@pytest.mark.parametrize("way", WAYS)
def test_outputs_become_what_plain_ones_do(cloud: str, way: str) -> None:
    late = built(cloud, lambda: pool(cloud, {"args": WAYS[way]()}))
    plain = built(cloud, lambda: pool(cloud, {"args": ARGS}))

    assert script_of(late, cloud) == script_of(plain, cloud)
    assert changed(late, plain) == ([GROUPS[cloud]] if way == "a secret" else [])


@CLOUDS
def test_a_preview_goes_on_where_one_is_not_known(cloud: str) -> None:
    seen = built(cloud, lambda: pool(cloud, {"args": ["--model", unknown()]}), preview=True)

    assert GROUPS[cloud] in {resource.name for resource in seen.resources}
    assert "later" not in json.dumps(seen.of(GROUPS[cloud]).inputs, default=str)


def test_on_aws_a_script_with_outputs_lies_in_the_bucket_that_it_has() -> None:
    """They may be longer than user data, and what is made is decided before they are known."""

    def program(args: Any) -> None:
        given = {"args": args, "data": [Mount(bucket="data")]}
        pool("aws", given, buckets={"data": "models-bucket"})

    late = built("aws", lambda: program(WAYS["the list"]()))
    plain = built("aws", lambda: program(ARGS))

    assert LINE in late.of("chat-start-script").inputs["content"]
    assert "chat-start-script" not in {resource.name for resource in plain.resources}


@pytest.mark.parametrize(
    "value",
    ["--model", ["--model", 5], ["--model", "hunter2\0"], ["hunter2" * 1000], [["--model"]], None],
    ids=["text", "number", "control", "long", "nested", "none"],
)
def test_an_output_is_checked_once_it_is_known_and_not_shown(value: Any) -> None:
    late = pool_args("aws", {"args": pulumi.Output.secret(value)})
    check: Any = check_of("args", lambda: plan_inference("chat", late))

    with pytest.raises(InputError) as caught:
        check(value)

    message = problem_line(caught.value.problems[0])
    assert "args" in message
    assert "hunter2" not in message


@CLOUDS
def test_a_list_that_makes_the_script_too_long_is_refused_once_it_is_known(cloud: str) -> None:
    late = pool_args(cloud, {"args": pulumi.Output.from_input(ARGS)})
    check: Any = check_of("args", lambda: plan_inference("chat", late))

    assert check(ARGS) == ARGS
    with pytest.raises(InputError, match="start-up script of chat is too long"):
        check(noise(256))


@pytest.mark.parametrize("args", ["--model x", {"--model": "x"}, [5], [["--model"]]])
def test_what_is_no_list_of_texts_is_refused(args: Any) -> None:
    with pytest.raises(ProgramError, match=r"inference\.chat\.args"):
        built("aws", lambda: pool("aws", {"args": args}))


def test_an_output_further_in_is_refused() -> None:
    with pytest.raises(ProgramError, match=r"chat: args\.0\.0 is an output or a secret"):
        built("aws", lambda: pool("aws", {"args": [[output("--model")]]}))


@CLOUDS
@pytest.mark.parametrize("way", [*WAYS, "plain"])
def test_the_provider_takes_them_as_the_component_does(cloud: str, way: str) -> None:
    def program(make: Any) -> None:
        inputs = {
            "cloud": cloud,
            "region": REGIONS[cloud],
            "instance": MACHINES[cloud],
            "replicas": 2.0,
            "scaleOn": {"gpu_utilization": "70%"},
            "image": "vllm/vllm-openai:v0.11.0",
            "port": 8000.0,
            "owner": "ml-platform",
            "args": make(),
        }
        Components().construct("chat", "gpuinfra:index:InferencePool", inputs)

    make = WAYS.get(way, partial(list, ARGS))
    seen = built(cloud, lambda: program(make))

    assert LINE in script_of(seen, cloud)
