"""Each term of the memory that a model needs: by hand, as measured, and as it grows."""

import json
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuinfra.catalog.sizing.machine_fit import (
    ModelRequest,
    fewest_machines,
    memory_need,
    misfit_reason,
)
from gpuinfra.catalog.sizing.shapes import models
from tests.catalog.sizing.needs import P5, gigabytes

TABLE = json.loads(Path(__file__).with_name("measured_on_gpu.json").read_text())
MEASURED = [dict(zip(TABLE["columns"], case, strict=True)) for case in TABLE["cases"]]


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
