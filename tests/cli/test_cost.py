"""`gpuinfra cost`: each line with its price, what is not known with its rate, and rungs."""

import json
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.api.checking import check_stack
from gpuinfra.cost.breakdown import fallbacks
from gpuinfra.report.summary import hours
from gpuinfra.units import format_money, round_half_up
from tests.cli.conftest import STACKS, Run

DAY = date(2026, 11, 21)
Stack = Callable[..., Path]
USAGE = ("rules:\n", "usage: {data_out: 2TB, nat_data: 500GB}\nrules:\n")
REQUESTS = ("{size: 500GB,", "{size: 500GB, reads: 10M, writes: 1M,")


def test_the_totals_are_shown_with_pools_at_their_minimum(gpuinfra: Run, stack: Stack) -> None:
    fresh = stack()
    each = "cloud: aws, region: us-east-1, mode: spot, per_hour"
    fresh.with_name("prices.yaml").write_text(
        f"version: 1\nprices: [{{machine: g6.8xlarge, {each}: 0.9}}, {{machine: g6.xlarge, {each}:"
        " 0.3}]\n"
    )
    ran = gpuinfra("cost", fresh, "--detail")

    assert re.search(r"maximum +pools at minimum +expected", ran.out)
    total = json.loads(gpuinfra("cost", fresh, "--json").out)["quote"]["per_hour"]
    assert total["expected"] < total["minimum"] < total["ceiling"]
    assert re.search(rf"per hour +\${total['ceiling']:.2f} +\${total['minimum']:.2f} ", ran.out)


@pytest.mark.parametrize(("price", "waits"), [("1.8", True), ("1.2", False)])
def test_a_bid_below_the_last_known_price_is_named(
    price: str, waits: bool, gpuinfra: Run, stack: Stack
) -> None:
    fresh = stack()
    fresh.with_name("prices.yaml").write_text(
        "version: 1\nprices: [{machine: g6.8xlarge, cloud: aws, region: us-east-1, mode: spot, "
        f"per_hour: {price}}}, "
        "{machine: g6.xlarge, cloud: aws, region: us-east-1, mode: spot, per_hour: 0.3}]\n"
    )

    out = " ".join(gpuinfra("cost", fresh).out.split())
    lines = json.loads(gpuinfra("cost", fresh, "--json").out)["quote"]["lines"]

    assert ("above max_price $1.50: the request may wait" in out) is waits
    assert (
        bool(re.search(r"expected: \S+/h, \S+/month\S* .*if the spot request is filled", out))
        is waits
    )
    assert [line["name"] for line in lines if line["may_wait"]] == ["trainer"] * waits


def test_a_spot_price_as_high_as_its_maximum_is_named(gpuinfra: Run, stack: Stack) -> None:
    fresh = stack(("max_price: 1.50", "max_price: 1.2"))
    fresh.with_name("prices.yaml").write_text(
        "version: 1\nprices: [{machine: g6.8xlarge, cloud: aws, region: us-east-1, mode: spot, "
        "per_hour: 1.2}, "
        "{machine: g6.xlarge, cloud: aws, region: us-east-1, mode: spot, per_hour: 0.3}]\n"
    )

    out = " ".join(gpuinfra("cost", fresh).out.split())

    assert "(g6.8xlarge at its maximum, in its most expensive zone)" in out


def test_a_run_says_what_it_leaves_out_and_what_that_costs_in_its_hours(
    gpuinfra: Run, quickstart: Path
) -> None:
    out = " ".join(gpuinfra("cost", quickstart).out.split())

    assert (
        "trainer: at most $16.28 a run of 4 h for machines and disks; not included: $0.26 in"
        " those hours for address, NAT gateway, bucket"
    ) in out
    (five, six) = (
        " ".join(gpuinfra("cost", STACKS / name).out.split())
        for name in ("startup-aws", "training")
    )
    assert " in those hours for key, alarm, address, NAT gateway, bucket " in five
    assert " in those hours for key, alarm, address, NAT gateway, 2 other kinds " in six


