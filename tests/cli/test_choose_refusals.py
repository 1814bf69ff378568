"""What `gpuinfra choose` refuses, and the way out that it names."""

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import STACKS, Run

HIGHER = "allow a higher price"


@pytest.mark.parametrize(
    ("asked", "way_out"),
    [
        (("H100:8", "--max-per-hour", "10"), f"{HIGHER}: $55.04"),
        (("L4:1", "--max-per-hour=0.3"), f"{HIGHER}: $0.7046"),
        (("H100:8", "--max-per-hour", "10", "--cloud", "azure"), f"{HIGHER}: $98.32"),
        (
            ("--max-per-hour", "10", "H100:8", "--cloud", "lambda"),
            f"{HIGHER}: $31.92 (lambda, where gpuinfra can't build)",
        ),
    ],
)
def test_the_way_out_is_a_command_that_finds_a_machine(
    gpuinfra: Run, asked: tuple[str, ...], way_out: str
) -> None:
    ran = gpuinfra("choose", *asked)

    (fix,) = (line for line in ran.err.splitlines() if line.startswith("  fix:"))
    told, _, command = fix.partition(": gpuinfra ")
    assert told == f"  fix:     {way_out}"
    assert gpuinfra(*shlex.split(command)).code == 0


def test_the_price_of_the_way_out_is_exact(gpuinfra: Run) -> None:
    """Rounded to cents, $29.3871 would be refused again."""
    ran = gpuinfra("choose", "A100:8", "--cloud", "gcp", "--max-per-hour", "3")

    assert "$29.3871: gpuinfra choose A100:8 --cloud gcp --max-per-hour 29.3871\n" in ran.err


def test_where_nothing_fits_the_closest_five_and_their_constraints_are_shown(
    gpuinfra: Run,
) -> None:
    ran = gpuinfra("choose", "H100:8", "--cloud", "aws", "--region", "eu-west-1")
    answer = json.loads(
        gpuinfra("choose", "H100:8", "--cloud", "aws", "--region", "eu-west-1", "--json").out
    )

    assert ran.code == 2
    assert ran.out.count("p5.4xlarge") == 1
    assert "is not offered in eu-west-1, but in eu-north-1" in ran.out
    assert "no machine type fits: H100:8, on-demand, in eu-west-1" in ran.err
    assert answer["winner"] is None
    assert answer["losers"][0]["constraint"] == "region"


def test_all_that_is_wrong_is_told_at_once(gpuinfra: Run) -> None:
    ran = gpuinfra(
        *("choose", "H10O:8", "--cloud", "awss", "--region", "us-esat-1", "--precision", "bf61"),
        *("--capacity", "spto", "--fabric-speed", "400", "--for", "-3h", "--by", "hous"),
        *("--commitment", "1yr", "--fabric-kind", "ifiniband", "--architecture", "x86"),
        *("--max-per-hour", "-1", "--nodes", "0"),
    )

    assert ran.code == 2
    for hint in ("aws", "us-east-1", "bf16", "spot", "400Gbps", "hour", "infiniband", "H100:8"):
        assert f"did you mean {hint!r}?" in ran.err
    for wrong in ("--for: '-3h'", "--max-per-hour: '-1'", "--nodes: '0'", "unknown commitment"):
        assert wrong in ran.err
    assert "13 problems" in ran.err


def test_wishes_that_can_not_be_had_together_are_refused_together(gpuinfra: Run) -> None:
    ran = gpuinfra(
        *("choose", "H100:8", "--capacity", "spot", "--commitment", "1y", "--by", "run"),
        *("--no-nvlink", "--nvlink-domain", "8"),
    )

    assert ran.code == 2
    assert "spot machines have no commitments" in ran.err
    assert "set it, for example --for 72h" in ran.err
    assert "an NVLink domain without NVLink" in ran.err
    assert "3 problems" in ran.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("70", "did you mean '70B'?"),
        ("{paramters: 70B}", "unknown key 'paramters'"),
        ("{parameters: 70B, task: serve, sharding: zero-3}", "set sharding: tensor"),
        ("llama-9", "unknown model"),
    ],
)
def test_a_model_that_is_none_is_told(gpuinfra: Run, text: str, words: str) -> None:
    ran = gpuinfra("choose", "--for-model", text, "--cloud", "aws")

    assert ran.code == 2
    assert words in ran.err


