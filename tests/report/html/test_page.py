"""The page of `gpuinfra report`: its content, figures, form and safety, of any SOURCE."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from gpuinfra import api
from gpuinfra.cli import run
from gpuinfra.clouds import cloud_of_page
from gpuinfra.model import Resource
from gpuinfra.report import comment, quote_diff
from gpuinfra.report.html.content import PageContent
from gpuinfra.report.html.money import cap_share_text
from gpuinfra.report.html.page import RULE_PAGES, rule_pages, write
from gpuinfra.report.html.topology import topologies
from gpuinfra.rules import RULES
from gpuinfra.units import format_money
from tests.report.cases import HOSTILE, full
from tests.report.html.pages import DAY, SOURCES, STACKS, page_of, source
from tests.report.html.parsing import Parsed, parsed
from tests.report.html.plans import content_named
from tests.report.test_many import many

Json = Callable[..., dict[str, object]]


@dataclass(frozen=True)
class Written:
    path: Path
    text: str
    page: Parsed


@pytest.fixture(scope="module", params=SOURCES)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("report")
    path = source(request.param, folder)
    text = page_of(path, folder)
    return Written(path, text, parsed(text))


@pytest.fixture
def as_json(capsys: pytest.CaptureFixture[str]) -> Json:
    def call(*arguments: object) -> dict[str, object]:
        capsys.readouterr()
        run([*map(str, arguments), "--as-of", DAY, "--json"])
        return json.loads(capsys.readouterr().out)

    return call


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
    assert "break-even: none, spot in its most expensive zone is no cheaper than" in words
    assert words.count("network: llama-sft-network-us-east-1-vpc") == 2, "both stand in one"
    assert "-private-us-east-1a-subnet (us-east-1a) placement: cluster" in words
    assert words.count("32 fabric interfaces") == 4
    assert "quantity of NAT gateway, data; $0.045 per GB" in words
    assert len(training.named("svg")) == 5


def test_a_figure_has_one_name_everywhere(training: Parsed) -> None:
    names = ("maximum", "as planned")
    words = training.words

    assert "as planned" not in words, "it is the maximum"
    assert "the diamond is the active machine" in words
    assert not [word for word in ("as it stands", "that stands", "struck") if word in words]
    assert (
        comment.write(api.check(STACKS / "training").report).count(f"| {' | '.join(names)} |") == 1
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
    assert row.text.startswith("on-demand@us-east-1")
    assert "above the cap" in row.text
    assert "active" not in row.text
    assert "No way to buy is left" not in page.words


def test_an_exceeded_cap_is_told_beside_it(tmp_path: Path) -> None:
    text = (STACKS / "training" / "stack.yaml").read_text()
    (tmp_path / "stack.yaml").write_text(text.replace("per_month: 40000", "per_month: 4000"))
    page = parsed(_report(tmp_path))

    assert page.words.count("over by $25,981.62") == 1
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
    assert "No way to buy is left: each rung is excluded." in page.words
    assert "as planned" not in page.words
    assert page.words.count("No way to buy is left for ") == 1


def test_the_active_machine_is_priced_where_the_stack_is(tmp_path: Path) -> None:
    (tmp_path / "stack.yaml").write_text(ON_DEMAND.replace("us-central1", "europe-west4"))
    page = parsed(_report(tmp_path))

    assert [row.text for row in page.named("th") if "gcp europe-west4" in row.text] == [
        "g2-standard-4gcp europe-west4"
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


def test_a_page_of_a_rule_is_of_the_cloud_that_it_is_listed_for() -> None:
    table = json.loads(RULE_PAGES.read_text("utf-8"))["pages"]
    homes = {rule.id: cloud_of_page(rule.source) for rule in RULES}

    for rule, pages in table.items():
        assert homes[rule] not in pages
        assert [cloud_of_page(page) for page in pages.values()] == list(pages)


@pytest.mark.parametrize("clouds", [{"aws"}, {"gcp"}, {"azure"}, {"aws", "azure"}])
def test_a_rule_names_pages_of_the_clouds_of_the_stack_alone(clouds: set[str]) -> None:
    named = {cloud_of_page(page) for pages in rule_pages(clouds).values() for page in pages}

    assert named - {None} == clouds


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

    assert told.split("\n")[0].split("; up to")[0] in page.words
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
        assert sum(amounts) == pytest.approx(ceiling, abs=0.05)


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


SINGULAR = re.compile(
    r"(?<![\d.,×])(?!1 )\d[\d,.]* (?:(?!per |an? )\w+[ -])?"
    r"(?:hour|month|day|machine|GPU|zone)\b(?!-)"
)
"""A number other than 1 before a word for one thing."""


def test_words_after_numbers_are_plural(written: Written) -> None:
    assert SINGULAR.findall("4 hour, 2 metric-month, 3 spot machine") != []
    texts = (tag.text for tag in written.page.named("td", "p", "li", "summary", "figcaption"))
    assert [match[0] for text in texts for match in SINGULAR.finditer(text)] == []


def test_nothing_is_fetched_and_nothing_runs(written: Written) -> None:
    page = written.page

    assert not page.named("script", "link", "img", "iframe", "object", "embed", "image", "form")
    assert not [
        element
        for element in page.tags
        if "src" in element.attributes or "onload" in element.attributes
    ]
    linking = [
        element for element in page.tags if any("href" in name for name in element.attributes)
    ]
    assert {element.name for element in linking} <= {"a", "use"}
    assert all(
        element.attributes["href"].startswith("https://" if element.name == "a" else "#")
        for element in linking
    )
    (policy,) = [element for element in page.named("meta") if "http-equiv" in element.attributes]
    assert policy.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert not re.search(r"@import|url\((?!#)", written.text)


def test_a_reader_of_the_screen_finds_their_way(written: Written) -> None:
    page = written.page

    assert page.named("html")[0].attributes["lang"] == "en"
    assert len(page.named("h1")) == 1
    levels = [int(element.name[1]) for element in page.named("h1", "h2", "h3", "h4")]
    assert all(later <= before + 1 for before, later in pairwise(levels))
    ids = Counter(element.attributes["id"] for element in page.tags if "id" in element.attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    labels = [
        element.attributes["aria-labelledby"]
        for element in page.tags
        if "aria-labelledby" in element.attributes
    ]
    assert {part for label in labels for part in label.split()} <= ids.keys()
    for chart in page.named("svg"):
        assert chart.attributes["role"] == "img"
    assert len(page.named("desc")) == len(page.named("svg"))
    assert all("scope" in element.attributes for element in page.named("th"))
    assert all(element.text.strip() for element in page.named("th"))


@pytest.fixture(scope="module")
def plain() -> Parsed:
    return parsed(write(content_named("plain")))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_name_changes_the_form_of_a_page(text: str, plain: Parsed) -> None:
    assert parsed(write(content_named(text))).shape == plain.shape


def test_no_words_of_findings_and_waivers_change_the_form_of_a_page() -> None:
    def page(text: str) -> Parsed:
        return parsed(
            write(PageContent(report=full(text), plan=content_named("x").plan, source_kind=""))
        )

    plain = page("plain")
    for text in HOSTILE:
        assert page(text).shape == plain.shape
    assert "<script>alert(1)</script><!-- -->" in page(HOSTILE[2]).words


def test_a_resource_named_in_markup_is_shown_as_text(tmp_path: Path) -> None:
    markup = "<img src=x onerror='alert(1)'>\"$x$"
    path = source("gpu_box/preview.json", tmp_path)
    plain = parsed(page_of(path, tmp_path))
    text = path.read_text()
    assert "ml-box" in text
    path.write_text(text.replace("ml-box", json.dumps(markup)[1:-1]))
    hostile = parsed(page_of(path, tmp_path))

    assert set(hostile.shape) <= set(plain.shape)
    assert markup in hostile.words
    labels = [element.text for element in hostile.named("text")]
    assert any(label.startswith("<img src=x") for label in labels)


def test_a_source_that_is_no_address_is_no_link() -> None:
    content = content_named("x", source="javascript:alert(1)")
    page = parsed(write(content))

    assert "javascript:alert(1)" in page.words
    assert not [
        element for element in page.named("a") if "javascript" in element.attributes["href"]
    ]
    linked = parsed(write(content_named("x", source="https://example.com/prices")))
    assert "https://example.com/prices" in [
        element.attributes["href"] for element in linked.named("a")
    ]


def test_an_unknown_price_is_unknown_and_the_total_a_lower_bound() -> None:
    content = content_named("x")
    quote = content.report.quote
    assert quote is not None
    unpriced = replace(quote, unpriced=("x: no price of p9 is known",))
    page = parsed(write(replace(content, report=replace(content.report, quote=unpriced))))

    assert f"at least {format_money(quote.per_hour.ceiling)}" in page.words
    assert "x: no price of p9 is known" in page.words


@pytest.mark.slow
def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    def written(seed: str) -> bytes:
        file = tmp_path / f"{seed}.html"
        words = ["report", str(STACKS / "training"), "--output", str(file), "--as-of", DAY]
        subprocess.run(
            [sys.executable, "-m", "gpuinfra.cli", *words],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        return file.read_bytes()

    assert written("1") == written("2")


@pytest.mark.slow
def test_a_page_of_a_hundred_thousand_findings_is_bounded() -> None:
    content = content_named("x")
    group = content.plan.groups[0]
    crowd = tuple(replace(group, name=str(number)) for number in range(1_000))
    plan = replace(content.plan, groups=crowd)
    resources = [
        Resource(urn=f"net-{at}", type="aws:ec2/vpc:Vpc", name=f"net-{at}", inputs={})
        for at in range(1_000)
    ]
    nodes = "aws:autoscaling/group:Group"
    to_all = {"a": tuple(resource.urn for resource in resources)}
    resources.append(
        Resource(urn=group.subject, type=nodes, name="x", inputs={}, relations=to_all)
    )
    drawn = topologies(plan, resources, lambda group: group.subject, lambda _: "")
    text = write(replace(content, report=many(100_000), plan=plan, topology=drawn))

    assert len(text) < 1_000_000
    assert "… and 109800 more" in text
    assert "and 950 more workloads" in text
    assert "net-7, 992 more" in text


def test_the_python_api_gives_the_page_of_the_command(tmp_path: Path) -> None:
    checked = api.check(STACKS / "quickstart", as_of=date.fromisoformat(DAY))

    assert api.html_report(checked) == page_of(STACKS / "quickstart", tmp_path)


def test_colours_hold_their_contrast_in_both_styles() -> None:
    style = (
        Path(sys.modules["gpuinfra.report.html.page"].__file__ or "").parent
        / "templates"
        / "style.css"
    ).read_text()
    light, dark, *_ = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    )

    for colours in (light, dark):
        for ground in ("paper", "panel"):
            for name in ("ink", "muted", "first", "second", "limit", "good", "bad", "warn"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground, colours)
        for name in ("good", "bad", "warn"):
            assert contrast(colours[name], colours[f"{name}-paper"]) >= 4.5, (name, colours)


def contrast(colour: str, ground: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""
    low, high = sorted(map(luminance, (colour, ground)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("share", "words"), [("96.1", "96% of"), ("863.0", "8.6 ×"), ("11022.1", "110.2 ×")]
)
def test_many_times_a_cap_are_told_as_times(share: str, words: str) -> None:
    assert cap_share_text(Decimal(share)) == words
