"""A stack file is read with the place of everything, and every fault is told at once."""

import os
import subprocess
import sys
import time
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra.errors import InputError, Position, Problem
from gpuinfra.stackfile import StackFileError, loads, read_stack_file, with_positions
from gpuinfra.units import Range


def problems(text):
    with pytest.raises(InputError) as caught:
        loads(text, "stack.yaml")
    return caught.value.problems


def only(text):
    [problem] = problems(text)
    return problem


def spot(problem):
    return problem.position.line, problem.position.column


class TestValues:
    def test_every_value_is_parsed(self, whole):
        stack = loads(whole).stack

        assert stack.budget.per_run == Decimal("16500.50")
        assert stack.budget.per_month == Decimal(40000)
        trainer = stack.training["trainer"]
        assert (trainer.gpu.model, trainer.gpu.count) == ("H100", 8)
        assert trainer.duration == timedelta(hours=72)
        assert [step.kind for step in trainer.capacity] == ["spot", "spot", "on-demand"]
        assert trainer.capacity[1].region == "us-west-2"
        assert trainer.capacity[1].max_price == 30
        assert trainer.disk.size == 500 * 10**9
        assert trainer.checkpoints.every == timedelta(minutes=10)
        assert stack.training["tuner"].gpu.memory == Range(80 * 10**9, None)
        assert stack.training["tuner"].disk.size == 2**40
        assert stack.inference["chat"].replicas == Range(1, 20)
        assert stack.inference["chat"].scale_on.gpu_utilization == Decimal("0.7")
        assert stack.inference["embed"].replicas == Range(2, 2)
        assert stack.inference["embed"].capacity.above == "spot"
        assert stack.buckets["data"].size == 2 * 10**12
        assert stack.rules["spot-share"].settings == {"minimum": "60%"}
        assert stack.rules["no-cap"].settings == {"names": ["a", "b"], "limit": Decimal("1.5")}
        assert stack.waivers[0].until == date(2026, 12, 31)

    def test_defaults(self, small):
        stack = loads(small).stack

        trainer = stack.training["t"]
        assert trainer.nodes == 1
        assert trainer.fabric == "none"
        assert [step.kind for step in trainer.capacity] == ["on-demand"]
        assert trainer.disk.size == 200 * 10**9
        assert stack.prices.outdated_after_days == 400
        assert stack.budget is None

    def test_several_nodes_want_a_fabric(self, small):
        stack = loads(small.replace("gpu: L4:1", "gpu: L4:1, nodes: 2")).stack

        assert stack.training["t"].fabric == "required"

    def test_a_stack_is_frozen(self, small):
        stack = loads(small).stack

        with pytest.raises(ValueError, match="frozen"):
            stack.name = "other"

    def test_small_anchors_are_fine(self, small):
        text = small.replace("[us-east-1]", "&here [us-east-1]")

        stack = loads(text + "  u: {gpu: L4:1, where: {cloud: aws, regions: *here}}\n").stack

        assert stack.training["u"].where.regions == ("us-east-1",)

    def test_words_that_yaml_1_1_takes_for_truth_are_text(self, small):
        stack = loads(small.replace("  t:", "  on:").replace("owner: me", "owner: no")).stack

        assert stack.owner == "no"
        assert list(stack.training) == ["on"]


