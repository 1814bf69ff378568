"""A browser opens the page at desk and phone width, in light and dark style."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.report.html.pages import page_of, source

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)

PREFERENCES = {"light": "1", "dark": "0"}
"""What Chromium's preferredColorScheme is called by."""

DESK = 1280
"""Pixels of a screen of a usual width."""

TABLET = 800
"""Pixels at which the receipts, which are folded away, may be wider than the page."""

READABLE, LARGE = 12, 20
"""Pixels that the text of a chart is high: at least on a phone, and at most on a desk."""

PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 22, 29)"}

FRAME = """\
<!doctype html><html style="color-scheme: light dark"><meta charset="utf-8">
<body style="margin: 0"><pre id="seen"></pre>
<iframe style="border: 0; width: {width}px; height: 3000px" srcdoc="{page}"></iframe>
<script>
document.querySelector("iframe").onload = event => {{
  const page = event.target.contentDocument, root = page.documentElement;
  const drawn = [...page.querySelectorAll("svg.chart")];
  const charts = drawn.map(chart => chart.getBoundingClientRect());
  const figures = page.querySelectorAll("svg.chart [style*='--first']");
  document.getElementById("seen").textContent = JSON.stringify({{
    heading: page.querySelector("h1").textContent,
    room: root.clientWidth,
    needed: root.scrollWidth,
    cut: [...page.querySelectorAll(".scroll")]
      .filter(part => part.scrollWidth > part.clientWidth)
      .map(part => part.getAttribute("aria-label")),
    height: root.scrollHeight,
    charts: charts.map(chart => [chart.width, chart.height]),
    labels: drawn.flatMap(chart => [...chart.querySelectorAll("text")].map(
      label => parseFloat(getComputedStyle(label).fontSize) * chart.getScreenCTM().a)),
    paper: getComputedStyle(page.body).backgroundColor,
    filled: getComputedStyle(figures[0]).fill,
  }});
}};
</script>
"""
"""A frame of some width around the page, which measures what is drawn in it."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason=f"needs a browser: {', '.join(BROWSERS)}"),
]


@pytest.fixture(scope="module", params=["training", "scaled_site/state.json"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("browser")
    return page_of(source(request.param, folder), folder)


@pytest.mark.parametrize("style", PREFERENCES)
@pytest.mark.parametrize("width", [DESK, TABLET, 360])
def test_a_browser_draws_the_page_without_scrolling_sideways(
    page: str, width: int, style: str, tmp_path: Path
) -> None:
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME.format(width=width, page=html.escape(page)), encoding="utf-8")
    done = subprocess.run(
        [
            str(BROWSER),
            *("--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--virtual-time-budget=5000", f"--user-data-dir={tmp_path / 'profile'}"),
            f"--blink-settings=preferredColorScheme={PREFERENCES[style]}",
            frame.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    (written,) = re.findall(r'<pre id="seen">(.*?)</pre>', done.stdout)
    seen = json.loads(html.unescape(written))

    (title,) = re.findall(r"<h1>(.*?)</h1>", page)
    assert seen["heading"] == html.unescape(title)
    assert seen["room"] <= width
    assert seen["needed"] <= seen["room"]
    assert [part for part in seen["cut"] if width != TABLET or part != "Receipts"] == []
    assert seen["height"] > 1000
    assert len(seen["charts"]) == page.count("<svg ")
    assert all(100 < wide <= width and high > 40 for wide, high in seen["charts"])
    assert READABLE <= min(seen["labels"]) <= max(seen["labels"]) <= LARGE
    assert seen["paper"] == PAPER[style]
    assert seen["filled"] not in {"none", "rgb(0, 0, 0)"}