def test_the_way_out_is_that_of_the_nearest(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "--memory", "80GB..", "--nvlink-domain", "72", "--cloud", "gcp")

    assert "fix:     use another architecture: arm64" in ran.err
    assert ran.out.index("its processor is arm64") < ran.out.index(
        "NVLink connects 8 GPUs, not 72"
    )


def test_of_a_type_that_is_named_only_itself_is_shown_as_close(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "p5.48xlarge:4", "--cloud", "aws")

    assert "has 8 GPUs, not 4" in ran.out
    assert "is another type" not in ran.out
    assert "use another count: 8" in ran.err


@pytest.mark.parametrize("option", [("--for-model", "x"), ("--memory", "much")])
def test_what_stands_in_for_a_gpu_but_can_not_be_read_is_told_once(
    gpuinfra: Run, option: tuple[str, str]
) -> None:
    ran = gpuinfra("choose", *option, "--cloud", "aws")

    assert ran.code == 2
    assert "no GPU is named" not in ran.err
    assert "problem" not in ran.err


def test_a_duration_that_can_not_be_read_is_not_missing(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "L4:1", "--by", "run", "--for", "soon")

    assert "the duration of a run is unknown" not in ran.err
    assert "problem" not in ran.err
    assert (
        "the duration of a run is unknown"
        in gpuinfra("choose", "L4:1", "--by", "run", "--nodes", "x").err
    )


def test_an_unknown_cloud_beside_all_is_told(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "L4:1", "--cloud", "all", "--cloud", "foo")

    assert ran.code == 2
    assert "unknown cloud" in ran.err


def test_a_commitment_as_capacity_has_a_way_out(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "L4:1", "--capacity", "reserved-1y")

    assert "--commitment reserved-1y" in ran.err


def test_a_stack_is_no_gpu(gpuinfra: Run) -> None:
    refused = gpuinfra("choose", STACKS / "quickstart")

    assert refused.code == 2
    assert "this is a stack, not a GPU" in refused.err
    assert f"they were chosen: gpuinfra plan {STACKS / 'quickstart'}" in refused.err


@pytest.mark.parametrize(
    ("asked", "command"), [("H100", "catalog show H100"), ("H100:8", "choose H100:8")]
)
def test_a_gpu_where_a_list_takes_it_as_an_option(gpuinfra: Run, asked: str, command: str) -> None:
    refused = gpuinfra("catalog", "ls", asked)

    assert refused.code == 2
    assert f"write --gpu H100, or gpuinfra {command}" in refused.err
    assert gpuinfra(*command.split()).code == 0


def test_a_value_after_an_option_that_takes_none(gpuinfra: Run) -> None:
    refused = gpuinfra("choose", "H100:8", "--fabric", "required")

    assert refused.code == 2
    assert "--fabric accepts no value: remove required" in refused.err
    assert "catalog show" not in refused.err


def test_the_closest_have_the_gpu_where_any_has(gpuinfra: Run) -> None:
    refused = gpuinfra("choose", "H200", "--region", "eu-central-2")

    assert "near it: aws eu-west-2, azure francecentral: --where europe" in refused.err
    assert "p5e.48xlarge " in refused.out
    assert "QUALCOMM" not in refused.out


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        (("70B",), "gpuinfra choose --for-model 70B"),
        (
            ("llama-3.1-70b", "--cloud", "aws"),
            "gpuinfra choose --cloud aws --for-model llama-3.1-70b",
        ),
        (("--gpu", "70b:8", "--nodes", "2"), "gpuinfra choose --nodes 2 --for-model 70B"),
        (("--gpu=8x7B",), "gpuinfra choose --for-model mixtral-8x7b"),
        (("70B", "--for-model", "8B"), "gpuinfra choose --for-model 8B"),
        (("qwen",), "gpuinfra choose --for-model MODEL; MODEL is its size, for example 70B, "),
    ],
)
def test_a_model_is_no_gpu_and_the_command_for_it_is_named(
    gpuinfra: Run, typed: tuple[str, ...], command: str
) -> None:
    refused = gpuinfra("choose", *typed)

    assert refused.code == 2
    assert "this is a model, not a GPU" in refused.err
    assert f"  fix:     {command}" in refused.err
    assert "problem" not in refused.err
    assert refused.out == ""


