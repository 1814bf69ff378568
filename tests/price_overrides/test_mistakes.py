"""Every mistake in a prices.yaml is told at once, at its place, with the way out."""

from decimal import Decimal

import pytest

from gpuinfra.price_overrides.prices import read_own_prices

GOOD = "{cloud: aws, machine: p5.48xlarge, region: us-east-1, per_hour: 31.5}"

TIER = "{after: 2h, per_hour: 9}"

MISTAKES = {
    "a misspelt key": (
        f"price: [{GOOD}]",
        "unknown key 'price'",
        "prices",
    ),
    "a misspelt key in a row": (
        f"prices: [{GOOD.replace('per_hour', 'per_huor')}]",
        "unknown key 'per_huor' in prices[0]",
        "per_hour",
    ),
    "another word for a discount": (
        "discounts: [{cloud: aws, percent: 20%}]",
        "unknown key 'percent' in discounts[0]",
        "off",
    ),
    "a decimal comma": (
        'exchange_rates: {CNY: "7,25"}',
        "exchange_rates.CNY is not an amount",
        "7.25",
    ),
    "a comma between thousands": (
        "prices: [" + GOOD.replace("31.5", "'1,250'") + "]",
        "prices[0].per_hour is not an amount",
        "1250",
    ),
    "thousands as k": (
        f"prices: [{GOOD.replace('31.5', '1.5k')}]",
        "prices[0].per_hour is not an amount",
        "1500",
    ),
    "an unknown cloud": (
        f"prices: [{GOOD.replace('aws', 'awz')}]",
        "unknown cloud",
        "aws",
    ),
    "an unknown machine": (
        f"prices: [{GOOD.replace('p5.48xlarge', 'p5.48xlrge')}]",
        "unknown machine type",
        "p5.48xlarge",
    ),
    "an unknown region": (
        f"prices: [{GOOD.replace('us-east-1', 'us-esat-1')}]",
        "unknown region of aws",
        "us-east-1",
    ),
    "an unknown purchase option": (
        f"prices: [{GOOD[:-1]}, mode: on-demandd}}]",
        "unknown purchase option",
        "on-demand",
    ),
    "an unknown currency": (
        f"prices: [{GOOD[:-1]}, currency: CNZ}}]",
        "prices[0].currency is not a currency",
        "CNY",
    ),
    "an unknown currency of a rate": (
        "exchange_rates: {EUT: 1.1}",
        "the name 'EUT' is not a currency",
        "EUR",
    ),
    "dollars for a dollar": ("exchange_rates: {USD: 1}", "the name 'USD' needs no rate", ""),
    "a rate of zero": ("exchange_rates: {EUR: 0}", "exchange_rates.EUR is zero", ""),
    "nothing for something": (
        f"prices: [{GOOD.replace('31.5', '0')}]",
        "prices[0].per_hour is zero",
        "",
    ),
    "nothing for something, as text": (
        f"prices: [{GOOD.replace('31.5', chr(34) + '0.00' + chr(34))}]",
        "prices[0].per_hour is not an amount",
        "",
    ),
    "less than nothing": (
        f"prices: [{GOOD.replace('31.5', '-1')}]",
        "prices[0].per_hour is negative",
        "",
    ),
    "no price": (
        f"prices: [{GOOD.replace(', per_hour: 31.5', '')}]",
        "prices[0] has no price",
        "",
    ),
    "paid for no term": (
        f"prices: [{GOOD.replace('per_hour', 'paid')}]",
        "`paid` requires `term`",
        "",
    ),
    "a day that is none": (
        f"prices: [{GOOD[:-1]}, until: 2026-02-30}}]",
        "prices[0].until is not in the calendar",
        "",
    ),
    "a malformed day": (
        f"prices: [{GOOD[:-1]}, until: 30.6.2026}}]",
        "prices[0].until is not a date",
        "",
    ),
    "the same twice": (
        f"prices: [{GOOD}, {GOOD.replace('31.5', '30')}]",
        "a second price for the same item as prices[0]",
        "",
    ),
    "a tier that rises": (
        f"prices: [{GOOD[:-1]}, tiers: [{{after: 720h, per_hour: 40}}]}}]",
        "a tier costs more than the one before it",
        "",
    ),
    "tiers out of order": (
        f"prices: [{GOOD[:-1]}, tiers: [{TIER}, {TIER.replace('2h', '1h')}]}}]",
        "each tier must start later than the one above it",
        "",
    ),
    "a basis of spot": (
        f"prices: [{GOOD[:-1]}, mode: spot, basis: reserved-1y}}]",
        "basis applies only to an on-demand price",
        "",
    ),
    "all of the price off": (
        "discounts: [{cloud: aws, off: 100%}]",
        "discounts[0].off is not accepted",
        "",
    ),
    "an unknown service": (
        "services: [{cloud: aws, item: nat-gateway-hours, region: us-east-1, per_unit: 1}]",
        "unknown service of aws",
        "nat-gateway-hour",
    ),
    "an unknown GPU": (
        "hardware: {x: {gpu: G100:8, region: berlin, per_hour: 1}}",
        "unknown GPU",
        "V100:8",
    ),
    "a family of GPUs": (
        "hardware: {x: {gpu: H100:8, region: berlin, per_hour: 1}}",
        "H100 matches several GPUs",
        "",
    ),
    "nothing at all": ("currency: EUR", "the file has no prices", ""),
    "a text": ("prices: cheap", "prices is text, but must be a list", ""),
    "a tag": ("prices: !!python/object:os.system x", "YAML tags are not supported", ""),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_at_its_place(name, problems):
    text, message, suggestion = MISTAKES[name]
    (problem,) = [problem for problem in problems(text) if message in problem.message]

    assert problem.suggestion == suggestion
    assert problem.position is not None
    assert problem.position.line == (1 if name == "nothing at all" else 2)
    assert problem.allowed or problem.fix


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(problems):
    told = problems(
        "curency: EUR\n"
        "prices:\n"
        "  - {cloud: aws, machine: p5.48xlarge, region: us-east-1, per_hour: 0}\n"
        "  - {cloud: aws, machine: p5.48xlrge, region: us-east-1, per_hour: 1}\n"
    )

    assert [problem.position.line for problem in told] == [2, 4, 5]
    assert told[2].suggestion == "p5.48xlarge"


HALF_REFUSED = {
    "cloud: awz, machine: p5.48xlarge, region: us-east-1, per_hour: 1, until: soon": {
        "cloud: unknown cloud",
        "until: prices[0].until is not a date",
    },
    "cloud: aws, machine: p5.48xlargee, region: us-esat-1, mode: on-demandd, per_hour: -1": {
        "machine: unknown machine type",
        "region: unknown region of aws",
        "mode: unknown purchase option",
        "per_hour: prices[0].per_hour is negative",
    },
    "cloud: aws, machine: p5.48xlarge, region: us-east-1, paid: 9, basis: free-9y, covers: 0": {
        "paid: `paid` requires `term`",
        "basis: unknown purchase option",
        "covers: prices[0].covers is out of range",
    },
    "cloud: aws, machine: p5.48xlarge, region: us-est-1, mode: spot, basis: reserved-1y": {
        "region: unknown region of aws",
        "basis: basis applies only to an on-demand price",
        "0: prices[0] has no price",
    },
    "cloud: aws, machine: 7, region: us-est-1, per_hour: x, tiers: [{after: 2h, per_hour: 9}, "
    "{after: 1h, per_hour: 8}]": {
        "machine: prices[0].machine is a number, but must be text",
        "region: unknown region of aws",
        "per_hour: prices[0].per_hour is not an amount",
        "after: each tier must start later than the one above it",
    },
    "cloud: 7, machine: p5.48xlargee, region: us-esat-1, per_hour: 1": {
        "cloud: prices[0].cloud is a number, but must be text"
    },
}


@pytest.mark.parametrize("row", HALF_REFUSED)
def test_what_the_grammar_refuses_in_one_key_hides_nothing_in_the_others(row, problems):
    told = problems(f"prices:\n  - {{{row}}}\n")

    assert {f"{problem.path[-1]}: {problem.message}" for problem in told} == HALF_REFUSED[row]
    assert {problem.position.line for problem in told} == {3}
    columns = [problem.position.column for problem in told]
    assert columns == sorted(columns)
    assert len(set(columns)) == len(columns)


def test_nor_does_it_in_services_discounts_and_hardware(problems):
    told = problems(
        "services:\n"
        "  - {cloud: aws, item: nat-gateway-hours, region: us-esat-1, per_unit: -1}\n"
        "discounts:\n"
        "  - {cloud: aws, machines: [p4d.24xlarg], regions: [us-esat-1], off: 120%}\n"
        "hardware:\n"
        "  x: {gpu: G100:8, region: berlin, per_hour: 0}\n"
    )

    assert [(problem.position.line, problem.path[-1], problem.suggestion) for problem in told] == [
        (3, "item", "nat-gateway-hour"),
        (3, "region", "us-east-1"),
        (3, "per_unit", ""),
        (5, 0, "p4d.24xlarge"),
        (5, 0, "us-east-1"),
        (5, "off", ""),
        (7, "gpu", "V100:8"),
        (7, "per_hour", ""),
    ]


def test_the_same_twice_is_told_though_one_of_them_has_a_fault(problems):
    told = problems(f"prices: [{GOOD}, {GOOD.replace('31.5', '-1')}]")

    assert [problem.message for problem in told] == [
        "a second price for the same item as prices[0]",
        "prices[1].per_hour is negative",
    ]


def test_aliases_that_multiply_are_refused(problems):
    bomb = "x0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    bomb += "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]\n" for n in range(1, 6))

    assert any("repeat too many values" in problem.message for problem in problems(bomb))


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.mkdir(), "is not a text file"),
        (lambda path: path.symlink_to(path), "leads to itself"),
        (lambda path: path.write_bytes(b"version: \xff"), "the file is not UTF-8"),
        (lambda path: path.write_text(""), "the file is empty"),
        (lambda path: path.write_text("a: [\n"), "a bracket or brace is not closed, or"),
        (lambda path: path.write_bytes(b"# " + b"x\n# " * 2_000_000), "larger than 4 MiB"),
    ],
)
def test_a_file_that_is_none_is_told_in_words(tmp_path, write, message):
    from gpuinfra.errors import InputError
    from gpuinfra.price_overrides import prices

    path = tmp_path / "prices.yaml"
    write(path)
    with pytest.raises(InputError, match=message):
        prices.read_own_prices(path)


@pytest.mark.parametrize(
    ("cloud", "machine", "region"),
    [
        ("aws", "t3.micro", "us-east-1"),
        ("azure", "Standard_D4s_v5", "eastus"),
        ("gcp", "e2-medium", "us-central1"),
    ],
)
def test_a_machine_without_gpus_may_have_a_price(tmp_path, cloud, machine, region):
    file = tmp_path / "prices.yaml"
    row = f"{{cloud: {cloud}, machine: {machine}, region: {region}, per_hour: 0.1}}"
    file.write_text(f"version: 1\nprices: [{row}]\n")
    assert read_own_prices(file).price_book().on_demand(
        cloud, machine, region
    ).per_unit == Decimal("0.1")
