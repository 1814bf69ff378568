"""`for_model`, `energy` and what a checkpoint weighs, as people write them."""

from datetime import timedelta
from decimal import Decimal

import pytest

from gpuinfra.errors import InputError
from gpuinfra.specs.parameter_counts import (
    MIN_PARAMETERS,
    format_parameters,
    parse_parameters,
)
from gpuinfra.stackfile import loads
from gpuinfra.units import UnitError


def problem(small, old, new):
    with pytest.raises(InputError) as caught:
        loads(small.replace(old, new))
    (only,) = caught.value.problems
    return only


def test_the_whole_grammar_is_read(whole):
    stack = loads(whole).stack
    model = stack.training["sft"].gpu.for_model
    saves = stack.training["trainer"].checkpoints

    assert (model.parameters, model.task, model.sharding) == (70 * 10**9, "lora", "fsdp")
    assert (model.layers, model.hidden, model.rank) == (80, 8192, 8)
    assert stack.training["small-model"].gpu.for_model.name == "llama-3.1-8b"
    assert (saves.size, saves.write, saves.restart) == (
        140 * 10**9,
        2 * 10**9,
        timedelta(minutes=10),
    )
    assert stack.training["trainer"].data[0].rate == 4 * 10**9
    assert stack.training["trainer"].interruptions == Decimal("0.025")
    assert (stack.energy.pue, stack.energy.carbon) == (Decimal("1.5"), Decimal(400))


@pytest.mark.parametrize("gpu", ["70B", "70B:8", "70b:8"])
def test_a_size_in_the_place_of_a_gpu_names_the_key_for_it(small, gpu):
    assert "write gpu: {for_model: 70B}" in problem(small, "gpu: L4:1", f"gpu: {gpu}").fix


@pytest.mark.parametrize("written", ["7B", "7b", "7 b", "{parameters: 7b}"])
def test_a_size_alone_is_a_model(small, written):
    request = f"gpu: {{for_model: {written}}}"
    model = loads(small.replace("gpu: L4:1", request)).stack.training["t"].gpu

    assert model.for_model.parameters == 7 * 10**9
    assert model.for_model.task is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("7e9", "7B"),
        ("7.0e9", "7B"),
        ("70 billion", "70B"),
        ("70", "70B"),
        ("7000000000", "7B"),
        ("0B", ""),
    ],
)
def test_a_size_in_other_words_is_refused_with_what_was_meant(small, written, meant):
    refusal = problem(small, "gpu: L4:1", f"gpu: {{for_model: {{parameters: {written}}}}}")

    assert refusal.suggestion == meant
    assert "70B" in refusal.allowed
    assert refusal.position.line == 6


def test_a_wrong_sharding_gets_a_guess(small):
    refusal = problem(small, "gpu: L4:1", "gpu: {for_model: {parameters: 7B, sharding: zero3}}")

    assert refusal.suggestion == "zero-3"
    assert "training.t.gpu.for_model.sharding" in refusal.message


@pytest.mark.parametrize(
    ("written", "meant"),
    [("400", "400 g/kWh"), ("400g", "400 g/kWh"), ("1e9", ""), ("40000", ""), ("1.2.3", "")],
)
def test_carbon_needs_its_unit(small, written, meant):
    refusal = problem(small, "owner: me", f"owner: me\nenergy: {{carbon: {written}}}")

    assert refusal.suggestion == meant
    assert "400 g/kWh" in refusal.allowed


def test_a_rate_of_interruptions_is_a_share_of_machines(small):
    stack = loads(small.replace("gpu: L4:1", "gpu: L4:1, interruptions: 2.5%")).stack

    assert stack.training["t"].interruptions == Decimal("0.025")


@pytest.mark.parametrize(
    ("written", "meant"), [("0%", ""), ("100%", ""), ("0.05", "5%"), ("5", "5%"), ("-5%", "")]
)
def test_a_rate_that_is_none_is_refused(small, written, meant):
    refusal = problem(small, "gpu: L4:1", f"gpu: L4:1, interruptions: {written}")

    assert refusal.suggestion == meant
    assert "above 0% and below 100%" in refusal.allowed
    assert "training.t.interruptions" in refusal.message


@pytest.mark.parametrize(
    ("text", "count"), [("350M", 350 * 10**6), ("1.8T", 1.8e12), ("70 B", 7 * 10**10)]
)
def test_parameters_are_read(text, count):
    assert parse_parameters(text) == count


@pytest.mark.parametrize("text", ["", "B", "-7B", "7BB", "1e400", "5000T", "0.0001M", "\uff17B"])
def test_other_texts_are_no_parameters(text):
    with pytest.raises(UnitError):
        parse_parameters(text)


def test_a_number_of_parameters_out_of_range_names_the_range():
    with pytest.raises(UnitError) as caught:
        parse_parameters("0.0001M")
    assert caught.value.allowed.endswith("at least 0.001M, at most 1000T")
    assert parse_parameters("0.001M") == MIN_PARAMETERS


def test_parameters_are_shown_short():
    assert format_parameters(70_553_706_496) == "70.6B"
    assert format_parameters(70 * 10**9) == "70B"
    assert format_parameters(parse_parameters("110M")) == "110M"
