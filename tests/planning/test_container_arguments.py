"""The arguments of a pool's container: how a stack file writes them, what its plan shows."""

import json

import pytest

from gpuinfra.errors import InputError
from gpuinfra.model import Group
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import loads

HEAD = "version: 1\nname: shop\nowner: ml-platform\n"
POOL = '{gpu: "L4:1", image: a/b:1, port: 80, replicas: 1..2'
REGIONS = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
GPUS = {"aws": "L4:1", "gcp": "L4:1", "azure": "T4:1"}
CLOUDS = pytest.mark.parametrize("cloud", REGIONS)
SHOWN = "the container's arguments: "
KEY = "sk-aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA"


def file(args: str, cloud: str = "aws") -> str:
    where = f"where: {{cloud: {cloud}, regions: [{REGIONS[cloud]}]}}\n"
    pool = POOL.replace("L4:1", GPUS[cloud])
    return f"{HEAD}{where}inference:\n  chat: {pool}{args}}}\n"


def planned(args: str, cloud: str = "aws") -> Group:
    (group,) = from_stack(loads(file(args, cloud)).stack).groups
    return group


def refusal(args: str) -> str:
    with pytest.raises(InputError) as caught:
        loads(file(args))
    (problem,) = caught.value.problems
    return f"{problem.message}; {problem.allowed}; {problem.fix}"


@CLOUDS
def test_a_plan_shows_them_in_their_order(cloud: str) -> None:
    group = planned(', args: [--model, a/b, --max-model-len, "8192", "two words"]', cloud)

    assert group.notes[-1] == f"{SHOWN}--model a/b --max-model-len 8192 'two words'"
    assert group.safety.secrets == ()


@pytest.mark.parametrize("args", ["", ", args: []"])
def test_without_them_a_plan_says_nothing(args: str) -> None:
    assert not [note for note in planned(args).notes if "arguments" in note]


def test_a_plan_shows_one_line_and_cuts_it() -> None:
    *_, note = planned(f', args: ["a\\nb", {"x" * 400}]').notes

    assert note == f"{SHOWN}'a\\nb' {'x' * 293}…"


@CLOUDS
@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--model", "m", "--api-key", KEY], "an OpenAI key in args[3]"),
        ([f"--api-key={KEY}"], "an OpenAI key in args[0]"),
        (["--api-key", "token-a1b2c3d4e5f6"], "a token or key in args[1]"),
        (["--hf-token", f"hf_{KEY[3:]}ab"], "a Hugging Face token in args[1]"),
    ],
)
def test_a_secret_is_told_by_its_place_and_not_shown(
    cloud: str, args: list[str], told: str
) -> None:
    group = planned(f", args: {json.dumps(args)}", cloud)

    assert group.safety.secrets == (told,)
    assert (
        group.notes[-1] == "the container's arguments are not shown: a password or key is in them"
    )


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ("--model x", "inference.chat.args is text, but must be a list; ; write args: [--model, "),
        ("{a: b}", "inference.chat.args is a mapping, but must be a list; "),
        ("[--port, 8000]", "inference.chat.args[1] is a number, but must be text; "),
        ("[--fast, true]", "inference.chat.args[1] is true or false, but must be text; "),
        ('["a\\0"]', "inference.chat.args[0] is not accepted; an argument of a command"),
        ('["a\\rb"]', "inference.chat.args[0] is not accepted; an argument of a command"),
        (f"[{'x' * 4097}]", "inference.chat.args[0] is longer than 4096 characters; "),
        (f"[{'x, ' * 257}]", "inference.chat.args has 257 entries; at most 256 entries; "),
    ],
)
def test_what_is_no_list_of_texts_is_refused(args: str, told: str) -> None:
    assert refusal(f", args: {args}").startswith(told)


def test_a_number_is_to_be_put_in_quotes() -> None:
    assert refusal(", args: [--port, 8000]").endswith('; put it in quotes: "8000"')


def test_as_many_and_as_long_as_allowed_are_taken() -> None:
    assert loads(file(f", args: [{', '.join(['x' * 4096] * 256)}]")).stack