class TestPlaces:
    def test_a_value_is_located(self, whole):
        document = loads(whole, "stack.yaml")

        position = document.locate(("training", "trainer", "data", 0, "bucket"))

        assert isinstance(position, Position)
        assert position.text[position.column - 1 :].startswith("data, prefix")
        assert document.locate(("training", "trainer", "run")) is None

    def test_a_step_is_located_by_its_inner_key(self, whole):
        position = loads(whole).locate(("training", "trainer", "capacity", 1, "region"))

        assert position.text[position.column - 1 :].startswith("us-west-2, max_price")

    def test_planning_problems_get_their_places(self, small):
        document = loads(small, "stack.yaml")
        unknown = Problem(message="b", path=("training", "t", "gpu", "model"))
        missing = Problem(message="a", path=("budget",))

        placed = with_positions([unknown, missing], document)

        assert [(problem.message, *spot(problem)) for problem in placed] == [
            ("a", 1, 1),
            ("b", 6, 12),
        ]
        assert placed[1].value == "L4:1"

    @pytest.mark.parametrize(
        ("old", "new", "place"),
        [
            ("owner: me", "owner: me\nbudjet: 1", (4, 1)),
            ("name: small", "name: Small", (2, 7)),
            ("gpu: L4:1", "gpu: L4:1, nodes: 0", (6, 25)),
            ("gpu: L4:1", "gpu: L4:1, nodez: 0", (6, 18)),
            ("gpu: L4:1", "nodes: 2", (6, 3)),
            ("  t:", "  T:", (6, 3)),
            ("[us-east-1]", "[us-east-1, 7]", (4, 42)),
            ("gpu: L4:1", "gpu: L4:1, capacity: [spot, {spot: {regin: a}}]", (6, 43)),
        ],
    )
    def test_a_fault_points_at_its_key_or_value(self, small, old, new, place):
        problem = only(small.replace(old, new))

        assert spot(problem) == place
        assert problem.position.file == "stack.yaml"
        assert problem.position.text
        assert problem.structural


class TestWords:
    def test_all_at_once_in_the_order_of_the_file(self, small):
        text = small.replace("name: small", "name: Small").replace("owner: me\n", "")
        text += "  u: {gpu: 8xH100, nodez: 3, duration: 72, data: [{bucket: b}]}\nbudjet: 1\n"

        told = problems(text)

        assert [problem.message for problem in told] == [
            "the stack has no 'owner'",
            "name is not accepted",
            "training.u.gpu is not a request for GPUs",
            "unknown key 'nodez' in training.u",
            "training.u.duration is a number without a unit",
            "bucket 'b' is not declared",
            "unknown key 'budjet'",
        ]
        assert [problem.suggestion for problem in told] == [
            "", "small", "H100:8", "nodes", "72h", "", "budget",
        ]  # fmt: skip

    def test_a_bare_number_between_checkpoints_means_minutes(self, small):
        told = problems(small + "  u: {gpu: L4:1, checkpoints: {bucket: b, every: 10}}\n")

        assert ("is a number without a unit", "10m") in [
            (problem.message.partition("every ")[2], problem.suggestion) for problem in told
        ]

    def test_what_is_left_is_given_to_planning(self, small):
        with pytest.raises(StackFileError) as caught:
            loads(small + "  u: {gpu: H1000:8, nodez: 3}\n")

        rest = caught.value.rest
        assert rest.stack.training["u"].gpu.model == "H1000"
        assert rest.locate(("training", "u", "gpu")).line == 7

    def test_nothing_is_left_without_a_place(self, small):
        with pytest.raises(StackFileError) as caught:
            loads(small.replace("cloud: aws", "cloud: tencent"))

        assert caught.value.rest is None

    @pytest.mark.slow
    def test_no_word_of_the_libraries_leaks(self, whole):
        lines = whole.splitlines()
        for number in range(0, len(lines), 2):
            for change in ("    zzz: 1", "  - 1", "x: {y: [z]}", "", "  owner: [1, 2]"):
                text = "\n".join([*lines[:number], change, *lines[number + 1 :]])
                try:
                    loads(text)
                except InputError as error:
                    for problem in error.problems:
                        words = f"{problem.message} {problem.allowed} {problem.fix}".lower()
                        for leak in ("pydantic", "input should", "ruamel", "python", "<class"):
                            assert leak not in words
                        assert problem.position is not None

    @pytest.mark.parametrize("word", ["framework", "environments", "on_breach", "scheduler"])
    def test_a_reserved_word_is_not_built_yet(self, small, word):
        problem = only(f"{small}{word}: {{}}\n")

        assert problem.message == f"{word!r} is not supported yet"
        assert problem.fix
        assert problem.structural

    def test_another_cloud_is_not_built_yet(self, small):
        problem = only(small.replace("cloud: aws", "cloud: lambda"))

        assert problem.message == "where.cloud 'lambda' is not supported yet"
        assert problem.fix == "use aws, gcp or azure"

    def test_only_a_queue_wakes_a_pool_from_zero(self, whole):
        problem = only(whole.replace("1..20", "0..20"))

        assert "starts at 0 machines" in problem.message
        assert "queue" in problem.allowed


