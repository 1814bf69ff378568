"""What a model needs on a GPU, against published figures and against reason."""

import json
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuinfra.catalog.sizing.machine_fit import (
    MemoryNeed,
    ModelRequest,
    fewest_machines,
    gpu_memory_gb,
    memory_need,
    misfit_reason,
    model_request_of,
    refusals,
    rule_of_thumb,
)
from gpuinfra.catalog.sizing.shapes import derive_shape, models
from gpuinfra.clouds import provider_of
from gpuinfra.errors import InputError
from gpuinfra.specs.for_model import ForModel

GPT3 = ModelRequest(
    parameters=175 * 10**9, name="gpt-3-175b", precision="fp16", task="serve", context=2048
)
A100X4 = provider_of("azure").machines.get("Standard_NC96ads_A100_v4")
P4DE = provider_of("aws").machines.get("p4de.24xlarge")
P5 = provider_of("aws").machines.get("p5.48xlarge")
TABLE = json.loads(Path(__file__).with_name("measured_on_gpu.json").read_text())
MEASURED = [dict(zip(TABLE["columns"], case, strict=True)) for case in TABLE["cases"]]


def gigabytes(needed: MemoryNeed, name: str) -> Decimal:
    (term,) = (term for term in needed.terms if term.name == name)
    return term.gigabytes


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


class TestTermsByHand:
    """Each term of a model small enough to count: 10 layers of 1,024, a billion parameters."""

    WISH = ModelRequest(parameters=10**9, layers=10, hidden=1024, context=1000, batch=2)

    def term(self, name, gpus, machines=1, **more):
        wish = replace(self.WISH, **more)
        return gigabytes(memory_need(wish, gpus, machines), name) * 10**9

    def test_adapters_are_18_hidden_rank_a_layer(self):
        """Four matrices of h × h and two of h × 4h: 4 · 2 + 2 · 5 = 18 times h · rank."""
        assert self.term("LoRA adapters", 1, task="lora", rank=4) == 18 * 10 * 1024 * 4 * 2

    def test_two_layers_stand_gathered(self):
        assert self.term("gathered layers", 8) == 2 * 10**9 * 2 / 10

    @pytest.mark.parametrize("gpus", [1, 2, 8])
    def test_what_stands_between_the_matrices_is_split(self, gpus):
        """Four of `hidden` are not: the inputs of both norms and what they return."""
        shape = self.WISH.shape
        inner = 2 * shape.head * (shape.heads + shape.kv_heads) + 4 * shape.feed_forward
        each = 2 * 2000 * (4 * 1024 + Decimal(inner) / gpus)
        words = {"gpus": gpus, "sharding": "tensor"}

        assert self.term("activations", recompute="selective", **words) == 10 * each
        assert self.term("activations", recompute="full", **words) == 10 * 2 * 2000 * 1024

    @pytest.mark.parametrize(("gpus", "larger"), [(1, "vocabulary"), (8, "recomputed")])
    def test_the_larger_of_logits_and_a_recomputed_layer_counts(self, gpus, larger):
        """Half of what a layer keeps is not split, while the logits are."""
        wish = ModelRequest(parameters=68_976_648_192, name="llama-2-70b", sharding="tensor")
        (term,) = (term for term in memory_need(wish, gpus).terms if term.name == "output layer")

        assert larger in term.formula


class TestMeasuredOnAGpu:
    """One GPU ran each case: tests/gpu/measure_memory.py."""

    @pytest.mark.parametrize(
        "case",
        MEASURED,
        ids=lambda case: "-".join(str(value) for value in list(case.values())[:5]),
    )
    def test_what_is_counted_is_what_tensors_took(self, case):
        wish = ModelRequest(
            parameters=models()[case["model"]].parameters,
            name=case["model"],
            sharding="none",
            **{key: case[key] for key in ("task", "recompute", "context", "batch")},
        )
        whole = memory_need(wish, 1)
        counted = whole.per_gpu_gb - gigabytes(whole, "left free")

        assert float(counted) == pytest.approx(case["allocated_gb"], rel=0.03)
        assert float(whole.per_gpu_gb) >= 0.92 * case["used_gb"]  # fragments of what is held


def test_every_term_has_a_formula_and_a_source():
    for task in ("train", "lora", "serve"):
        for term in memory_need(ModelRequest(parameters=10**9, task=task), 8).terms:
            assert term.formula
            assert term.source.startswith("https://")


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


