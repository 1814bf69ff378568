"""What one part of a stack file names of another is there."""

import pytest

from gpuinfra.errors import Problem
from gpuinfra.stackfile import loads, with_positions
from tests.stackfile.read_problems import only, problems


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

        assert problem.message == "training.u: its machines end before its duration of 24h"
        assert problem.path == ("training", "u", "time_to_live")
        assert problem.allowed == "24h or longer"
        assert problem.value == "12h"

    def test_checkpoints_further_apart_than_the_run_is_long(self, small):
        saves = "checkpoints: {bucket: data, every: 48h}"
        run = f"  u: {{gpu: L4:1, duration: 24h, {saves}}}\nbuckets: {{data: {{}}}}\n"
        problem = only(small + run)

        assert problem.message == "training.u: no checkpoint is written in its duration of 24h"
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