@pytest.mark.parametrize("command", [("show", "70B"), ("ls", "--gpu", "llama-3.1-70b")])
def test_the_catalog_tells_a_model_from_a_gpu(gpuinfra: Run, command: tuple[str, ...]) -> None:
    refused = gpuinfra("catalog", *command)

    assert refused.code == 2
    assert f"gpuinfra choose --for-model {command[-1]}" in refused.err


def test_a_repository_and_a_size_in_a_name_are_ways_out_of_an_unknown_model(
    gpuinfra: Run,
) -> None:
    repository = gpuinfra("choose", "--for-model", "meta-llama/Llama-3.1-70B-Instruct").err

    assert "did you mean 'llama-3.1-70b'?" in repository
    assert "1 |" not in repository
    assert "parameters: 40B" in gpuinfra("choose", "--for-model", "falcon-40b").err


def test_a_stack_file_names_the_key_for_a_model(gpuinfra: Run, tmp_path: Path) -> None:
    stack = "where: {regions: [us-east-1]}\ntraining: {t: {gpu: llama-3.1-70b, duration: 1h}}\n"
    (tmp_path / "stack.yaml").write_text(stack)
    refused = gpuinfra("check", tmp_path)

    assert "this is a model, not a GPU" in refused.err
    assert "write gpu: {for_model: llama-3.1-70b}" in refused.err


@pytest.mark.parametrize(
    ("asked", "command"),
    [
        ((), "gpuinfra choose H100:8"),
        (("--for-model", "70X"), "gpuinfra catalog models"),
    ],
)
def test_a_request_without_a_known_name_is_answered_with_a_command(
    gpuinfra: Run, asked: tuple[str, ...], command: str
) -> None:
    ran = gpuinfra("choose", *asked)

    assert ran.code == 2
    assert command in ran.err
    assert gpuinfra(*shlex.split(command)[1:]).code == 0


@pytest.mark.parametrize(
    ("family", "machine"), [("p5", "p5.48xlarge"), ("P5", "p5.48xlarge"), ("a3", "a3-highgpu-8g")]
)
def test_a_family_of_machine_types_is_not_taken_for_a_gpu(
    gpuinfra: Run, family: str, machine: str
) -> None:
    ran = gpuinfra("choose", family)

    assert ran.code == 2
    assert f"{family} is a family of machine types: gpuinfra choose {machine}, " in ran.err
    assert "did you mean" not in ran.err


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        (("H100:16", "--cloud", "aws"), "gpuinfra choose --cloud aws H100:8 --nodes 2"),
        (("--gpu=L4:16", "--cloud", "aws"), "gpuinfra choose --cloud aws L4:8 --nodes 2"),
    ],
)
def test_more_gpus_than_a_machine_has_are_several_machines(
    gpuinfra: Run, typed: tuple[str, ...], command: str
) -> None:
    refused = gpuinfra("choose", *typed)

    assert refused.code == 2
    assert f"use another count: 8, on 2 machines (nodes: 2): {command}" in " ".join(
        refused.err.split()
    )
    assert gpuinfra(*command.split()[1:]).code == 0


def test_several_machines_are_not_asked_for_where_none_has_all_gpus(gpuinfra: Run) -> None:
    assert "--nodes" not in gpuinfra("choose", "H100:12").err


@pytest.mark.parametrize(
    ("typed", "meant"), [("80GB+", "80GB.."), ("80GB+:8", "80GB..:8"), ("80:8", "80GB..:8")]
)
def test_a_plus_is_a_range_without_an_upper_end(gpuinfra: Run, typed: str, meant: str) -> None:
    assert f"did you mean '{meant}'?" in gpuinfra("choose", typed).err
