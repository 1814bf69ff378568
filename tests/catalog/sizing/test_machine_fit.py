"""The machines that hold a model."""

from dataclasses import replace

from gpuinfra.catalog.sizing.machine_fit import (
    ModelRequest,
    fewest_machines,
    memory_need,
    misfit_reason,
    rule_of_thumb,
)
from gpuinfra.clouds import provider_of
from tests.catalog.sizing.needs import GPT3, P5


class TestFits:
    def test_what_is_not_split_needs_one_gpu_that_holds_it(self):
        wish = ModelRequest(parameters=70 * 10**9, sharding="none")

        assert fewest_machines(wish, P5) is None
        assert "more machines would not help" in misfit_reason(wish, P5, 100)

    def test_fully_sharded_it_fits_on_more_machines(self):
        wish = ModelRequest(parameters=70 * 10**9)
        few = fewest_machines(wish, P5)

        assert few == 3
        assert misfit_reason(wish, P5, few) == ""
        assert misfit_reason(wish, P5, few - 1).endswith("3 machines would do")

    def test_activations_that_alone_fill_a_gpu_never_fit(self):
        wish = ModelRequest(parameters=70 * 10**9, context=131_072, batch=8, recompute="none")

        assert fewest_machines(wish, P5) is None

    def test_heads_have_to_divide(self):
        wish = replace(GPT3, name="gpt-3-175b")

        assert memory_need(wish, 5).faults == ("96 attention heads can't be split over 5 GPUs",)

    def test_a_part_of_a_gpu_is_a_small_gpu(self):
        slice_ = provider_of("aws").machines.get("g6f.large")
        assert fewest_machines(ModelRequest(parameters=10**9, task="serve"), slice_) == 1
        assert fewest_machines(ModelRequest(parameters=3 * 10**9, task="serve"), slice_) is None


def test_the_rule_of_thumb_stands_beside_and_says_where_it_errs():
    wish = ModelRequest(parameters=70 * 10**9)

    assert rule_of_thumb(wish).gigabytes == 210
    assert "add 14 B a parameter" in rule_of_thumb(wish).formula
    assert "add 12 B a parameter" in rule_of_thumb(replace(wish, precision="fp32")).formula
    assert rule_of_thumb(replace(wish, precision="fp32")).gigabytes == 420
    assert "KV cache" in rule_of_thumb(replace(wish, task="serve")).formula
