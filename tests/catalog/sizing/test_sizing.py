"""The memory that a model needs, as its makers and papers publish it."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog.sizing.machine_fit import (
    ModelRequest,
    fewest_machines,
    gpu_memory_gb,
    memory_need,
    misfit_reason,
    model_request_of,
    refusals,
)
from gpuinfra.catalog.sizing.shapes import derive_shape, models
from gpuinfra.clouds import provider_of
from gpuinfra.errors import InputError
from gpuinfra.specs.for_model import ForModel
from tests.catalog.sizing.needs import GPT3, gigabytes

A100X4 = provider_of("azure").machines.get("Standard_NC96ads_A100_v4")
P4DE = provider_of("aws").machines.get("p4de.24xlarge")


class TestPublishedFigures:
    def test_gpt_3_has_350_gb_of_weights_and_four_a100_of_80_gb_do_not_hold_them(self):
        assert gigabytes(memory_need(GPT3, 1), "weights") == 350
        assert A100X4.gpu_count * gpu_memory_gb(A100X4) == 320

        assert fewest_machines(GPT3, A100X4) is None
        assert "needs 100 GB per GPU, has 80" in misfit_reason(GPT3, A100X4)
        assert fewest_machines(GPT3, P4DE) == 1

    def test_gpt_3_in_stages_fits_on_two_machines(self):
        assert fewest_machines(replace(GPT3, sharding="pipeline"), A100X4) == 2

    def test_zero_shards_the_7_5b_model_as_figure_1_of_the_paper(self):
        """https://arxiv.org/abs/1910.02054: 120, 31.4, 16.6 and 1.9 GB over 64 GPUs."""
        wish = ModelRequest(parameters=7_500_000_000)
        states = ("weights", "gradients", "master weights", "optimizer states")
        sizes = {
            sharding: sum(
                gigabytes(memory_need(replace(wish, sharding=sharding), 64), s) for s in states
            )
            for sharding in ("none", "zero-1", "zero-2", "zero-3")
        }

        assert sizes["none"] == 120
        assert round(sizes["zero-1"], 1) == Decimal("31.4")
        assert round(sizes["zero-2"], 1) == Decimal("16.6")
        assert round(sizes["zero-3"], 1) == Decimal("1.9")

    def test_bert_takes_what_the_guides_say(self):
        """They classify texts, without the logits of a vocabulary that a language model has."""
        wish = ModelRequest(
            parameters=110_000_000,
            name="bert-base",
            task="fine-tune",
            precision="fp32",
            context=512,
            batch=6,
            recompute="none",
        )
        large = replace(wish, parameters=340_000_000, name="bert-large", batch=4)

        for model, least, most in ((wish, 6, 8), (large, 12, 16)):
            whole = memory_need(model, 1)
            assert least <= whole.per_gpu_gb - gigabytes(whole, "output layer") <= most

    def test_a_token_of_a_13b_model_keeps_800_kb(self):
        """https://arxiv.org/abs/2309.06180 (of OPT): 2 x 5120 x 40 layers x 2 bytes."""
        wish = ModelRequest(
            parameters=13 * 10**9, task="serve", name="llama-2-13b", context=1, batch=1
        )

        assert gigabytes(memory_need(wish, 1), "KV cache") * 10**9 == 2 * 5120 * 40 * 2

    @pytest.mark.parametrize(
        ("billions", "precision", "published"),
        [
            (7, "bf16", 16),
            (70, "bf16", 160),
            (405, "bf16", 950),
            (8, "int4", 6),
            (70, "int4", 48),
            (405, "int4", 250),
        ],
    )
    def test_adapters_take_what_is_published_within_a_tenth(self, billions, precision, published):
        """https://huggingface.co/blog/llama31 (it names no sequence length: short ones)."""
        wish = ModelRequest(
            parameters=billions * 10**9,
            task="lora",
            precision=precision,
            sharding="none",
            context=512,
        )

        assert memory_need(wish, 1).per_gpu_gb == pytest.approx(published, rel=Decimal("0.1"))

    def test_a_size_alone_serves_as_the_model_of_that_size(self):
        by_size = ModelRequest(parameters=70 * 10**9, task="serve", context=8192, batch=32)
        by_name = replace(by_size, parameters=70_553_706_496, name="llama-3.1-70b")

        assert memory_need(by_name, 8).per_gpu_gb == pytest.approx(
            Decimal("31.5"), rel=Decimal("0.01")
        )
        assert memory_need(by_size, 8).per_gpu_gb == pytest.approx(
            Decimal("31.5"), rel=Decimal("0.1")
        )

    @pytest.mark.parametrize(
        ("name", "kilobytes"),
        [("llama-3.1-8b", 131), ("qwen3-32b", 262), ("deepseek-v3", 70), ("gemma-3-27b", 508)],
    )
    def test_a_token_keeps_what_its_attention_needs(self, name, kilobytes):
        """https://arxiv.org/abs/2405.04434 section 2.1: 576 numbers a layer with latent ones."""
        shape = models()[name]
        wish = ModelRequest(
            parameters=shape.parameters, name=name, task="serve", context=1, batch=1
        )

        assert round(gigabytes(memory_need(wish, 1), "KV cache") * 10**6) == kilobytes

    def test_all_experts_are_held(self):
        shape = models()["mixtral-8x7b"]
        wish = ModelRequest(parameters=shape.parameters, name="mixtral-8x7b", task="serve")

        assert (shape.experts, shape.active) == (8, 12_900_000_000)
        assert gigabytes(memory_need(wish, 1), "weights") == pytest.approx(
            Decimal("93.4"), rel=Decimal("0.01")
        )

    def test_gpt_3_comes_out_of_its_size_alone(self):
        shape = derive_shape(175_000_000_000)

        assert (round(shape.layers), round(shape.hidden), round(shape.heads)) == (96, 12313, 96)

    def test_lora_trains_few_parameters(self):
        wish = ModelRequest(parameters=models()["llama-3.1-8b"].parameters, name="llama-3.1-8b")
        whole, lora = memory_need(wish, 1), memory_need(replace(wish, task="lora"), 1)

        assert gigabytes(lora, "weights") == gigabytes(whole, "weights")
        assert gigabytes(lora, "optimizer states") < gigabytes(whole, "optimizer states") / 100

    def test_a_published_lora_run_is_met_within_a_fifth(self):
        """Llama 2 7B, 8,192 tokens, ZeRO-2 on 8 A100: 25.7 GB (arXiv:2309.12307, table 12).

        As https://huggingface.co/datasets/odyn-network/benchmark-finetune-lora-v1 quotes it.
        """
        wish = ModelRequest(
            parameters=models()["llama-2-7b"].parameters,
            name="llama-2-7b",
            task="lora",
            sharding="zero-2",
            context=8192,
        )

        assert memory_need(wish, 8).per_gpu_gb == pytest.approx(
            Decimal("25.7"), rel=Decimal("0.2")
        )


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"task": "serve", "sharding": "zero-3"}, ("sharding",)),
        ({"task": "train", "precision": "int4"}, ("precision",)),
        ({"task": "fine-tune", "rank": 16}, ("rank",)),
        ({"task": "serve", "rank": 8}, ("rank",)),
        ({"task": "serve", "optimizer": "sgd"}, ("optimizer",)),
        ({"task": "serve", "recompute": "none"}, ("recompute",)),
        ({"name": "llama-3.1-8b", "layers": 10}, ("layers",)),
        ({"name": "llama-3.1-8b", "hidden": 128}, ("hidden",)),
        ({"layers": 16, "hidden": 64}, ("hidden",)),
        ({"hidden": 1_000_000}, ("hidden",)),
        ({"parameters": 10**6, "layers": 10_000}, ("layers",)),
    ],
)
def test_what_does_not_go_together_is_refused(more, path):
    (problem,) = refusals(ModelRequest(**{"parameters": 10**8, **more}))

    assert problem.path == path
    assert problem.fix


