"""The documentation site builds without a warning, and needs no network."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

import gpuinfra
from gpuinfra import api
from gpuinfra.cli import COMMANDS
from gpuinfra.report.rule_text import EXPLAINED_RULES

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


class Parts(HTMLParser):
    """The ids of a page, and the addresses of what a browser loads with it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids.add(values.get("id", ""))
        if tag in {"script", "img", "iframe", "source"} and "src" in values:
            self.loaded.append(values["src"])
        if tag == "link" and values.get("rel") not in {"canonical", "next", "prev"}:
            self.loaded.append(values.get("href", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a broken link or anchor, or a page without a place, fails the build."""
    folder = tmp_path_factory.mktemp("site")
    command = ["build", "--strict", "--config-file", "docs/site/mkdocs.yml", "--site-dir", folder]
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", *command],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (build.returncode, "WARNING" in build.stderr) == (0, False), build.stderr
    return folder


def test_no_page_loads_anything_from_the_network(site: Path) -> None:
    pages = {path.name: Parts(path).loaded for path in site.rglob("*.html")}

    assert pages["index.html"]
    assert [(name, url) for name, urls in pages.items() for url in urls if "//" in url] == []


def test_every_rule_has_an_address(site: Path) -> None:
    assert {rule.id for rule in EXPLAINED_RULES} <= Parts(site / "rules.html").ids
    assert {path.stem for path in (site / "rules").glob("*.html")} == {
        rule.id for rule in EXPLAINED_RULES
    }
    assert all(rule.id in Parts(site / f"rules/{rule.id}.html").ids for rule in EXPLAINED_RULES)


def test_every_command_has_an_address(site: Path) -> None:
    ids = Parts(site / "reference/cli.html").ids

    assert {f"gpuinfra-{name}" for name, _ in COMMANDS} <= ids
    assert "gpuinfra-catalog-refresh" in ids


@pytest.mark.parametrize(
    ("page", "module"), [("components", gpuinfra), ("api", api)], ids=["components", "api"]
)
def test_every_public_name_has_an_address(site: Path, page: str, module: ModuleType) -> None:
    names = {name for name in module.__all__ if not name.startswith("_")}

    assert {f"{module.__name__}.{name}" for name in names} <= Parts(
        site / f"reference/{page}.html"
    ).ids


def test_keys_say_which_clouds_build_them(site: Path) -> None:
    text = re.sub(r"<[^>]+>|\s+", " ", (site / "reference/stack.html").read_text())

    assert re.search(r"\bidle_stop\W[^|]*?yes +no +no\b", text)
    assert re.search(r"\bper_hour\W[^|]*?yes +yes +yes\b", text)


BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)

MEASURE = """\
<script>addEventListener("load", () => {
  const keys = [...document.querySelectorAll("td:first-child code")];
  const broken = keys.filter(key => key.getClientRects().length > 1);
  document.documentElement.dataset.keys = keys.length;
  document.documentElement.dataset.broken = broken.map(key => key.textContent).join(" ");
});</script>
"""


@pytest.mark.skipif(BROWSER is None, reason=f"needs a browser: {', '.join(BROWSERS)}")
@pytest.mark.parametrize(("page", "least"), [("aws", 50), ("keys", 25)])
def test_no_key_of_a_table_is_broken_inside(
    site: Path, page: str, least: int, tmp_path: Path
) -> None:
    measured = site / f"{page}-measured.html"
    measured.write_text((site / f"{page}.html").read_text("utf-8") + MEASURE, "utf-8")

    done = subprocess.run(
        [
            str(BROWSER),
            *("--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--window-size=1280,900", "--virtual-time-budget=5000"),
            f"--user-data-dir={tmp_path / 'profile'}",
            measured.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    (root,) = re.findall(r"<html[^>]*>", done.stdout)
    (keys,), (broken,) = (re.findall(f'data-{name}="(.*?)"', root) for name in ("keys", "broken"))
    assert int(keys) >= least
    assert broken == ""