class TestReferences:
    def test_a_bucket_that_is_nearly_there(self, whole):
        problem = only(whole.replace("bucket: data, prefix: tokens/", "bucket: dta"))

        assert problem.message == "bucket 'dta' is not declared"
        assert problem.suggestion == "data"
        assert not problem.structural
        assert problem.path == ("training", "trainer", "data", 0, "bucket")

    def test_one_name_for_two_workloads(self, whole):
        problem = only(whole.replace("  chat:", "  tuner:"))

        assert problem.message == "'tuner' names both a training run and an inference pool"

    def test_machines_that_end_before_their_run(self, small):
        problem = only(small + "  u: {gpu: L4:1, duration: 24h, time_to_live: 12h}\n")

        assert problem.message == "training.u: its machines end before its duration of 1d"
        assert problem.path == ("training", "u", "time_to_live")
        assert problem.allowed == "1d or longer"

    def test_checkpoints_further_apart_than_the_run_is_long(self, small):
        saves = "checkpoints: {bucket: data, every: 48h}"
        run = f"  u: {{gpu: L4:1, duration: 24h, {saves}}}\nbuckets: {{data: {{}}}}\n"
        problem = only(small + run)

        assert problem.message == "training.u: no checkpoint is written in its duration of 1d"
        assert problem.path == ("training", "u", "checkpoints", "every")

    @pytest.mark.parametrize(
        "run", ["duration: 5m, checkpoints: {bucket: data}", "duration: 12h, time_to_live: 12h"]
    )
    def test_a_run_that_fits_its_end_and_the_default_interval(self, small, run):
        assert loads(small + f"  u: {{gpu: L4:1, {run}}}\nbuckets: {{data: {{}}}}\n")

    def test_a_step_twice(self, whole):
        problem = only(whole.replace("on-demand]", "on-demand, spot]"))

        assert problem.message == "training.trainer.capacity[3] repeats an entry 'spot'"
        assert problem.structural

    def test_a_step_twice_in_two_spellings(self, whole):
        problem = only(whole.replace("on-demand]", "on-demand, {spot: {}}]"))

        assert problem.message == "training.trainer.capacity lists 'spot' twice"
        assert not problem.structural

    @pytest.mark.parametrize(
        ("old", "new", "suggestion"),
        [
            ("name: small", "name: a", ""),
            ("name: small", "name: Small", "small"),
            ("t: {gpu: L4:1}", "t: {gpu: {memory: ..80}}", ""),
            ("training:", "inference: {i: {gpu: L4:1, replicas: 0..0}}\ntraining:", "1"),
            ("training:", "inference: {i: {gpu: L4:1, replicas: 0..x}}\ntraining:", ""),
            ("training:", "inference: {i: {gpu: L4:1, replicas: 3-1}}\ntraining:", "1..3"),
        ],
    )
    def test_no_guess_is_refused_itself(self, small, old, new, suggestion):
        guesses = {problem.suggestion for problem in problems(small.replace(old, new, 1))}

        assert guesses - {""} == {suggestion} - {""}

    def test_what_has_no_path_is_not_about_the_file(self, small):
        option = Problem(message="--rung t=x: t has no such rung", value="x")

        assert with_positions([option], loads(small)) == (option,)

    def test_a_price_that_nothing_uses(self, small):
        problem = only(small.replace("gpu: L4:1", "gpu: L4:1, max_price: 40"))

        assert problem.message == "max_price applies to spot only, and capacity has no spot step"

    def test_a_base_above_the_replicas(self, whole):
        problem = only(whole.replace("on_demand_base: 1,", "on_demand_base: 30,"))

        assert problem.message == "inference.chat: on_demand_base exceeds replicas"

    def test_more_machines_expected_than_there_may_be(self, whole):
        good = loads(whole.replace("replicas:", "expected: 3\n    replicas:", 1))
        problem = only(whole.replace("replicas:", "expected: 99\n    replicas:", 1))

        assert good.stack.inference["chat"].expected == 3
        assert problem.message == "inference.chat: expected is outside of replicas"
        assert problem.allowed == "1 to 20"


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{after}: &{after} [{','.join([f'*{before}'] * 10)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "a tab": ("training:\n\tt: 1\n", "a line is indented with a tab"),
    "a bomb": (BOMB, "anchors repeat too many values"),
    "itself": ("a: &a [*a]\n", "&a contains itself"),
    "no such name": ("a: *b\n", "no anchor &b is defined above this line"),
    "deep brackets": ("a: " + "[" * 5000, "values are nested more than 32 deep"),
    "deep lines": ("".join(" " * n + "a:\n" for n in range(60)), "values are nested more than 32"),
    "a long line": (f"name: {'x' * 10**6}\n", "the line is longer than 10,000 characters"),
    "a second document": ("version: 1\n---\nversion: 1\n", "the file holds a second document"),
    "a tag": ("a: !!python/object:os.system x\n", "YAML tags are not supported"),
    "a merge key": ("a: {<<: {b: 1}}\n", "merge keys are not supported"),
    "a key twice": ("name: a\nname: b\n", "'name' appears twice in one mapping"),
    "a key that is no text": ("true: 1\n", "'true' is a key that is not text"),
    "a key that is a list": ("? [a]\n: 1\n", "a key is not text"),
    "is not a number": ("a: .nan\n", "'.nan' is not a finite number"),
    "infinity": ("a: -.inf\n", "'-.inf' is not a finite number"),
    "too large": ("a: 1e400\n", "'1e400' is too large a number"),
    "too long": (f"a: {'9' * 5000}\n", "is too large a number"),
    "octal": ("a: 010\n", "some YAML readers take this number as octal,"),
    "the text contains half of a surrogate pair": (
        'a: "\\ud83d"\n',
        "the text contains half of a surrogate pair",
    ),
    "empty": ("", "the file is empty"),
    "only a comment": ("# nothing\n", "the file is empty"),
    "a list": ("- a\n", "the stack is a list, but must be a mapping"),
    "a text": ("hello\n", "the stack is text, but must be a mapping"),
    "an open quote": ('name: "x\n', "a quote is not closed"),
    "an open brace": ("a: {b: c\n", "a bracket or brace is not closed, or"),
    "a colon": ("a: b: c\n", "unexpected colon"),
    "no colon": ("a: 1\nb\n", "the line is neither `key: value` nor a list entry"),
    "a bad indent": ("a:\n    b: 1\n   c: 2\n", "the indentation matches no line above"),
    "an at sign": ("a: @b\n", "a text can't start with '@'"),
    "another YAML": ("%YAML 1.1\n---\na: 1\n", "the file requests another version of YAML"),
    "no value": ("training:\n", "'training' has no value"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_told_in_plain_words(name, tmp_path):
    text, message = HOSTILE[name]
    file = tmp_path / "stack.yaml"
    file.write_text(text, encoding="utf-8")
    start = time.monotonic()

    with pytest.raises(InputError) as caught:
        read_stack_file(file)

    assert time.monotonic() - start < 5
    assert any(message in problem.message for problem in caught.value.problems)
    assert all(problem.position for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("budget: {per_hour: 2\ntraining:\n  a: {gpu: L4}\n", 1, 9),
        ("training:\n  a: {gpu: L4\n  b: {gpu: L4}\n", 2, 6),
        ("where: {regions: [us-east-1\n", 1, 18),
        ("budget: {\n  per_hour: 2\n  per_month: 3}\n", 3, 12),
    ],
)
def test_an_open_bracket_is_reported_where_it_opens(text, line, column):
    with pytest.raises(InputError) as caught:
        loads(text)

    at = caught.value.problems[0].position
    assert at is not None
    assert (at.line, at.column) == (line, column)


def test_a_fault_in_one_value_makes_no_other(small):
    only(small.replace("gpu: L4:1", "gpu: L4:1, nodes: .nan"))
    only(small.replace("owner: me", "owner: *who"))
    only(small.replace("owner: me", "owner:"))


class TestFiles:
    @pytest.mark.parametrize(
        ("data", "message", "place"),
        [
            ("owner: é".encode("latin-1"), "the file is not UTF-8", (1, 8)),
            ("a: 1\n".encode("utf-16"), "the file is UTF-16", (1, 1)),
            (b"a: 1\nb: x\x1b[31m\n", "the file contains a control character", (2, 5)),
            (b"a: \x00\n", "the file contains a control character", (1, 4)),
            (b"# x\n" * (1 + 2**20), "the file is larger than 4 MiB", (1, 1)),
        ],
    )
    def test_bytes_that_are_no_text(self, tmp_path, data, message, place):
        (tmp_path / "stack.yaml").write_bytes(data)

        with pytest.raises(InputError) as caught:
            read_stack_file(tmp_path)

        [problem] = caught.value.problems
        assert problem.message == message
        assert spot(problem) == place

    def test_a_byte_order_mark_is_fine(self, tmp_path, small):
        (tmp_path / "stack.yaml").write_bytes(b"\xef\xbb\xbf" + small.encode())

        document = read_stack_file(tmp_path)

        assert document.path == tmp_path / "stack.yaml"
        assert document.locate(("version",)).column == 10

    def test_windows_line_ends_are_fine(self, tmp_path, small):
        (tmp_path / "stack.yaml").write_bytes(small.replace("\n", "\r\n").encode())

        assert read_stack_file(tmp_path).locate(("owner",)).line == 3

    def test_the_folder_is_here_by_default(self, tmp_path, small, monkeypatch):
        (tmp_path / "stack.yaml").write_text(small, encoding="utf-8")
        monkeypatch.chdir(tmp_path)

        assert read_stack_file().path == Path("stack.yaml")

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda at: at.mkdir(), "has neither stack.yaml nor Pulumi.yaml"),
            (lambda at: at.symlink_to(at), "is a symbolic link that leads to itself"),
            (lambda _: None, "does not exist"),
            (os.mkfifo, "is not a text file"),
        ],
    )
    def test_what_is_no_file(self, tmp_path, make, message):
        make(tmp_path / "it")

        with pytest.raises(InputError, match=message):
            read_stack_file(tmp_path / "it")

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("Pulumi.yaml", "is a Pulumi program without stack.yaml"),
            ("stack.yml", "has stack.yml, not stack.yaml"),
        ],
    )
    def test_a_folder_with_something_else(self, tmp_path, name, message):
        (tmp_path / name).touch()

        with pytest.raises(InputError, match=message):
            read_stack_file(tmp_path)

    @pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
    def test_a_name_that_no_file_can_have(self, path):
        with pytest.raises(InputError) as caught:
            read_stack_file(path)

        assert len(str(caught.value)) < 300

    def test_a_file_without_permission(self, tmp_path, small, monkeypatch):
        file = tmp_path / "stack.yaml"
        file.write_text(small, encoding="utf-8")
        file.chmod(0)
        if os.access(file, os.R_OK):  # root reads everything

            def refuse(*_args, **_more):
                raise PermissionError(13, "Permission denied")

            monkeypatch.setattr(Path, "open", refuse)

        with pytest.raises(InputError, match="can't be read: permission denied"):
            read_stack_file(file)


def test_reading_loads_little():
    heavy = ["jsonschema", "difflib", "pulumi", "click", "rich", "boto3"]
    script = (
        "import sys\nfrom gpuinfra.stackfile import loads\n"
        "loads('version: 1\\nname: ab\\nowner: me\\nwhere: {cloud: aws, regions: [a]}\\n"
        "buckets: {b: {}}')\n"
        f"print(*[one for one in {heavy} if one in sys.modules])"
    )

    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert process.stdout.split() == []
