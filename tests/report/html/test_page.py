"""The page of `gpuinfra report`: its content and figures, of any SOURCE."""

import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra import api
from gpuinfra.api.checking import StackCheck
from gpuinfra.cli import run
from gpuinfra.clouds import cloud_of_page
from gpuinfra.report import comment, quote_diff
from gpuinfra.report.html.page import write
from gpuinfra.units import format_money
from tests.report.html.conftest import Json, Written
from tests.report.html.pages import DAY, STACKS, page_of, source
from tests.report.html.parsing import Parsed, parsed
from tests.report.html.plans import content_named


@pytest.fixture
def training(tmp_path: Path) -> Parsed:
    return parsed(page_of(STACKS / "training", tmp_path))


def test_the_figures_are_those_of_cost(written: Written, as_json: Json) -> None:
    shown = {float(element.attributes["value"]) for element in written.page.named("data")}
    quote = as_json("cost", written.path)["quote"]
    totals = [quote[span] for span in ("per_hour", "per_month", "per_run") if quote[span]]
    exact = {
        *(total[key] for total in totals for key in ("ceiling", "standing")),
        *(total["expected"] for total in totals if total["expected"] is not None),
        *(
            line[key]
            for line in quote["lines"]
            for key in ("per_hour", "per_month")
            if line["status"] == "priced"
        ),
        *(rung["per_hour"] for rung in quote["rungs"] if rung["per_hour"] is not None),
    }

    assert exact <= shown


def test_each_finding_stands_with_its_fix_and_its_source(written: Written, as_json: Json) -> None:
    page = written.page
    verdict = as_json("check", written.path)
    words = page.words

    assert ("PASS" if verdict["ok"] else "FAIL") in words
    bad = [
        finding
        for finding in verdict["findings"]
        if finding["outcome"] in {"violated", "not-knowable"}
    ]
    assert len(page.named("article")) == len(bad)
    for finding in bad:
        assert finding["rule"] in words
        assert " ".join(finding["fix"].split()) in words
    linked = [link for link in page.named("a") if "article" in link.parents]
    assert len(bad) - 1 <= len(linked) <= len(bad), "few rules have no page of this cloud"
    clouds = Counter(cloud_of_page(str(link.attributes["href"])) for link in linked)
    assert len(clouds.keys() - {None}) <= 1, "pages of the own cloud alone"


def test_a_stack_on_a_ladder_shows_all_of_its_parts(training: Parsed) -> None:
    words = training.words

    headings = [element.text for element in training.named("h2")]
    assert headings == [
        "Maximum cost",
        "Findings",
        "Where the money goes",
        "Ladders",
        "Candidates",
        "Topology",
        "What is not known",
    ]
    assert training.named("title")[0].text == "llama-sft: gpuinfra report"
    assert "of the cap of $260.00" in words
    assert "trainer: NCCL over RDMA: yes, expected 400 GB/s per machine" in words
    assert "break-even: spot is cheaper than on demand as long as the run is interrupted" in words
    assert words.count("network: llama-sft-network-us-east-2-vpc") == 2, "both stand in one"
    assert "-private-us-east-2a-subnet (us-east-2a) placement: cluster" in words
    assert words.count("32 fabric interfaces") == 4
    assert "NAT gateway, data$0.045 per GB" in words
    assert len(training.named("svg")) == 5


def test_a_figure_has_one_name_everywhere(training: Parsed) -> None:
    names = ("maximum", "as planned")
    words = training.words

    assert "as planned" not in words, "it is the maximum"
    assert "the diamond is the active machine" in words
    assert not [word for word in ("as it stands", "that stands", "struck") if word in words]
    checked = api.check(STACKS / "training")
    assert isinstance(checked, StackCheck)
    assert "|  | maximum | cap | expected, without interruptions |" in comment.write(
        checked.report
    )
    assert {total.removesuffix(" before") for total in quote_diff.TOTALS} >= set(names)


