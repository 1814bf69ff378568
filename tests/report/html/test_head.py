"""The head of the page says what is bought, and a failing page says each fix once."""

import json
import re
from pathlib import Path

import pytest
from markupsafe import escape

from gpuinfra.cli import run
from gpuinfra.report.html.page import with_code_spans
from tests.report.html.pages import DAY, STACKS, source
from tests.report.html.parsing import Parsed, parsed

STACK = """\
name: assistant
owner: ml
budget: {per_hour: 60, per_run: 1000}
prices: {accept_outdated: true}
where: {cloud: azure, regions: [eastus]}
training:
  lora:
    gpu: {model: H100, count: 8}
    capacity: spot
    nodes: 2
    duration: 12h
    time_to_live: 15h
inference:
  chat:
    gpu: A100:1
    replicas: 1..3
    scale_on: {gpu_utilization: 70%}
    capacity: {on_demand_base: 1, above: spot}
    image: vllm/vllm-openai:v0.11.0
    port: 8000
buckets:
  data: {size: 500GB}
"""


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("head")
    (folder / "stack.yaml").write_text(STACK)
    return page(folder, folder)


def page(path: Path, folder: Path) -> str:
    file = folder / "page.html"
    run(["report", str(path), "--output", str(file), "--as-of", DAY])
    return file.read_text("utf-8")


def head(text: str) -> str:
    return parsed(f"{text.partition('<main>')[0]}</body></html>").words


def test_the_head_says_what_is_bought(failing: str) -> None:
    words = head(failing)

    assert (
        "lora 2 × Standard_ND96isr_H100_v5 (8 × H100-SXM-80GB each), spot, azure eastus, a run of "
        "12 h, ends after 15 h"
    ) in words
    assert "chat 1 to 3 × Standard_NC24ads_A100_v4 (1 × A100-PCIe-80GB each), 1 on demand" in words
    assert "data bucket of 500GB, azure eastus" in words
    assert words.index("data bucket") < words.index("FAIL")


def test_the_head_of_other_sources_names_the_machines(tmp_path: Path) -> None:
    words = head(page(source("gpu_box/preview.json", tmp_path), tmp_path))

    assert "ml-box 1 × " in words


def test_a_fix_is_said_once_with_what_it_costs(failing: str) -> None:
    whole: Parsed = parsed(failing)

    assert whole.words.count("training.lora.max_price: 22.") == 1, "not the lowest that passes"
    assert "per hour at most $" in whole.words
    assert "you lose nothing that the file asks for" in whole.words
    assert not [tag for tag in whole.named("p") if "overrun" in tag.attributes.get("class", "")]


def test_pools_are_mentioned_where_there_is_one(failing: str, tmp_path: Path) -> None:
    assert "Pools count at their maximum." in failing
    assert "Pools count at their maximum." not in page(STACKS / "enterprise-azure", tmp_path)


def test_the_cost_as_planned_is_told_where_it_is_not_the_maximum(tmp_path: Path) -> None:
    ladder = "    capacity: [spot, on-demand]\n"
    text = (STACKS / "training/stack.yaml").read_text()
    (tmp_path / "stack.yaml").write_text(text.replace(ladder, f"{ladder}    max_price: 50\n"))

    assert parsed(page(tmp_path, tmp_path)).words.count("as planned $") == 3


def test_commands_are_code_and_what_is_around_them_stays_text() -> None:
    assert with_code_spans("run `gpuinfra up`; <b>") == "run <code>gpuinfra up</code>; &lt;b&gt;"
    assert with_code_spans("`<i>` and `x`") == "`&lt;i&gt;` and `x`"
    assert with_code_spans("`a <i>`") == "<code>a &lt;i&gt;</code>"


def test_the_sources_of_prices_are_among_the_receipts(tmp_path: Path) -> None:
    text = page(STACKS / "training", tmp_path)

    receipts = text.partition("<summary>Receipts")[2].partition("</details>")[0]
    assert text.count("prices from: ") == receipts.count("prices from: ") == 1


def test_each_receipt_refers_to_its_source_which_is_listed_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = page(STACKS / "training", tmp_path)
    run(["cost", str(STACKS / "training"), "--json", "--as-of", DAY])
    document = capsys.readouterr().out.partition("{")
    lines = json.loads("".join(document[1:]))["quote"]["lines"]

    receipts = text.partition("<summary>Receipts")[2].partition("</details>")[0]
    listed = dict(re.findall(r'<li id="source-(\d+)">(.*?)</li>', receipts))
    numbers = re.findall(r'<a href="#source-(\d+)">', receipts)

    assert [listed[number] for number in numbers] == [escape(it["source"]) for it in lines]
    assert len(listed) == len(set(listed.values())) > 1


UNPRICED = """\
name: unpriced
owner: ml
budget: {per_hour: 2}
where: {cloud: aws, regions: [eu-west-3]}
training: {tune: {instance: p6-b200.48xlarge, duration: 24h, time_to_live: 30h}}
"""


def test_an_unknown_price_is_said_of_each_figure_that_lacks_it(tmp_path: Path) -> None:
    (tmp_path / "stack.yaml").write_text(UNPRICED)
    words = parsed(page(tmp_path, tmp_path)).words

    assert "at least 4% of the cap" in words
    assert "Known cost per month by workload" in words
    assert "The expected cost is unknown: a price is not known" in words


def test_a_single_day_of_prices_is_said_once_and_no_day_is_broken(tmp_path: Path) -> None:
    (tmp_path / "stack.yaml").write_text(UNPRICED)
    text = page(tmp_path, tmp_path).partition("</header>")[0]

    assert re.search(r'prices of\s+<span class="whole">2026-\d\d-\d\d</span></p>', text)


def test_the_region_of_a_candidate_is_not_broken_at_its_hyphens(failing: str) -> None:
    candidates = failing.partition('<h2 id="candidates">')[2].partition("</section>")[0]
    regions = re.findall(r"<br>.*?, (?:gcp|aws) (.*?)</span>", candidates)

    assert regions
    assert all(region.startswith('<span class="whole">') for region in regions)


def test_the_head_links_to_each_section(failing: str) -> None:
    links = re.findall(r'<a href="#([a-z]+)">', failing.partition("<main>")[0])

    assert links == re.findall(r'<h2 id="([a-z]+)">', failing)
    assert "findings" in links