@pytest.mark.parametrize(
    ("parameters", "layers", "hidden"),
    [
        ("70B", 80, 8192),  # Llama 3
        ("671B", 61, 7168),  # DeepSeek-V3
        ("1T", 61, 7168),  # Kimi K2
        ("12M", 12, 768),  # ALBERT
        ("70B", 80, None),
        ("70B", None, 8192),
    ],
)
def test_the_shapes_of_real_models_are_taken(parameters, layers, hidden):
    declared = ForModel(parameters=parameters, layers=layers, hidden=hidden, task="lora", rank=8)

    assert list(refusals(model_request_of(declared, "train"))) == []


def test_what_nobody_said_is_told():
    assumed = " ".join(memory_need(ModelRequest(parameters=70 * 10**9), 8).assumptions)

    assert "12 · layers · hidden²" in assumed
    assert "4,096 tokens" in assumed
    assert "zero-3" in assumed
    assert "bf16" in assumed
    assert "AdamW, whose states take 8 B" in assumed
    assert "one sequence per GPU at a time (batch:" in assumed
    assert "rank" not in assumed


def test_serving_says_that_its_cache_is_that_of_one_sequence():
    wish = ModelRequest(parameters=8 * 10**9, task="serve")

    assert "a KV cache for one concurrent sequence (batch: 1), so for one user" in (
        memory_need(wish, 1).assumptions
    )
    assert not any(
        "batch" in words for words in memory_need(replace(wish, batch=16), 1).assumptions
    )
    assert "adapters of rank 16" in memory_need(replace(wish, task="lora"), 1).assumptions


def test_what_was_said_is_not_assumed():
    wish = ModelRequest(
        parameters=8 * 10**9,
        name="llama-3.1-8b",
        precision="fp16",
        sharding="zero-2",
        context=2048,
        batch=2,
        optimizer="sgd",
        recompute="none",
    )

    assert memory_need(wish, 8).assumptions == ()


class TestFromAFile:
    def test_the_task_is_the_workloads_where_the_file_names_none(self):
        declared = ForModel(parameters="70B", sharding="fsdp", precision="bf16")

        assert model_request_of(declared, "serve") == ModelRequest(
            parameters=70 * 10**9, sharding="zero-3", task="serve", precision="bf16"
        )
        assert (
            model_request_of(declared.model_copy(update={"task": "lora"}), "serve").task == "lora"
        )

    def test_a_published_model_has_its_own_shape(self):
        wish = model_request_of(ForModel(name="llama-3.1-70b"), "train")

        assert wish.parameters == 70_553_706_496
        assert (wish.shape.layers, wish.shape.kv_heads) == (80, 8)

    def test_an_unknown_model_gets_a_guess(self):
        with pytest.raises(InputError) as caught:
            model_request_of(ForModel(name="llama-3.1-7b"), "train")
        (problem,) = caught.value.problems

        assert problem.path == ("name",)
        assert problem.suggestion.startswith("llama")
