"""Words of other tools, misplaced keys and bare values: each is told what to write here."""

from itertools import chain

import pytest

from gpuinfra.clouds import provider_of, region_hints
from gpuinfra.errors import InputError, Problem
from gpuinfra.specs import Inference, Stack, Training
from gpuinfra.stackfile import loads, read_stack_file
from gpuinfra.stackfile.grammar import keys_of

HEAD = "name: demo\nowner: ml\nwhere: {cloud: aws, regions: [us-east-1]}\n"
TUNE = "training: {t: {gpu: H100:8, KEY}}\n"
CHAT = "inference: {c: {gpu: L4:1, replicas: 1, image: vllm/vllm-openai:v0.11.0, port: 80, KEY}}\n"


def problems(text: str) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        loads(text, "stack.yaml")
    return caught.value.problems


@pytest.mark.parametrize(
    ("workload", "key", "expected"),
    [
        (CHAT, "model: llama", "write args: [--model, …] for the model that the container serves"),
        (CHAT, "public: true", "pools answer inside the network alone"),
        (CHAT, "ssh: true", "docs/how-to/log-in.md"),
        (CHAT, "command: x", "write args: [--model, …]"),
        (TUNE, "for_model: 70B", "write gpu: {model: H100, count: 8, for_model: 70B}"),
        (TUNE, "disk: 1TB, iops: 6000", "write disk: {size: 1TB, iops: 6000}"),
        (TUNE, "spot: true", "write capacity: spot"),
        (TUNE, "efa: true", "write fabric: required"),
        (TUNE, "image: ubuntu", "write machine_image"),
        (TUNE, "args: --epochs 3", "write them in command"),
        (TUNE, "ssh_key: x", "docs/how-to/log-in.md"),
        (TUNE, "region: us-east-1", "write where: {regions: [us-east-1]}"),
    ],
)
def test_a_key_of_another_tool_is_told_what_to_write(
    workload: str, key: str, expected: str
) -> None:
    (only,) = problems(HEAD + workload.replace("KEY", key))

    assert expected in only.fix
    assert only.suggestion == ""


@pytest.mark.parametrize(
    ("workload", "key", "meant"),
    [
        (TUNE, "num_nodes: 2", "nodes"),
        (TUNE, "cmd: train", "command"),
        (CHAT, "readiness_probe: /ready", "health"),
        (CHAT, "tls: x", "certificate"),
        (CHAT, "args_: [--model, x]", "args"),
    ],
)
def test_a_key_with_another_name_is_told_ours(workload: str, key: str, meant: str) -> None:
    (only,) = problems(HEAD + workload.replace("KEY", key))

    assert only.suggestion == meant


@pytest.mark.parametrize("form", [Stack, Training, Inference])
def test_the_table_names_keys_of_the_grammar_alone(form: type[Stack]) -> None:
    keys = {*keys_of(form)}

    assert {*form.key_synonyms.values()} <= keys
    assert keys.isdisjoint(chain(form.key_synonyms, form.key_hints))
    assert form.key_synonyms.keys().isdisjoint(form.key_hints)


def test_a_key_at_the_top_is_told_in_which_workload_it_belongs() -> None:
    (only,) = problems(f"{HEAD}duration: 24h\ntraining: {{t: {{gpu: H100:8}}}}\n")

    assert only.fix == "move it to training.NAME"


def test_a_key_without_a_short_form_beside_it_is_moved() -> None:
    (only,) = problems(HEAD + "training: {t: {gpu: {model: H100}, for_model: 70B}}\n")

    assert only.fix == "move it to training.t.gpu"


def test_a_word_of_another_tool_hides_no_missing_key() -> None:
    messages = [problem.message for problem in problems(HEAD + "training: {t: {ssh: true}}\n")]

    assert messages == [
        "training.t has neither gpu nor instance",
        "unknown key 'ssh' in training.t",
    ]


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ("where: us-east-1", "use {regions: [us-east-1]}, or indent its keys below it"),
        ("where: US-East-1", "use {regions: [us-east-1]}, or indent its keys below it"),
        ("where: google", "use {cloud: gcp}, or indent its keys below it"),
        ("where: azure", "use {cloud: azure}, or indent its keys below it"),
        ("where: true", "use {cloud: …}, or indent its keys below it"),
        ("monitoring: true", "use {alarms: true}, or indent its keys below it"),
        ("network: vpc-0123abcd", "use {vpc: vpc-0123abcd}, or indent its keys below it"),
    ],
)
def test_a_bare_value_is_put_under_the_key_that_takes_it(given: str, fix: str) -> None:
    place = "" if given.startswith("where") else "where: {cloud: aws, regions: [us-east-1]}\n"
    (only,) = problems(f"name: demo\nowner: ml\n{place}{given}\ntraining: {{t: {{gpu: L4:1}}}}\n")

    assert only.fix == fix


def test_a_bare_value_is_given_the_keys_that_it_needs() -> None:
    (idle,) = problems(HEAD + TUNE.replace("KEY", "idle_stop: 30m"))
    (run,) = problems(HEAD + "training: H100:8\n")

    assert idle.fix == "use {below: 5%, after: 30m}, or indent its keys below it"
    assert run.fix == "use {NAME: {gpu: H100:8}}"


def test_an_empty_list_of_workloads_is_answered_by_a_workload_with_a_gpu():
    (run,) = problems(HEAD + "training: []\n")

    assert run.fix == "use {NAME: {gpu: H100:8}}"


@pytest.mark.parametrize("written", ["buckets: data", "buckets: [data]"])
def test_a_name_without_keys_is_given_those_that_it_needs(written: str) -> None:
    (only,) = problems(f"{HEAD}{written}\n")

    assert only.fix == "use {data: {size: 1TB}}"


def test_a_cloud_of_another_name_is_told_ours() -> None:
    (only,) = problems(HEAD.replace("cloud: aws", "cloud: google") + TUNE.replace(", KEY", ""))

    assert only.suggestion == "gcp"


@pytest.mark.parametrize(
    ("region", "suggestion", "fix"),
    [
        ("us-est-1", "us-east-1", "write us-east-1 or us-west-1"),
        ("frankfurt", "", "write eu-central-1 or europe-west3 or germanywestcentral"),
        ("europe", "", "write eu-central-1"),
        ("francesout", "francesouth", "`gpuinfra catalog regions` lists them"),
    ],
)
def test_an_unknown_region_is_told_those_that_are_near(
    region: str, suggestion: str, fix: str, tmp_path
) -> None:
    text = (
        f"name: demo\nowner: ml\nwhere: {{regions: [{region}]}}\ntraining: {{t: {{gpu: L4:1}}}}\n"
    )
    (tmp_path / "stack.yaml").write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        read_stack_file(tmp_path)
    (only,) = caught.value.problems

    assert only.suggestion == suggestion
    assert only.fix.startswith(fix)


def test_the_regions_of_cities_are_those_of_their_clouds() -> None:
    named = [
        (cloud, region)
        for by_cloud in region_hints._cities().values()
        for cloud, regions in by_cloud.items()
        for region in regions
    ]

    assert all(region in provider_of(cloud).regions.all() for cloud, region in named)
