"""A misspelt key is told once: the near word first, then a few of the others."""

from collections.abc import Iterable

import pytest

from gpuinfra.errors import InputError
from gpuinfra.specs.schema import Stack, Training
from gpuinfra.stackfile import files, loads, read_stack_file
from gpuinfra.stackfile.messages import describe

HEAD = "name: demo\nowner: ml\nbudget: {per_hour: 1}\nwhere: {cloud: aws, regions: [us-east-1]}\n"
FIX = "  fix:     "
SPELLING = f"{FIX}correct the spelling, or remove the key"
DEVELOPMENT = (
    f"{FIX}write training: {{box: {{gpu: L4:1}}}}: a workload of one machine without a duration "
    "is a development machine; on AWS add idle_stop: {below: 5%, after: 1h}"
)
SHOWN = 8


def allowed(keys: Iterable[str]) -> str:
    first, others = [*keys][:SHOWN], [*keys][SHOWN:]
    return f"  allowed: {', '.join(first)} and {len(others)} more"


def told(text: str) -> list[list[str]]:
    """The lines of each problem below the excerpt, the first one without its place."""
    with pytest.raises(InputError) as caught:
        loads(HEAD + text, "stack.yaml")
    shown = [describe(problem).splitlines() for problem in caught.value.problems]
    return [[lines[0].partition(": ")[2], *lines[3:]] for lines in shown]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "trainin: {box: {gpu: L4:1}}\n",
            [
                "unknown key 'trainin'",
                "  did you mean 'training'?",
                allowed(Stack.model_fields),
                SPELLING,
            ],
        ),
        (
            "training: {box: {gpo: L4:1}}\n",
            [
                "unknown key 'gpo' in training.box",
                "  did you mean 'gpu'?",
                allowed(Training.model_fields),
                SPELLING,
            ],
        ),
        ("development: {box: {gpu: L4:1}}\n", ["unknown key 'development'", DEVELOPMENT]),
    ],
)
def test_the_key_alone_is_told(text: str, expected: list[str]) -> None:
    assert told(text) == [expected]


def test_a_far_word_is_no_spelling_of_what_is_missing() -> None:
    whole, unknown = told("colour: blue\n")

    assert whole[0] == "the stack has neither training nor inference nor buckets"
    assert unknown[0] == "unknown key 'colour'"
    assert unknown[1].count(",") > 15


def test_the_word_for_a_development_machine_is_sound() -> None:
    stack = loads(HEAD + "training: {box: {gpu: L4:1}}\n", "stack.yaml").stack

    assert stack.training["box"].duration is None


def test_what_is_wrong_below_a_misspelt_key_is_told_with_it() -> None:
    text = (
        "trainning:\n  t:\n    gpu: L4:1\n    duraton: 24h\n    disk: 100 gigs\n"
        "    checkpoint: {buckt: data}\nbuckets: {data: {}}\n"
    )
    with pytest.raises(InputError) as caught:
        loads(HEAD + text, "stack.yaml")

    assert [
        (problem.message, problem.suggestion, problem.position.line - 4)
        for problem in caught.value.problems
    ] == [
        ("unknown key 'trainning'", "training", 1),
        ("unknown key 'duraton' in training.t", "duration", 4),
        ("training.t.disk is not accepted", "100GB", 5),
        ("unknown key 'checkpoint' in training.t", "checkpoints", 6),
        ("training.t.checkpoints has no 'bucket'", "", 6),
        ("unknown key 'buckt' in training.t.checkpoints", "bucket", 6),
    ]


def test_what_is_below_a_refused_name_is_told_once_by_that_name() -> None:
    name, nodes = told("training: {Tune_2: {gpu: L4:1, nodes: 5000}}\n")

    assert name[:2] == ["the name 'Tune_2' is not accepted", "  did you mean 'tune-2'?"]
    assert nodes[0] == "training.Tune_2.nodes is out of range"