SHARDED = st.sampled_from(["none", "zero-1", "zero-2", "zero-3"])
WISHES = st.builds(
    ModelRequest,
    parameters=st.integers(10**6, 10**12),
    task=st.sampled_from(["train", "fine-tune", "lora"]),
    precision=st.sampled_from(["fp32", "bf16", "fp16"]),
    sharding=SHARDED,
    context=st.integers(1, 32768),
    batch=st.integers(1, 64),
    optimizer=st.sampled_from(["adamw", "adamw-8bit", "sgd"]),
    recompute=st.sampled_from(["none", "selective", "full"]),
)
SERVING = st.builds(
    ModelRequest,
    parameters=st.integers(10**6, 10**12),
    task=st.just("serve"),
    precision=st.sampled_from(["fp32", "bf16", "fp8", "int4"]),
    sharding=st.sampled_from(["none", "tensor"]),
    context=st.integers(1, 32768),
    batch=st.integers(1, 64),
)
GPUS = st.integers(1, 64)


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(WISHES, SERVING),
    GPUS,
    st.integers(1, 10**11),
    st.sampled_from([{}, {"layers": 22}, {"hidden": 4096}, {"sharding": "pipeline"}]),
)
@example(
    ModelRequest(
        parameters=2_229_432_391,
        precision="fp32",
        sharding="none",
        context=24,
        batch=64,
        optimizer="sgd",
        recompute="selective",
    ),
    53,
    10_055_672,
    {},
)
@example(ModelRequest(parameters=2_239_488_000, context=1), 64, 10**6, {})
@example(ModelRequest(parameters=2_229_432_391, recompute="selective"), 8, 10**6, {"layers": 22})
def test_more_parameters_never_need_less(wish, gpus, more, given_words):
    wish = replace(wish, **given_words)
    larger = replace(wish, parameters=wish.parameters + more)

    assert memory_need(larger, gpus, 4).per_gpu_gb >= memory_need(wish, gpus, 4).per_gpu_gb


@pytest.mark.parametrize(
    "words",
    [
        {"sharding": "none", "recompute": "selective"},
        {"sharding": "zero-3", "context": 1},
        {"sharding": "none", "recompute": "selective", "batch": 64, "layers": 22},
        {"sharding": "zero-3", "context": 1, "hidden": 4096},
        {"sharding": "pipeline", "context": 64},
    ],
)
def test_no_small_step_in_parameters_needs_less(words):
    needs = [
        memory_need(ModelRequest(parameters=count, **words), 64, 4).per_gpu_gb
        for count in range(2 * 10**9, 3 * 10**9, 5 * 10**6)
    ]

    assert needs == sorted(needs)


@settings(max_examples=60, deadline=None)
@given(st.one_of(WISHES, SERVING), GPUS, st.sampled_from(["context", "batch"]))
def test_more_tokens_never_need_less(wish, gpus, what):
    longer = replace(wish, **{what: getattr(wish, what) * 2})

    assert memory_need(longer, gpus).per_gpu_gb >= memory_need(wish, gpus).per_gpu_gb


@settings(max_examples=60, deadline=None)
@given(st.one_of(WISHES, SERVING), GPUS, GPUS)
def test_more_gpus_never_need_more_of_each(wish, gpus, more):
    assert memory_need(wish, gpus + more).per_gpu_gb <= memory_need(
        wish, gpus
    ).per_gpu_gb + Decimal("1e-9")


@settings(max_examples=60, deadline=None)
@given(WISHES, GPUS)
def test_each_stage_of_zero_needs_no_more_than_the_one_before(wish, gpus):
    stages = [
        memory_need(replace(wish, sharding=stage), gpus).per_gpu_gb
        for stage in ("none", "zero-1", "zero-2", "zero-3")
    ]

    assert all(after <= before + Decimal("1e-9") for before, after in pairwise(stages))


@settings(max_examples=40, deadline=None)
@given(WISHES)
def test_the_fewest_is_the_fewest(wish):
    few = fewest_machines(wish, P5)
    tried = [not misfit_reason(wish, P5, count) for count in range(1, 40)]

    if few is None or few >= 40:
        assert not any(tried)
    else:
        assert tried.index(True) + 1 == few


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
