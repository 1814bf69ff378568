"""A browser opens the page at several widths and as it is printed, in light and dark style."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.report.html.pages import page_of, source

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)

PREFERENCES = {"light": "1", "dark": "0"}
"""What Chromium's preferredColorScheme is called by."""

WIDTHS = {"desk": 1440, "laptop": 1200, "tablet": 800, "phone": 360, "paper": 718}
"""Pixels of each kind of reader; the last is A4 between the margins that Chromium leaves."""

READABLE, LARGE = 12, 20
"""Pixels that the text of a chart is high: at least on a phone, and at most on a desk."""

PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 22, 29)"}

LONG_NAMES = """\
budget: {per_hour: 2000, per_run: 300000, per_month: 2000000}
where: {cloud: azure, regions: [spaincentral]}
buckets: {checkpoints-of-the-large-language-model: {size: 1TB}}
training:
  fine-tuning-of-the-large-language-model:
    gpu: H100:8
    nodes: 12
    duration: 240h
    time_to_live: 300h
    capacity: [spot, on-demand]
    checkpoints: {bucket: checkpoints-of-the-large-language-model, size: 100GB}
inference:
  chat-for-customers-in-europe:
    {gpu: "A100:1", replicas: 1..40, image: "vllm/vllm-openai:v0.11.0", port: 8000}
"""
"""Long names and amounts, and candidates whose prices are of an interval of two dates."""

EXCLUDED_RUNGS = """\
budget: {per_hour: 100, per_run: 3000}
where: {cloud: gcp, regions: [us-central1]}
buckets: {data: {size: 1TB}}
training:
  tune:
    gpu: L4:1
    nodes: 2
    fabric: none
    duration: 24h
    capacity: [spot, on-demand]
    checkpoints: {bucket: data, every: 30m, size: 14GB, write: 1GB/s, restart: 10m}
  big: {gpu: "H100:8", nodes: 4, duration: 24h, capacity: on-demand, fabric: none}
"""

FRAMES = """\
<!doctype html><html style="color-scheme: light dark"><meta charset="utf-8">
<body style="margin: 0"><pre id="seen"></pre>
<script>
const seen = {{}}, text = node => node.textContent.trim().slice(0, 60);
const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
  && one.top < other.bottom - 2 && other.top < one.bottom - 2;
function measure(frame, name) {{
  const page = frame.contentDocument, root = page.documentElement, part = {{cut: [], covered: []}};
  for (const folded of page.querySelectorAll("details")) folded.open = true;
  for (const scrolling of page.querySelectorAll(".scroll"))
    if (scrolling.scrollWidth > scrolling.clientWidth)
      part.cut.push(scrolling.getAttribute("aria-label"));
  for (const node of page.querySelectorAll("body *"))
    if (node.getBoundingClientRect().right > root.clientWidth + 1) part.cut.push(text(node));
  part.broken = [...page.querySelectorAll(".rung span")].filter(
    node => node.getClientRects().length > 1).map(text);
  const charts = [...page.querySelectorAll("svg.chart")];
  for (const chart of charts) {{
    const box = chart.getBoundingClientRect();
    const labels = [...chart.querySelectorAll("text")];
    const marks = [...chart.querySelectorAll("use")].filter(mark => !mark.closest("[id*=axis]"));
    for (const label of labels) {{
      const own = label.getBoundingClientRect();
      if (own.right > box.right + 2 || own.left < box.left - 2) part.cut.push(text(label));
      for (const other of [...labels, ...marks])
        if (other !== label && meet(own, other.getBoundingClientRect()))
          part.covered.push(`${{text(label)}} and ${{text(other) || "a point"}}`);
    }}
  }}
  seen[name] = {{
    ...part,
    heading: page.querySelector("h1").textContent,
    room: root.clientWidth,
    needed: root.scrollWidth,
    height: root.scrollHeight,
    charts: charts.map(chart => chart.getBoundingClientRect()).map(box => [box.width, box.height]),
    labels: charts.flatMap(chart => [...chart.querySelectorAll("text")].map(
      label => parseFloat(getComputedStyle(label).fontSize) * chart.getScreenCTM().a)),
    paper: getComputedStyle(page.body).backgroundColor,
    filled: getComputedStyle(page.querySelector("svg.chart [style*='--first']")).fill,
  }};
  document.getElementById("seen").textContent = JSON.stringify(seen);
}}
</script>
{frames}
"""
"""Frames of some widths around the page, which measure what is drawn in them, all unfolded."""

FRAME = """\
<iframe style="border: 0; width: {width}px; height: 3000px" srcdoc="{page}"
  onload="measure(this, '{name}')"></iframe>
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason=f"needs a browser: {', '.join(BROWSERS)}"),
]


@pytest.fixture(
    scope="module",
    params=[
        "training",
        "development",
        "long names",
        "excluded rungs",
        "scaled_site/state.json",
        "quickstart/sames.json",
    ],
)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("browser")
    written = {"long names": LONG_NAMES, "excluded rungs": EXCLUDED_RUNGS}
    if request.param not in written:
        return page_of(source(request.param, folder), folder)
    (folder / "stack.yaml").write_text(written[request.param], encoding="utf-8")
    return page_of(folder / "stack.yaml", folder)


@pytest.fixture(params=PREFERENCES)
def style(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def seen(page: str, style: str, tmp_path: Path) -> dict[str, Any]:
    """What is drawn, by the kind of reader."""
    frames = (
        FRAME.format(
            name=name,
            width=width,
            page=html.escape(
                page.replace("@media print", "@media all") if name == "paper" else page
            ),
        )
        for name, width in WIDTHS.items()
    )
    file = tmp_path / "frames.html"
    file.write_text(FRAMES.format(frames="".join(frames)), encoding="utf-8")
    done = subprocess.run(
        [
            str(BROWSER),
            *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--dump-dom"),
            *("--virtual-time-budget=5000", f"--user-data-dir={tmp_path / 'profile'}"),
            f"--blink-settings=preferredColorScheme={PREFERENCES[style]}",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    (written,) = re.findall(r'<pre id="seen">(.*?)</pre>', done.stdout)
    return dict(json.loads(html.unescape(written)))


def test_a_browser_draws_the_page_without_scrolling_sideways(
    page: str, style: str, seen: dict[str, Any]
) -> None:
    (title,) = re.findall(r"<h1>(.*?)</h1>", page)

    assert seen.keys() == WIDTHS.keys()
    for name, drawn in seen.items():
        assert drawn["heading"] == html.unescape(title)
        assert drawn["room"] <= WIDTHS[name]
        assert drawn["needed"] <= drawn["room"]
        assert drawn["cut"] == [], name
        assert drawn["covered"] == [], name
        assert drawn["broken"] == [], name
        assert drawn["height"] > 1000
        assert len(drawn["charts"]) == page.count("<svg ")
        assert all(100 < wide <= WIDTHS[name] and high > 40 for wide, high in drawn["charts"])
        assert READABLE <= min(drawn["labels"]) <= max(drawn["labels"]) <= LARGE
        assert drawn["paper"] == PAPER["light" if name == "paper" else style]
        assert drawn["filled"] not in {"none", "rgb(0, 0, 0)"}