@pytest.mark.parametrize(
    ("key", "value", "meant"),
    [
        ("machine", "p5.48xlarge", "instance"),
        ("machine_type", "p5.48xlarge", "instance"),
        ("vm_size", "p5.48xlarge", "instance"),
        ("accelerators", "H100:8", "gpu"),
    ],
)
def test_a_key_of_another_tool_means_ours(key: str, value: str, meant: str) -> None:
    (only,) = told(f"training: {{t: {{{key}: {value}}}}}\n")

    assert only[:2] == [f"unknown key {key!r} in training.t", f"  did you mean {meant!r}?"]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("regions: us-east-1", "where.regions is text, but must be a list"),
        ("regions: {a: b}", "where.regions is a mapping, but must be a list"),
        ("regions: [1]", "where.regions[0] is a number, but must be text"),
        ("regions: []", "where.regions is an empty list"),
        ("regions: [moon]", "no cloud has this region"),
        ("regions: [A100:8]", "no cloud has this region"),
        ("regions: [US-EAST-1]", "no cloud has this region"),
        ("cloud: lambda", "where.cloud 'lambda' is not supported yet"),
        ("cloud: asw", "where.cloud is not an accepted word"),
    ],
)
def test_a_place_has_one_problem_for_one_cause(where: str, message: str, tmp_path) -> None:
    head = HEAD.replace("cloud: aws, regions: [us-east-1]", where)
    (tmp_path / "stack.yaml").write_text(f"{head}training: {{t: {{gpu: L4:1}}}}\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_stack_file(tmp_path)

    assert [problem.message for problem in caught.value.problems] == [message]


def test_one_misspelt_key_beside_the_right_one_is_not_looked_into() -> None:
    text = "training: {t: {gpu: L4:1, nodes: many}}\ntrainin: {u: {gpo: L4:1}}\n"
    nodes, misspelt = told(text)

    assert nodes[0].startswith("training.t.nodes")
    assert misspelt[0] == "unknown key 'trainin'"


def test_a_file_full_of_misspelt_keys_is_read_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    renamed = files._rename_key
    monkeypatch.setattr(files, "_rename_key", lambda *given: looked.append(1) or renamed(*given))
    keys = [f"checkpo{letter}nts" for letter in "abcdefgh"]
    saved = ", ".join(f"{key}: {{buckt: data, evry: 1h}}" for key in keys)
    text = "".join(f"trainin{letter}: {{t: {{gpu: L4:1, {saved}}}}}\n" for letter in "abcdefgh")
    with pytest.raises(InputError):
        loads(HEAD + text, "stack.yaml")

    around = 3  # it calls itself along the path
    assert len(looked) <= files._MOST_GUESSED * around


@pytest.mark.parametrize(
    "where",
    [
        "{region: us-east-2}",
        "{cloud: aws, region: us-east-2}",
        "{region: [us-east-2]}",
    ],
)
def test_a_default_does_not_stand_in_for_a_misspelt_key(where: str, tmp_path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(f"where: {where}\nownr: ml\ntraining: {{t: {{gpu: L4:1}}}}\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_stack_file(path)
    regions, owner = caught.value.problems

    listed = "[" in where
    assert regions.suggestion == "regions"
    assert regions.fix == (SPELLING[len(FIX) :] if listed else "write regions: [us-east-2]")
    assert (owner.suggestion, owner.fix) == ("owner", SPELLING[len(FIX) :])


def test_a_key_that_is_set_beside_its_misspelling_stays() -> None:
    text = "name: demo\nowner: ml\nwhere: {regions: [us-east-1], region: us-east-2}\n"
    with pytest.raises(InputError) as caught:
        loads(f"{text}training: {{t: {{gpu: L4:1}}}}\n")

    assert [problem.fix for problem in caught.value.problems] == ["remove it: regions is set"]


def test_a_pool_s_list_is_told_what_every_cloud_accepts() -> None:
    pool = "gpu: L4:1, replicas: 1..4, image: a, port: 80, capacity: [spot, on-demand]"
    (lines,) = told(f"inference: {{chat: {{{pool}}}}}\n")

    assert lines[-1] == (
        f"{FIX}write capacity: {{on_demand_base: 1, above: spot}}; on Google Cloud with "
        "replicas of at least 2, for example 2..4"
    )
