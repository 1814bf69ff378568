"""The examples of docs/prices.md can be written as they stand."""

import re
from pathlib import Path

import pytest

from gpuinfra.price_overrides import prices, rent_or_buy, schema

DOCUMENT = Path(__file__).parents[2] / "docs" / "prices.md"


def examples(form) -> dict[str, str]:
    """What the descriptions of a form give as an example, by key."""
    matches = {
        key: re.search(r"for example ([A-Z]{3}: [\d.]+|[^\s,;]+)", field.description or "")
        for key, field in form.model_fields.items()
    }
    return {key: match[1].rstrip(".") for key, match in matches.items() if match}


@pytest.mark.parametrize(
    ("form", "row"),
    [
        (schema.MachinePrice, "prices: [{{{}, paid: 9}}]"),
        (schema.ServicePrice, "services: [{{{}, per_unit: 1}}]"),
        (schema.Discount, "discounts: [{{{}}}]"),
        (schema.Hardware, "hardware: {{x: {{{}, per_hour: 1}}}}"),
    ],
)
def test_the_example_of_every_key_is_taken(write, form, row):
    given = ", ".join(f"{key}: {example}" for key, example in examples(form).items())

    assert {"region", "off"} & set(examples(form))
    assert prices.read_own_prices(write(row.format(given)))


def test_the_gpus_that_a_refusal_gives_are_taken(write, problems):
    (told,) = problems("hardware: {x: {gpu: V100, region: berlin, per_hour: 1}}")
    example = told.allowed.rpartition(" ")[2]

    assert prices.read_own_prices(
        write(f"hardware: {{x: {{gpu: {example}, region: berlin, per_hour: 1}}}}")
    )


def test_the_examples_that_a_refusal_gives_are_taken(write):
    rest = "prices: [{cloud: aws, machine: g6.xlarge, region: us-east-1, per_hour: 9, %s}]"
    tiers = schema.MachinePrice.model_fields["tiers"].metadata[0].example
    fix = schema.PriceFile.needs.fix

    assert prices.read_own_prices(write(rest % tiers))
    assert prices.read_own_prices(write(fix.removeprefix("write ")))
    for key in ("machines", "regions", "modes"):
        field = schema.Discount.model_fields[key]
        (example,) = re.findall(r"example='(.*?)'", repr((field.metadata, field.annotation)))
        assert prices.read_own_prices(write(f"discounts: [{{cloud: aws, off: 12%, {example}}}]"))


@pytest.mark.parametrize(
    ("place", "read"), [(0, prices.read_own_prices), (1, rent_or_buy.read_purchase)]
)
def test_an_example_is_read(tmp_path, place, read):
    path = tmp_path / "example.yaml"
    path.write_text(re.findall(r"```yaml\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[place])

    assert read(path)
