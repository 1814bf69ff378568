"""What a contributor meets on GitHub and before a commit is valid, and runs what CI runs."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from tests.conftest import SLOW

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
BIN = Path(sys.executable).parent
TOOLS = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
ACTIONLINT = shutil.which("actionlint", path=TOOLS)
PAGES = sorted(
    [
        *(ROOT / "docs/decisions").glob("*.md"),
        *(ROOT / "docs/how-to").glob("*.md"),
        *(ROOT / "docs" / name for name in ("contributing.md", "releasing.md")),
    ]
)
WORKFLOWS = sorted(GITHUB.glob("workflows/*.yml"))

FORMS = sorted(path for path in GITHUB.glob("ISSUE_TEMPLATE/*.yml") if path.name != "config.yml")

ELEMENTS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}
"""https://docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema"""


def read(path: Path) -> Any:
    return YAML(typ="safe").load(path)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_the_form_that_github_asks_for(path: Path) -> None:
    schema = json.loads((ROOT / "tests/report/fixtures/github-workflows.json").read_text())

    jsonschema.Draft7Validator(schema).validate(read(path))


def test_ci_on_github_runs_what_ci_runs_anywhere() -> None:
    workflow = read(GITHUB / "workflows/ci.yml")

    assert workflow["jobs"]["test"]["steps"][-1]["run"] == ".ci/run"
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_ci_runs_what_contributors_are_asked_to_run() -> None:
    commands = re.findall(r"^make \w+$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    asked = ("docs/contributing.md", ".github/pull_request_template.md")

    assert commands == ["make lint", "make test"]
    assert all(
        " and ".join(f"`{command}`" for command in commands) in (ROOT / page).read_text()
        for page in asked
    )


@pytest.mark.skipif(not ACTIONLINT, reason="needs actionlint: make actionlint, or on PATH")
def test_actionlint_has_nothing_to_say() -> None:
    done = subprocess.run(
        [str(ACTIONLINT), *map(str, WORKFLOWS)],
        env={**os.environ, "PATH": TOOLS},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "path",
    sorted(set(GITHUB.glob("ISSUE_TEMPLATE/*.yml")) - {GITHUB / "ISSUE_TEMPLATE/config.yml"}),
)
def test_a_form_has_what_github_asks_of_it(path: Path) -> None:
    form = read(path)
    fields = [field for field in form["body"] if field["type"] != "markdown"]

    assert {"name", "description", "body"} <= form.keys()
    assert {field["type"] for field in form["body"]} <= ELEMENTS
    assert all(field["attributes"]["label"] for field in fields)
    assert len({field["id"] for field in fields}) == len(fields)


def test_each_hook_before_a_commit_is_a_linter_of_make_lint() -> None:
    (local,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    recipe = (ROOT / "Makefile").read_text().split("\nlint:")[1].split("\n\n")[0]
    linters = set(re.findall(r"\$\(BIN\)/([\w-]+)", recipe))

    hooks = {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in local["hooks"]}
    assert hooks == linters, "list each linter of `make lint` in .pre-commit-config.yaml"


def test_each_place_that_make_quick_leaves_out_is_there() -> None:
    assert [place for place in SLOW if not (ROOT / "tests" / place).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())

    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs/decisions"
    listed = re.findall(r"\]\((\d+-[\w-]+\.md)\)", (folder / "README.md").read_text())
    pages = [path.name for path in folder.glob("[0-9]*.md")]

    assert listed == sorted(pages, key=lambda name: int(name.partition("-")[0]))
