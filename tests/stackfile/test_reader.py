"""A stack file's values, the places of what is wrong in them, and the words for it."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from gpuinfra.errors import InputError, Position, Problem
from gpuinfra.stackfile import StackFileError, loads, with_positions
from gpuinfra.units import Range
from tests.stackfile.read_problems import only, problems, spot


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

    @pytest.mark.parametrize(
        "keys",
        [
            "keep_noncurrent: 30",
            "tiering: 30",
            "expire: [{prefix: tmp/, after: 30}]",
            "object_lock: {keep: 30}",
        ],
    )
    def test_a_bare_number_of_a_retention_means_days(self, small, keys):
        told = problems(small + f"buckets: {{data: {{{keys}}}}}\n")

        assert [problem.suggestion for problem in told] == ["30d"]

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