def test_the_candidates_are_those_of_choose(training: Parsed, as_json: Json) -> None:
    chosen = as_json("choose", "H100:8", "--by", "tflops")

    assert chosen["ranked"]
    figures = {float(element.attributes["value"]) for element in training.named("data")}
    best = {candidate["machine"]["type"]: candidate for candidate in reversed(chosen["ranked"])}
    for candidate in best.values():
        assert candidate["machine"]["type"] in training.words
        if candidate["per_hour"] is not None:
            assert {candidate["per_hour"], candidate["figure"]} <= figures


def test_a_struck_rung_says_why(tmp_path: Path) -> None:
    text = (STACKS / "training" / "stack.yaml").read_text()
    text = text.replace("    duration: 72h", "    max_price: 40\n    duration: 72h")
    (tmp_path / "stack.yaml").write_text(text.replace("per_hour: 260", "per_hour: 200"))
    page = parsed(page_of(tmp_path, tmp_path))

    (row,) = [
        element for element in page.named("tr") if "struck" in element.attributes.get("class", "")
    ]
    assert row.text.startswith("on-demand@us-east-2")
    assert "above the cap" in row.text
    assert "active" not in row.text
    assert "No purchase option is left" not in page.words


def test_an_exceeded_cap_is_told_beside_it(tmp_path: Path) -> None:
    text = (STACKS / "training" / "stack.yaml").read_text()
    (tmp_path / "stack.yaml").write_text(text.replace("per_month: 40000", "per_month: 4000"))
    page = parsed(_report(tmp_path))

    assert page.words.count("over by $25,981.62") == 1
    assert re.search(r"budget\.per_month to [1-9]\d+", page.words)
    assert "May not run:" not in page.words
    assert "Usage-based charges, not counted" in page.words
    assert "usage-based, not counted" not in page.words


def test_where_each_rung_is_struck_none_is_active(tmp_path: Path) -> None:
    text = (STACKS / "training" / "stack.yaml").read_text()
    (tmp_path / "stack.yaml").write_text(text.replace("per_hour: 260", "per_hour: 50"))
    page = parsed(_report(tmp_path))

    ladder = [tag for tag in page.named("td") if tag.attributes.get("data-label") == "state"]
    assert ladder
    assert all(tag.text.startswith("excluded") for tag in ladder)
    assert "No purchase option is left: each rung is excluded." in page.words
    runs = [tag.text for tag in page.named("td") if tag.attributes.get("data-label") == "per run"]
    assert 0 < len(runs) < len(ladder), "the ladder of a pool has no column per run"
    assert all(text.startswith("$") for text in runs)
    assert "as planned" not in page.words
    assert page.words.count("No purchase option is left for ") == 1


def test_the_active_machine_is_priced_where_the_stack_is(tmp_path: Path) -> None:
    (tmp_path / "stack.yaml").write_text(ON_DEMAND.replace("us-central1", "europe-west4"))
    page = parsed(_report(tmp_path))

    assert [row.text for row in page.named("th") if "gcp europe-west4" in row.text] == [
        "g2-standard-4L4, gcp europe-west4"
    ]


def test_the_page_says_why_a_month_has_its_hours(tmp_path: Path) -> None:
    (tmp_path / "stack.yaml").write_text(ON_DEMAND)
    endless = parsed(_report(tmp_path)).words
    aws = ON_DEMAND.replace("gcp", "aws").replace("us-central1", "us-east-1")
    (tmp_path / "stack.yaml").write_text(aws.replace("24h", "24h, time_to_live: 30h"))
    ended = parsed(_report(tmp_path)).words

    assert "A month counts 730 hours: nothing in the stack ends its machines sooner." in endless
    assert "on a line with other hours in brackets, a time limit of the stack ends" in ended


ON_DEMAND = """\
name: page
owner: ml
where: {cloud: gcp, regions: [us-central1]}
training: {t: {gpu: L4, duration: 24h}}
"""


def test_the_notes_of_a_run_are_of_its_own_cloud_and_way_to_buy(tmp_path: Path) -> None:
    (tmp_path / "stack.yaml").write_text(ON_DEMAND)
    page = parsed(_report(tmp_path))

    assert "prices from: on-demand" in page.words
    for words in ("interruptions", "spot ", "break-even", "docs.aws.amazon.com"):
        assert words not in page.words
    assert "Source: https://docs.cloud.google.com/billing/docs/how-to/budgets" in page.words


