"""The reader of a prices.yaml and a validator of its JSON Schema refuse the same structures."""

import jsonschema
import pytest
from ruamel.yaml import YAML

from gpuinfra.errors import InputError
from gpuinfra.price_overrides import prices
from gpuinfra.price_overrides.schema import PriceFile
from gpuinfra.stackfile.json_schema import schema

GOOD = "{cloud: aws, machine: p5.48xlarge, region: us-east-1, per_hour: 31.5}"

TEXTS = [
    f"prices: [{GOOD}]",
    f"prices: [{GOOD[:-1]}, currency: CNY, until: '2026-12-31', note: a note, covers: 4}}]",
    f"prices: [{GOOD[:-1]}, tiers: [{{after: 720h, per_hour: 2.38}}]}}]",
    f"prices: [{GOOD[:-1]}, tiers: []}}]",
    f"prices: [{GOOD[:-1]}, covers: 0}}]",
    f"prices: [{GOOD[:-1]}, covers: 1.5}}]",
    f"prices: [{GOOD[:-1]}, until: tomorrow}}]",
    f"prices: [{GOOD[:-1]}, currency: yuan}}]",
    f"prices: [{GOOD.replace('31.5', '0')}]",
    f"prices: [{GOOD.replace('31.5', '-1')}]",
    f"prices: [{GOOD[:-5]}'31.50'}}]",
    f"prices: [{GOOD[:-5]}'0.0'}}]",
    f"prices: [{GOOD.replace('31.5', 'cheap')}]",
    f"prices: [{GOOD.replace(', per_hour: 31.5', '')}]",
    f"prices: [{GOOD.replace('us-east-1', 'US East')}]",
    f"prices: {GOOD}",
    f"price: [{GOOD}]",
    f"prices: [{GOOD}]\ncurency: EUR",
    "currency: EUR",
    "exchange_rates: {CNY: 0.14}",
    "exchange_rates: {CNY: 0}",
    "exchange_rates: {CNY: '0.14'}",
    "exchange_rates: {yuan: 0.14}",
    "exchange_rates: [CNY]",
    "discounts: [{cloud: aws, off: 12%}]",
    "discounts: [{cloud: aws, off: 12}]",
    "discounts: [{cloud: aws, off: 100%}]",
    "discounts: [{cloud: aws, off: 12%, machines: []}]",
    "discounts: [{cloud: aws, off: 12%, modes: [on-demand, on-demand]}]",
    "services: [{cloud: aws, item: nat-gateway-hour, region: us-east-1, per_unit: 0.04}]",
    "services: [{cloud: aws, item: nat-gateway-hour, region: us-east-1, per_hour: 0.04}]",
    "hardware: {dgx: {gpu: V100-32GB:8, region: berlin, per_hour: 6, architecture: x86_64}}",
    "hardware: {dgx: {gpu: V100-32GB:8, region: berlin, per_hour: 6, architecture: x64}}",
    "hardware: {dgx: {gpu: V100-32GB, region: berlin, per_hour: 6}}",
    "hardware: {DGX: {gpu: V100-32GB:8, region: berlin, per_hour: 6}}",
    "hardware: [dgx]",
]


@pytest.mark.parametrize("text", TEXTS)
def test_both_refuse_the_same(write, text):
    validator = jsonschema.Draft202012Validator(schema(PriceFile, "prices"))
    value = YAML(typ="safe", pure=True).load(f"version: 1\n{text}")
    try:
        prices.read_own_prices(write(text))
    except InputError as error:
        refused = any(problem.structural for problem in error.problems)
    else:
        refused = False

    assert refused is not validator.is_valid(value)