@pytest.mark.parametrize(
    ("cloud", "region", "holds"),
    [
        ("aws", "us-east-1", "machines and disks"),
        ("gcp", "us-central1", "machines, disks and NAT gateway"),
        ("azure", "eastus", "machines and disks"),
    ],
)
def test_a_run_says_all_that_its_figure_holds(
    gpuinfra: Run, tmp_path: Path, cloud: str, region: str, holds: str
) -> None:
    (tmp_path / "stack.yaml").write_text(
        f"name: held\nowner: ml\nwhere: {{cloud: {cloud}, regions: [{region}]}}\n"
        "training: {tune: {gpu: T4, duration: 24h}}\n"
    )
    out = " ".join(gpuinfra("cost", tmp_path).out.split())

    assert f"/run for {holds};" in out
    assert f"a run of 24 h for {holds};" in out


def test_a_stale_spot_price_leaves_the_expected_total_unknown(
    gpuinfra: Run, quickstart: Path
) -> None:
    quote = json.loads(gpuinfra("cost", quickstart, "--json").out)["quote"]

    assert quote["per_hour"]["expected"] is None
    (warning,) = [it for it in quote["warnings"] if "price of g6.xlarge in us-east-1" in it]
    assert ", $0.3921, is dated 2025-04-24, more than 365 days ago, and " in warning
    out = gpuinfra("cost", quickstart).out
    assert re.search(r"/month, with [^:]*: the spot price of g6", out)
    assert out.count("more than 365 days ago") == 1


def test_what_nobody_said_prints_its_rate_and_what_was_said_its_cost(
    gpuinfra: Run, stack: Stack
) -> None:
    unsaid = gpuinfra("cost", stack(), "--detail").out
    output = gpuinfra("cost", stack(USAGE, REQUESTS), "--detail").out

    charges, counted = (
        out.partition("\nbilled by use, not counted\n") for out in (unsaid, output)
    )
    for row in (
        r"trainer +NAT gateway, data +\$0\.045 +GB ",
        r"us-east-1 +data to the internet +\$0\.09 +GB ",
        r"data +bucket S3 Standard GET requests +\$0\.0004 +thousand requests ",
    ):
        assert re.search(f"^{row}", charges[2], re.MULTILINE), row
    assert re.search(r"^us-east-1 +data between zones +\$0\.01 +GB ", counted[2], re.MULTILINE)
    assert "NAT gateway, data" not in counted[2]
    assert "S3 Standard" not in counted[2].partition("sources of prices")[0]
    for row in (
        r"data +bucket S3 Standard GET requests +10,000 thousand requests +\$0\.0004 ",
        r"us-east-1 +data to the internet +1,862\.65 GB +\$0\.09 ",
        r"us-east-1 +NAT gateway, data +465\.66 GB +\$0\.045 ",
    ):
        assert re.search(f"^{row}", counted[0], re.MULTILINE), row


