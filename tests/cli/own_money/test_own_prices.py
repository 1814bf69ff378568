"""The user's own prices through the commands that they run."""

import json
from pathlib import Path

import pytest

from tests.cli.own_money.conftest import P3
from tests.pulumi_files.files import entry, state


@pytest.fixture
def quoted(gpuinfra):
    """The line of the machines and the standing rung that `gpuinfra cost` gives."""

    def quote(folder: Path, *options: str):
        ran = gpuinfra("cost", folder, "--json", *options)
        quote = json.loads(ran.out)["quote"]
        line = next(
            line for line in quote["lines"] if line["group"] and line["item"].count(".") == 1
        )
        return ran, line, quote

    return quote


@pytest.mark.parametrize(
    ("row", "run"),
    [
        ("per_hour: 3.06", 26805.60),
        ("per_hour: 1.38, basis: reserved-1y", 12088.80),
        ("paid: 12088.80, term: 365d, basis: reserved-1y, covers: 1", 12088.80),
    ],
)
def test_the_guides_year_of_a_p3(folder, quoted, row, run):
    ran, line, quote = quoted(folder(f"prices: [{{{P3}, {row}}}]"))

    assert ran.code == 0
    assert (line["item"], line["origin"], line["as_of"]) == ("p3.2xlarge", "user", "")
    assert line["source"].startswith("yours: prices.yaml:2")
    assert line["per_run"] == pytest.approx(run, abs=1e-9)
    assert quote["rungs"][0]["machines_per_run"] == pytest.approx(run, abs=1e-9)
    told = any("$12,088.80 paid for 365d" in warning for warning in quote["warnings"])
    assert told is ("paid" in row)


def test_an_own_price_is_marked_in_the_table(folder, gpuinfra):
    ran = gpuinfra(
        "cost", "--detail", folder(f"prices: [{{{P3}, per_hour: 3.06, note: private offer}}]")
    )

    (row,) = [line for line in ran.out.splitlines() if "on-demand p3.2xlarge" in line]
    assert row.rstrip().endswith("yours [1]")
    assert "[1] yours: prices.yaml:2 (private offer)" in ran.out


@pytest.mark.parametrize(
    ("command", "mark"),
    [("check -v", "every price is known; your own prices: p3.2xlarge"), ("plan", "yours $3.06")],
)
def test_check_and_plan_mark_it_too(folder, gpuinfra, command, mark):
    assert mark in gpuinfra(*command.split(), folder(f"prices: [{{{P3}, per_hour: 3.06}}]")).out


def test_without_an_own_price_nobody_offers_a_p3_any_more(folder, gpuinfra):
    ran = gpuinfra("cost", "--detail", folder())

    assert ran.code == 2
    assert "p3.2xlarge" in ran.err


def test_a_tier_counts_by_hours_of_continuous_use(folder, quoted):
    own = f"prices: [{{{P3}, per_hour: 2.80, tiers: [{{after: 720h, per_hour: 2.38}}]}}]"
    _, line, quote = quoted(folder(own, nodes=2))

    assert (line["rate"], line["per_hour"]) == (2.8, 5.6)
    assert line["per_month"] == pytest.approx(2 * (720 * 2.80 + 10 * 2.38))
    assert line["per_run"] == pytest.approx(2 * (720 * 2.80 + 8040 * 2.38))
    assert quote["per_run"]["ceiling"] >= line["per_run"]


def test_a_price_in_yuan_is_unpriced_without_a_rate_and_nothing_is_added(folder, quoted):
    ran, line, quote = quoted(folder(f"prices: [{{{P3}, per_hour: 20, currency: CNY}}]"))

    assert ran.code == 1
    assert (line["status"], line["per_hour"]) == ("unpriced", None)
    (told,) = quote["unpriced"]
    assert told == (
        "trainer: p3.2xlarge in us-east-1 costs 20.00 CNY per hour, and no exchange rate "
        "is set: add exchange_rates: {CNY: …} under prices, with the US dollars per CNY"
    )
    others = sum(line["per_hour"] or 0 for line in quote["lines"])
    assert quote["per_hour"]["ceiling"] == pytest.approx(others)


def test_a_total_without_one_of_its_prices_is_the_least_that_it_may_be(folder, gpuinfra):
    ran = gpuinfra("cost", "--detail", folder(f"prices: [{{{P3}, per_hour: 20, currency: CNY}}]"))
    (total,) = [line for line in ran.out.splitlines() if line.lstrip().startswith("per hour")]

    assert total.split()[2:4] == ["at", "least"]


@pytest.mark.parametrize(
    "where",
    [{"own": "exchange_rates: {CNY: 0.15}\n"}, {"prices": ", exchange_rates: {CNY: 0.15}"}],
    ids=["prices.yaml", "stack.yaml"],
)
def test_a_price_in_yuan_is_converted_at_the_users_rate_and_said_so(folder, quoted, where):
    own = f"{where.get('own', '')}prices: [{{{P3}, per_hour: 20, currency: CNY}}]"
    ran, line, quote = quoted(folder(own, prices=where.get("prices", "")))

    assert ran.code == 0
    assert line["per_hour"] == 3
    assert "p3.2xlarge in us-east-1: 20.00 CNY per hour at $0.15 each" in quote["warnings"]


