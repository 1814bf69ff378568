"""What a message about a key says to write is written, and the file then has no fault."""

import re
from io import StringIO
from typing import Any

import pytest
from ruamel.yaml import YAML

from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile import loads

HEAD = "name: demo\nowner: ml\nwhere: {cloud: aws, regions: [us-east-1]}\n"
STAYS = "can't be moved there unchanged"
POOL = "replicas: 1, image: vllm/vllm-openai:v0.11.0, port: 80"


def problems(text: str) -> tuple[Problem, ...]:
    try:
        loads(text, "stack.yaml")
    except InputError as error:
        return error.problems
    return ()


def mended(text: str, problem: Problem) -> str:
    """The file with what the message of a problem says, of several ways the first."""
    yaml = YAML(typ="safe")
    whole: dict[str, Any] = yaml.load(text)
    *around, key = problem.path
    holder: Any = whole
    for part in around:
        holder = holder[part]
    value = holder.pop(key)
    if problem.suggestion:
        holder[problem.suggestion] = value
    elif found := re.fullmatch(r"move it to (\S+)(?: or .*)?", problem.fix):
        target: Any = whole
        for part in found[1].split("."):
            target = target.setdefault(part, {})
        target[key] = value
    elif found := re.fullmatch(
        r"(?:remove it; or )?write (\w+: .*?)(?: in place of (\w+))?", problem.fix
    ):
        written = yaml.load(found[1])
        _place_of(written, holder).update(written)
        holder.pop(found[2], None)
    else:
        assert "remove" in problem.fix
    out = StringIO()
    yaml.dump(whole, out)
    return out.getvalue()


def _place_of(written: dict[str, Any], holder: dict[str, Any]) -> dict[str, Any]:
    """The mapping in which the key stands whose new value is written."""
    (key,) = written
    inside = [value for value in holder.values() if isinstance(value, dict) and key in value]
    return holder if key in holder or not inside else inside[0]


@pytest.mark.parametrize(
    "workload",
    [
        "gpu: {for_model: {model: llama-3.1-70b}}",
        "gpu: {for_model: {size: 70B, lora_rank: 8, seq_len: 2048}}",
        "gpu: {for_model: {name: llama-3.1-70b, model: llama-3.1-8b}}",
        "gpu: {for_model: llama-3.1-70b, task: lora}",
        "gpu: {for_model: llama-3.1-70b}, task: lora",
        "gpu: {for_model: llama-3.1-70b, parameters: 70B}",
        "gpu: {for_model: llama-3.1-70b}, for_model: 7B",
        "gpu: {name: L4, gpus: 1}",
        "gpu: {name: L4, model: L4}",
        "gpu: L4:1, for_model: 1B",
        "gpu: L4:1, accelerators: L4:1",
        "gpu: L4:1, type: g6.xlarge",
        "gpu: L4:1, zones: [us-east-1a]",
        "gpu: L4:1, regions: [us-east-1]",
        "gpu: L4:1, region: eu-west-1",
        "gpu: L4:1, nodes: 2, workers: 4",
        "gpu: L4:1, every: 10m",
        "instance: g6.xlarge, for_model: 1B",
        "instance: g6.xlarge, memory: 24GB..",
        "instance: g6.xlarge, accelerators: L4:1",
        "instance: g6.xlarge, fabric_speed: 400Gbps",
        "gpu: L4:1, disk: 1TB, iops: 6000",
    ],
)
@pytest.mark.parametrize("section", ["training", "inference"])
def test_what_a_message_says_to_write_leaves_no_fault(section: str, workload: str) -> None:
    pool = f", {POOL}" if section == "inference" else ""
    text = f"{HEAD}{section}: {{t: {{{workload}{pool}}}}}\n"
    left = problems(text)
    assert left

    for _ in range(4):
        text = mended(text, left[0])
        left = problems(text)
        if not left:
            break

    assert left == ()


@pytest.mark.parametrize(
    ("workload", "fix"),
    [
        ("gpu: L4:1, region: eu-west-1", "write where: {regions: [eu-west-1]}"),
        ("gpu: L4:1, zones: [us-east-1a]", "move it to where"),
        ("gpu: L4:1, nodes: 2, workers: 4", "remove it: nodes is set"),
        (
            "instance: g6.xlarge, for_model: 1B",
            "remove it; or write gpu: {for_model: 1B} in place of instance",
        ),
        (
            "gpu: {model: L4}, every: 10m",
            f"remove it; it is a key of training.t.checkpoints, but {STAYS}",
        ),
    ],
)
def test_a_key_that_another_excludes_is_told_so(workload: str, fix: str) -> None:
    (only,) = problems(f"{HEAD}training: {{t: {{{workload}}}}}\n")

    assert (only.suggestion, only.fix) == ("", fix)


@pytest.mark.parametrize(
    ("buckets", "fix"),
    [
        ("", "add at the top of the file: buckets: {data: {size: 1TB}}"),
        ("buckets: {other: {}}\n", "add under buckets: data: {size: 1TB}"),
    ],
)
def test_a_bucket_is_declared_where_the_file_has_buckets(buckets: str, fix: str) -> None:
    run = "training: {t: {gpu: L4:1, checkpoints: {bucket: data}}}\n"
    (only,) = problems(f"{HEAD}{buckets}{run}")

    assert only.fix == f"{fix}, with the size that you expect"
    written = fix.partition(": ")[2].removeprefix("buckets: ").strip("{}") + "}"
    assert problems(f"{HEAD}buckets: {{other: {{}}, {written}}}\n{run}") == ()


@pytest.mark.parametrize("buckets", ["", "buckets: {ours: {size: 1TB}}\n"])
@pytest.mark.parametrize("key", ["checkpoints: {every: 10m%s}", "data: [{prefix: a/%s}]"])
def test_a_bucket_that_is_not_named_is_one_that_the_file_has_or_gets(
    buckets: str, key: str
) -> None:
    def text(named: str, declared: str) -> str:
        return f"{HEAD}{declared}training: {{t: {{gpu: L4:1, {key % named}}}}}\n"

    (only,) = problems(text("", buckets))
    named, _, top = only.fix.removeprefix("add ").partition("; add at the top of the file: ")
    declared = buckets or f"{top.partition(', with')[0]}\n"

    assert named == ("bucket: ours" if buckets else "bucket: data")
    assert problems(text(f", {named}", declared)) == ()


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("checkpoints: s3://ours/a", "use {bucket: ours-a}, or indent its keys below it"),
        ("capacity: 'spot, on-demand'", "write capacity: [spot, on-demand]"),
    ],
)
def test_a_value_in_another_form_is_written_as_it_was_meant(text: str, fix: str) -> None:
    (only,) = problems(f"{HEAD}training: {{t: {{gpu: L4:1, {text}}}}}\n")

    assert only.fix == fix


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("waivers: [{rule: a, resource: b, reason: c, owner: d}]", "add until: 2026-12-31"),
        ("inference: {p: {gpu: L4:1, image: a, replicas: 1}}", "add port: 8000"),
    ],
)
def test_a_missing_key_is_written_with_its_example(text: str, fix: str) -> None:
    run = "" if "inference" in text else "\ntraining: {t: {gpu: L4:1}}"

    assert [each.fix for each in problems(f"{HEAD}{text}{run}\n")] == [fix]