def test_a_rate_that_nobody_knows_refuses_nothing(gpuinfra: Run, tmp_path: Path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(
        "version: 1\nname: data\nowner: me\nbudget: {per_hour: 1}\n"
        "prices: {accept_outdated: true}\nwhere: {cloud: azure, regions: [westus3]}\n"
        "buckets: {data: {size: 1TB}}\n"
    )
    ran = gpuinfra("cost", path, "--detail")

    assert ran.code == 0
    assert re.search(r"^data +bucket Blob hot write +rate not known ", ran.out, re.MULTILINE)
    assert re.search(r"^westus3 +data between zones +rate not known ", ran.out, re.MULTILINE)
    told = "data: billed by use, not counted: bucket Blob hot write"
    assert told in gpuinfra("check", path, "-v").out
    path.write_text(path.read_text().replace("1TB}", "1TB, writes: 1M}"))
    refused = gpuinfra("cost", path)
    assert refused.code == 1
    assert "no price known: " in refused.out
    assert "blob-hot-write in westus3" in refused.out


def test_outdated_prices_are_named_where_no_cap_is_at_risk(gpuinfra: Run, stack: Stack) -> None:
    later = ("--as-of", "2028-01-01")
    accepting = stack(("where:", "prices: {accept_outdated: true}\nwhere:"))
    accepted = gpuinfra("cost", accepting, *later)
    path = stack(("{per_hour: 8, per_run: 20, per_month: 6000,", "{per_hour: 9000,"))
    ran = gpuinfra("cost", path, *later)

    assert ran.code == 0
    assert re.search(r"^outdated: \d+ list prices .* 400 days, the oldest of [^:;]+; ", ran.err)
    assert "outdated" in gpuinfra("check", path, *later).out
    assert "outdated" not in accepted.err
    assert "outdated" not in gpuinfra("cost", path).err


def test_an_outdated_price_is_refused_in_words(gpuinfra: Run, stack: Stack) -> None:
    ran = gpuinfra("cost", stack(("where:", "prices: {outdated_after_days: 30}\nwhere:")))

    assert ran.code == 1
    assert re.search(r"outdated: \d+ list prices are undated or older than 30 days", ran.err)
    assert "if they had doubled, above the cap of $8.00" in ran.err


@pytest.mark.parametrize("name", ["quickstart", "training", "startup-gcp", "research-azure"])
def test_the_lines_add_up_to_the_ceiling_that_is_printed(gpuinfra: Run, name: str) -> None:
    quote = check_stack(STACKS / name, {}, DAY).quote
    parts = fallbacks(quote)

    for span in ("per_hour", "per_month"):
        lines = sum(getattr(line, span) or 0 for line in quote.lines)
        more = sum(getattr(part, span) for part in parts)
        assert abs(lines + more - getattr(quote, span).ceiling) < Decimal("1e-9")
    hour = quote.per_hour.ceiling
    total = next(
        line
        for line in gpuinfra("cost", STACKS / name).out.splitlines()
        if line.startswith("total ")
    )
    assert total.split() == [
        "total",
        format_money(hour, rounded=round_half_up(hour, Decimal("0.001"))),
        format_money(quote.per_month.ceiling),
    ]


@pytest.mark.parametrize("shipped", sorted(STACKS.glob("*/stack.yaml")), ids=str)
def test_the_lines_add_up_as_they_are_printed(gpuinfra: Run, shipped: Path) -> None:
    table = gpuinfra("cost", shipped).out.partition("─\n")[2].split("\nat most")[0]
    amounts = [
        [Decimal(figure.replace(",", "")) for figure in found.groups()]
        for line in table.splitlines()
        if (found := re.search(r"<?\$([\d.,]+) +<?\$([\d.,]+)$", line.replace("<$0.001", "$0")))
    ]
    assert len(amounts) > 2
    for column in zip(*amounts, strict=True):
        assert sum(column[:-1]) == column[-1]


def test_the_dearer_rung_is_a_line_of_its_own(gpuinfra: Run, quickstart: Path) -> None:
    out = gpuinfra("cost", quickstart).out

    row = r"^trainer +on-demand instead of spot +\$1\.02\d +\$751\.02$"
    assert re.search(row, out, re.MULTILINE)
    named = gpuinfra("cost", quickstart, "--rung", "trainer=on-demand").out
    assert "instead of" not in named


def test_a_quote_is_written_as_markdown(gpuinfra: Run, quickstart: Path) -> None:
    out = gpuinfra("cost", quickstart, "--format", "markdown").out

    assert out.startswith("<!-- gpuinfra:quote:quickstart -->\n\n### `quickstart`: maximum cost\n")
    assert re.search(
        r"^\| per hour \| \$\d\.\d\d \| \$8\.00 \| \$\d\.\d\d \| at most ", out, re.MULTILINE
    )
    assert "\n| `chat` | `NAT gateway` | 1 | $0.045 | $0.045 | $32.85 |\n" in out
    assert "\n| `total` |  |  |  | $6.68" in out
    assert out.count(f"`gpuinfra cost {quickstart} -v`") == 2
    two = gpuinfra("cost", quickstart, STACKS / "training", "--format", "markdown").out
    assert [words for words in two.splitlines() if words.startswith("<!--")] == [
        "<!-- gpuinfra:quote:quickstart -->",
        "<!-- gpuinfra:quote:llama-sft -->",
    ]


def test_quantities_are_machines_and_gibibytes(gpuinfra: Run, quickstart: Path) -> None:
    out = gpuinfra("cost", quickstart).out

    for row in (
        r"trainer +spot g6\.8xlarge +2 machines +\$1\.50",
        r"chat +on-demand g6\.xlarge +1 machine +\$0\.80",
        r"chat +NAT gateway +1 +\$0\.045",
        r"trainer +disk gp3 +374 GiB-months +\$0\.08",
    ):
        assert re.search(f"^{row}", out, re.MULTILINE), row
    units = {line["unit"] for line in quoted(gpuinfra, quickstart)["lines"]}
    assert {"hour", "GB-month"} <= units


def test_machines_of_an_update_are_told_apart(gpuinfra: Run, tmp_path: Path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(
        "name: demo\nowner: me\nbudget: {per_hour: 20}\n"
        "where: {cloud: gcp, regions: [us-central1]}\n"
        "inference: {chat: {gpu: L4:1, replicas: 1..4, image: nginx, port: 80}}\n"
    )

    out = gpuinfra("cost", path).out

    assert re.search(r"^chat +on-demand g2-standard-\d+ +6 machines ", out, re.MULTILINE)
    assert "chat counts at 6 machines (1 to 4 as it scales and 2 more during an update)\n" in out


def test_a_sentence_is_printed_once(gpuinfra: Run, quickstart: Path) -> None:
    out = gpuinfra("cost", quickstart).out

    assert out.count("the spot price of g6.8xlarge in us-east-1") == 1


def quoted(gpuinfra: Run, source: Path) -> dict[str, Any]:
    return json.loads(gpuinfra("cost", source, "--json").out)["quote"]


def test_a_run_has_an_expected_cost_among_the_totals(gpuinfra: Run, quickstart: Path) -> None:
    asked = ("cost", quickstart, "--rung", "trainer=on-demand")
    total = json.loads(gpuinfra(*asked, "--json").out)["quote"]["per_run"]
    row = re.search(r"\nper run +(\S+) +(\S+) +(\S+)\n", gpuinfra(*asked, "--detail").out)

    assert row is not None
    assert [f"${float(total[key]):.2f}" for key in ("ceiling", "minimum", "expected")] == [
        *row.groups()
    ]


def test_a_day_before_all_prices_is_said_to_have_none(gpuinfra: Run, quickstart: Path) -> None:
    ran = gpuinfra("cost", quickstart, "--as-of", "2020-01-01")

    assert ran.code == 2
    assert "fix:     use --as-of 2026-" in ran.err
    assert "no prices of 2020-01-01 are known: the earliest of these are of 2026-" in ran.err
    assert "older than" not in ran.err
    chosen = gpuinfra("choose", "L4:1", "--cloud", "gcp", "--as-of", "2020-01-01")
    assert "no prices of 2020-01-01 are known" in chosen.out


def test_a_line_that_ends_before_the_month_names_its_hours(gpuinfra: Run) -> None:
    out = gpuinfra("cost", STACKS / "training").out
    quote = check_stack(STACKS / "training", {}, DAY).quote

    assert re.search(r"^trainer +spot p5\.48xlarge \(80 h a month\) ", out, re.MULTILINE)
    assert re.search(r"^chat +on-demand g6\.xlarge +1 machine ", out, re.MULTILINE)
    for line in quote.lines:
        named = re.search(r"\((.*) h a month", hours(line.per_hour, line.per_month))
        if line.per_hour and line.per_month:
            count = Decimal(named[1] if named else 730)
            assert abs(line.per_hour * count - line.per_month) < Decimal("0.01")