def test_a_list_price_in_yuan_is_converted_too(folder, quoted):
    _, line, _ = quoted(
        folder(machine="g4dn.xlarge", region="cn-north-1", prices=", exchange_rates: {CNY: 0.5}")
    )
    _, without, _ = quoted(folder(machine="g4dn.xlarge", region="cn-north-1"))

    assert without["status"] == "unpriced"
    assert (line["status"], line["origin"]) == ("priced", "catalog")
    assert "CNY per hour at $0.50 each" in line["note"]


def test_an_ended_offer_no_longer_counts_and_is_noted(folder, gpuinfra):
    row = P3.replace("p3.2xlarge", "g6.xlarge")
    own = f"prices: [{{{row}, per_hour: 0.5, until: 2026-06-30}}]"
    path = folder(own, machine="g6.xlarge", duration="1h")
    held = gpuinfra("cost", "--detail", path, "--as-of", "2026-06-30")
    ended = gpuinfra("cost", "--detail", path, "--as-of", "2026-07-01")

    assert ("yours: prices.yaml:2" in held.out, "prices.yaml:2 ended" in held.err) == (True, False)
    assert ("yours: prices.yaml:2" in ended.out, "prices.yaml:2 ended" in ended.err) == (
        False,
        True,
    )


def test_more_machines_than_a_reservation_covers_are_refused_at_its_line(folder, gpuinfra):
    own = f"prices: [{{{P3}, paid: 12088.80, term: 365d, covers: 2}}]"
    ran = gpuinfra("check", folder(own, nodes=3))

    assert ran.code == 2
    assert "prices.yaml:2:10: prices.yaml:2 covers 2 × p3.2xlarge" in ran.err


@pytest.mark.parametrize("command", ["check", "plan", "cost"])
def test_mistakes_of_both_files_are_told_at_once(folder, gpuinfra, command):
    path = folder("prices: [{cloud: awz, machine: p3.2xlarge, region: us-east-1, per_hour: 3}]")
    text = (path / "stack.yaml").read_text()
    (path / "stack.yaml").write_text(text.replace("owner: ml", "owner: ml\nbudjet: {}"))
    ran = gpuinfra(command, path)

    assert ran.code == 2
    assert ran.err.index("stack.yaml:4:1: unknown key 'budjet'") < ran.err.index(
        "prices.yaml:2:18: unknown cloud"
    )
    assert "did you mean 'aws'?" in ran.err
    assert "Traceback" not in ran.err


ANYWHERE = """\
version: 1
name: anywhere
owner: ml
where: {cloud: any, regions: [us-east-1, us-central1]}
prices: {accept_outdated: true}
training:
  trainer: {gpu: L4:1, capacity: on-demand, duration: 1h}
"""


def test_an_own_price_may_settle_the_cloud_and_the_reason_says_whose_it_is(tmp_path, gpuinfra):
    (tmp_path / "stack.yaml").write_text(ANYWHERE)
    for cloud, machine, region in (
        ("aws", "g6.xlarge", "us-east-1"),
        ("gcp", "g2-standard-4", "us-central1"),
    ):
        row = f"cloud: {cloud}, machine: {machine}, region: {region}, per_hour: 0.1"
        (tmp_path / "prices.yaml").write_text(f"version: 1\nprices: [{{{row}}}]\n")
        out = gpuinfra("plan", tmp_path).out

        assert f"runs on {cloud}: on-demand {machine} in {region}" in out
        assert "at $0.10 an hour, your own price" in out


def test_a_price_that_nothing_in_the_stack_uses_is_noted(folder, gpuinfra):
    rows = ", ".join(
        f"{{{P3}, mode: {mode}, per_hour: {price}}}"
        for mode, price in (("on-demand", 3.06), ("reserved-1y", 1.38), ("spot", 0.9))
    )
    elsewhere = P3.replace("us-east-1", "us-west-2")
    ran = gpuinfra("cost", "--detail", folder(f"prices: [{rows}, {{{elsewhere}, per_hour: 9}}]"))

    assert ran.code == 0
    notes = [line.removeprefix("note: ") for line in ran.err.splitlines() if "not used" in line]
    assert notes == [
        (
            "prices.yaml:2: reserved-1y of p3.2xlarge is not used by this stack;"
            " `gpuinfra commitments` compares it"
        ),
        "prices.yaml:2: spot of p3.2xlarge is not used by this stack",
    ]


@pytest.mark.parametrize("file", ["prices", "purchase"])
def test_each_file_has_a_schema(gpuinfra, file):
    import jsonschema

    ran = gpuinfra("schema", file)

    jsonschema.Draft202012Validator.check_schema(json.loads(ran.out))


def test_a_check_of_a_state_tells_of_an_own_price_that_can_hardly_be_meant(tmp_path, gpuinfra):
    (tmp_path / "state.json").write_text(json.dumps(state(entry(id="i-1", outputs={}))))
    (tmp_path / "settings.yaml").write_text("budget: {per_hour: 100}\nregion: us-east-1\n")
    price = "{cloud: aws, machine: p5.48xlarge, region: us-east-1, per_hour: %s}"
    told = {}
    for amount in ("0.01", "31.50"):
        (tmp_path / "prices.yaml").write_text(f"version: 1\nprices: [{price % amount}]\n")
        settings = ("--settings", tmp_path / "settings.yaml", "--json")
        ran = gpuinfra("check", tmp_path / "state.json", *settings)
        told[amount] = [note for note in json.loads(ran.out)["notes"] if "list price" in note]

    assert "far from the list price of $55.04" in told["0.01"][0]
    assert told["31.50"] == []