def test_what_is_not_known_is_said_as_the_command_says_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    on_spot = ON_DEMAND.replace("gpu: L4", "gpu: T4, capacity: spot").replace(
        "cloud: gcp, regions: [us-central1]", "cloud: aws, regions: [us-east-1]"
    )
    (tmp_path / "stack.yaml").write_text(on_spot)
    page = parsed(_report(tmp_path))
    capsys.readouterr()
    run(["cost", str(tmp_path), "--as-of", DAY])
    _, told = capsys.readouterr().out.split("expected: at most ", 1)

    known, _, why = told.split("\n")[0].split("; up to")[0].partition(", with 1 run ")
    assert known in page.words
    assert why.partition(": ")[2] in page.words
    assert "their cost is unknown; add checkpoints" in page.words


def _report(folder: Path) -> str:
    file = folder / "report.html"
    run(["report", str(folder), "--output", str(file), "--as-of", DAY])
    return file.read_text("utf-8")


def test_the_bars_add_up_to_the_ceiling(tmp_path: Path, as_json: Json) -> None:
    page = page_of(STACKS / "training", tmp_path)
    ceiling = as_json("cost", STACKS / "training")["quote"]["per_month"]["ceiling"]

    for name in ("workload", "kind"):
        (words,) = re.findall(f'<desc id="by-{name}-desc">(.*?)</desc>', page)
        amounts = [
            float(amount.replace(",", "")) for amount in re.findall(r"\$([\d,.]+\d)", words)
        ]
        assert f"{sum(amounts):.2f}" == f"{ceiling:.2f}"


def test_the_lines_of_the_quote_add_up_to_their_total_as_shown(tmp_path: Path) -> None:
    page = page_of(STACKS / "training", tmp_path)
    _, table = page.split("Lines of the quote, in US dollars</caption>")
    lines, total = table.split("<tfoot>")

    for column in ("per hour", "per month"):
        amounts, (whole,) = (
            [
                Decimal(amount.replace(",", ""))
                for amount in re.findall(
                    rf'data-label="{column}"><data[^>]*>\$([\d,.]+)<', part.split("</table>")[0]
                )
            ]
            for part in (lines, total)
        )
        assert len(amounts) > 5
        assert sum(amounts) == whole


def test_waivers_and_prices_of_ones_own_are_told(tmp_path: Path) -> None:
    stack = re.sub("    time_to_live: .*\n", "", (STACKS / "quickstart/stack.yaml").read_text())
    waiver = (
        "{rule: time-limit, resource: training.trainer, reason: watched, owner: ml,"
        " until: 2026-12-01}"
    )
    (tmp_path / "stack.yaml").write_text(f"{stack}waivers: [{waiver}]\n")
    (tmp_path / "prices.yaml").write_text(
        "version: 1\nprices: [{machine: g6.xlarge, cloud: aws, region: us-east-1, mode: on-demand,"
        " per_hour: 0.5}]\n"
    )
    words = parsed(page_of(tmp_path, tmp_path)).words

    assert "1 finding waived" in words
    assert "waived until 2026-12-01 by ml: watched" in words
    assert "line at your own prices (g6.xlarge $0.5" in words
    assert "your own price" in words
    assert words.count("Influenced by:") == 1


def test_what_influenced_nothing_is_left_out(training: Parsed) -> None:
    assert "influenced" not in training.words.lower()


def test_an_unknown_price_is_unknown_and_the_total_a_lower_bound() -> None:
    content = content_named("x")
    quote = content.report.quote
    assert quote is not None
    unpriced = replace(quote, unpriced=("x: no price of p9 is known",))
    page = parsed(write(replace(content, report=replace(content.report, quote=unpriced))))

    assert f"at least {format_money(quote.per_hour.ceiling)}" in page.words
    assert "x: no price of p9 is known" in page.words


def test_what_is_not_known_of_a_resource_is_told_by_its_name(tmp_path: Path) -> None:
    page = page_of(source("gpu_box/preview.json", tmp_path), tmp_path)
    _, unknown = page.split('<h2 id="unknown">')

    assert ">spot-interruptible: ml-box</th>" in unknown
    assert "urn:" not in unknown
    assert "not knowable yet" not in unknown
