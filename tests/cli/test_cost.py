"""`gpuinfra cost`: each line with its price, what is not known with its rate, and other rungs."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Run

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
    ran = gpuinfra("cost", fresh)

    assert re.search(r"ceiling +pools at minimum +expected", ran.out)
    total = json.loads(gpuinfra("cost", fresh, "--json").out)["quote"]["per_hour"]
    assert total["expected"] < total["minimum"] < total["ceiling"]
    assert re.search(rf"per hour +{total['ceiling']:.2f} +{total['minimum']:.2f} ", ran.out)


def test_a_stale_spot_price_leaves_the_expected_total_unknown(
    gpuinfra: Run, quickstart: Path
) -> None:
    quote = json.loads(gpuinfra("cost", quickstart, "--json").out)["quote"]

    assert quote["per_hour"]["expected"] is None
    assert any("g6.xlarge in us-east-1 is a price of 2025-04-24" in it for it in quote["warnings"])


def test_the_other_rungs_are_quoted_with_date_and_source(gpuinfra: Run, quickstart: Path) -> None:
    out = gpuinfra("cost", quickstart).out

    row = r"trainer +on-demand@us-east-1 +on-demand g6\.8xlarge +2 +2\.01 +4\.03 +16\.12"
    assert re.search(rf"{row} +2026-\S+ +\[\d\]", out)
    stands = gpuinfra("cost", quickstart, "--rung", "trainer=on-demand").out
    assert re.search(r"trainer +spot@us-east-1 +spot g6\.8xlarge", stands)


def test_a_struck_rung_says_why(gpuinfra: Run, stack: Stack) -> None:
    out = gpuinfra("cost", stack(("per_run: 20", "per_run: 14"))).out

    assert "struck: " in out
    assert "above the cap" in " ".join(out.split())


def test_sources_are_numbered_in_the_order_in_which_they_are_met(
    gpuinfra: Run, quickstart: Path
) -> None:
    out = gpuinfra("cost", quickstart).out
    table, _, rest = out.partition("ceiling")
    met = list(dict.fromkeys(re.findall(r"\[(\d+)\]", table)))

    assert met == sorted(met, key=int)
    listed = re.findall(r"^\[(\d+)\] ", rest, re.MULTILINE)
    assert listed == [str(number) for number in range(1, len(listed) + 1)]


def test_what_nobody_said_prints_its_rate_and_what_was_said_its_cost(
    gpuinfra: Run, stack: Stack
) -> None:
    unsaid = gpuinfra("cost", stack()).out
    said = gpuinfra("cost", stack(USAGE, REQUESTS)).out

    assert "+ $0.045 per GB: nat-gateway-data of trainer" in unsaid
    assert "+ $0.09 per GB: data-transfer-out-internet-first-10tb of us-east-1" in unsaid
    assert "+ $0.0004 per 1k-requests: s3-standard-get of data" in unsaid
    assert "+ $0.01 per GB: data-transfer-inter-az-each-direction of us-east-1" in said
    assert not re.search(r"^\+.*(nat-gateway-data|s3-standard)", said, re.MULTILINE)
    assert re.search(r"data +bucket s3-standard-get +10000 +1k-requests +0\.0004 ", said)
    assert re.search(r"us-east-1 +data to the internet \S+-first-10tb +1862\.65 +GB +0\.09 ", said)
    assert re.search(r"us-east-1 +data through NAT nat-gateway-data +465\.66 +GB +0\.045 ", said)


def test_a_rate_that_nobody_knows_refuses_nothing(gpuinfra: Run, tmp_path: Path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(
        "version: 1\nname: data\nowner: me\nbudget: {per_hour: 1}\n"
        "prices: {accept_outdated: true}\nwhere: {cloud: azure, regions: [westeurope]}\n"
        "buckets: {data: {size: 1TB}}\n"
    )
    ran = gpuinfra("cost", path)

    assert ran.code == 0
    assert "+ rate not known: blob-hot-write of data in westeurope" in ran.out
    assert "+ rate not known: between-zones of westeurope\n" in ran.out
    assert "quantity unknown: blob-hot-write of data" in gpuinfra("check", path).out
    path.write_text(path.read_text().replace("1TB}", "1TB, writes: 1M}"))
    refused = gpuinfra("cost", path)
    assert refused.code == 1
    assert "no price known: " in refused.out
    assert "blob-hot-write in westeurope" in refused.out


def test_an_outdated_price_is_refused_in_words(gpuinfra: Run, stack: Stack) -> None:
    ran = gpuinfra("cost", stack(("accept_outdated: true", "accept_outdated: false")))

    assert ran.code == 1
    assert re.search(r"outdated: \d+ list prices are undated or older than 400 days", ran.err)
