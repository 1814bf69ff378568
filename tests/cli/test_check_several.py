"""`gpuinfra check` of several SOURCEs in one call."""

import json
import shutil

import pytest

from tests.cli.documents import documented
from tests.pulumi_files.files import digest, put, step
from tests.pulumi_files.recording import recorded

DAY = ("--as-of", "2026-11-21")


@pytest.fixture
def sources(tmp_path, quickstart, monkeypatch):
    """A folder with a stack that passes, a preview that fails, a state, and a broken file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fine").mkdir()
    shutil.copy(quickstart / "stack.yaml", tmp_path / "fine")
    put(tmp_path, digest(step()), "preview.json")
    put(tmp_path, recorded("quickstart", "state.json"), "state.json")
    put(tmp_path, "version: 1\nnope: 3\n", "broken.yaml")
    return tmp_path


def test_each_has_a_heading_and_the_last_line_sums_up(gpuinfra, sources):
    ran = gpuinfra("check", "fine", "state.json", "preview.json", "fine/", *DAY)

    lines = ran.out.splitlines()
    assert ran.code == 1
    assert [line for line in lines if line in {"fine", "state.json", "preview.json"}] == [
        "fine",
        "state.json",
        "preview.json",
    ]
    assert lines[-1].startswith("3 sources: 2 PASS, 1 FAIL, ")
    assert "errors" in lines[-1]
    assert "warning" in lines[-1]


def test_bad_input_hides_no_findings(gpuinfra, sources):
    ran = gpuinfra("check", "broken.yaml", "nowhere.yaml", "preview.json", *DAY)

    assert ran.code == 2
    assert "✗ no-cap" in ran.out
    assert ran.out.count("FAIL: the source can't be judged") == 2
    assert ran.out.splitlines()[-1].startswith("3 sources: 3 FAIL (2 not judged), ")
    assert "not judged: broken.yaml\nerror: broken.yaml:" in ran.err
    assert "unknown key 'nope'" in ran.err
    assert "nowhere.yaml does not exist" in ran.err


def test_a_quiet_check_shows_the_sources_that_fail(gpuinfra, sources):
    fine = gpuinfra("check", "fine", "state.json", "-q", *DAY)
    failing = gpuinfra("check", "fine", "preview.json", "-q", *DAY)

    assert (fine.code, fine.out) == (0, "")
    assert failing.out.splitlines()[0] == "preview.json"
    assert failing.out.splitlines()[-1].startswith("2 sources: 1 PASS, 1 FAIL, ")


def test_json_has_a_document_for_each_source(gpuinfra, sources):
    ran = gpuinfra("check", "fine", "preview.json", "broken.yaml", "--json", *DAY)

    fine, preview, broken = json.loads(ran.out)["sources"]
    keys = documented()
    assert ran.code == 2
    assert set(fine) == {"source"} | keys["check"]
    assert set(preview) == {"source"} | keys["check"] | keys["check FILE.json"]
    assert (broken["source"], set(broken)) == ("broken.yaml", {"source", "error"})


def test_other_formats_are_one_document(gpuinfra, sources):
    formats = ("sarif", "junit", "markdown", "table", "json")
    files = [word for name in formats for word in ("--output", f"{name}=out.{name}")]
    ran = gpuinfra(
        *("check", "fine", "preview.json", "broken.yaml", *DAY, "--format", "github", *files)
    )
    out = {name: (sources / f"out.{name}").read_text() for name in formats}

    ending = ran.out.splitlines()[-1].removeprefix("gpuinfra check: ")
    assert ending.startswith("3 sources: 1 PASS, 2 FAIL (1 not judged), ")
    assert "::error file=broken.yaml,line=" in ran.out
    [run] = json.loads(out["sarif"])["runs"]
    assert [call["exitCode"] for call in run["invocations"]] == [0, 1, 2]
    assert {result["provenance"]["invocationIndex"] for result in run["results"]} <= {0, 1}
    assert run["automationDetails"]["id"] == "gpuinfra/fine, preview.json, broken.yaml/"
    assert out["junit"].count("<testsuite ") == 3
    assert out["junit"].count("<?xml") == 1
    assert out["markdown"].startswith("<!-- gpuinfra:check:fine-preview-json-broken-yaml-")
    assert out["markdown"].count("<!-- gpuinfra:") == 1
    assert out["markdown"].splitlines()[2] == f"## ❌ gpuinfra check: {ending}"
    assert out["table"].splitlines()[-1] == ending
    assert len(json.loads(out["json"])["sources"]) == 3


def test_an_option_is_for_the_sources_that_take_it(gpuinfra, sources):
    settings = put(sources, "budget: {per_hour: 1}\n", "settings.yaml")
    ran = gpuinfra("check", "fine", "preview.json", "--settings", settings, *DAY)
    alone = gpuinfra("check", "fine", "broken.yaml", "--settings", settings, *DAY)

    assert ran.code == 1
    assert ran.out.splitlines()[-1].startswith("2 sources: 1 PASS, 1 FAIL, ")
    assert "✗ cap-per-hour" in ran.out
    assert alone.code == 2
    assert "--settings applies to a preview or a state" in alone.err


def test_the_step_summary_has_all_sources(gpuinfra, sources, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(sources / "summary.md"))
    gpuinfra("check", "fine", "state.json", "--format", "github", *DAY)

    assert "## ✅ gpuinfra check: 2 sources: 2 PASS" in (sources / "summary.md").read_text()


@pytest.mark.parametrize(("verb", "key"), [("cost", "quote"), ("plan", "plan")])
def test_several_sources_are_priced_and_planned(verb, key, gpuinfra, sources):
    each = ("fine", "preview.json", "broken.yaml")
    ran = gpuinfra(verb, *each, *DAY)
    document = json.loads(gpuinfra(verb, *each, "--json", *DAY).out)

    assert ran.code == 2
    assert [line for line in ran.out.splitlines() if line in each] == ["fine", "preview.json"]
    assert "not read: broken.yaml" in ran.err
    assert ran.err.splitlines()[-1] == "3 sources: 1 not read"
    fine, preview, broken = document["sources"]
    assert set(fine) == {"source"} | documented()[verb]
    assert key in preview
    assert set(broken) == {"source", "error"}


def test_a_comparison_of_costs_takes_one_source(gpuinfra, sources):
    ran = gpuinfra("cost", "fine", "state.json", "--diff")

    assert ran.code == 2
    assert "--diff takes one SOURCE" in ran.err


def test_a_hint_names_one_source_and_the_options_that_are_for_it(gpuinfra, sources):
    put(sources, "budget: {per_hour: 1}\n", "settings.yaml")
    (sources / "small").mkdir()
    stack = (sources / "fine/stack.yaml").read_text().replace("per_hour: 8", "per_hour: 1")
    put(sources / "small", stack, "stack.yaml")
    each = ("fine", "small/", "preview.json", "--settings", "settings.yaml", *DAY)
    day = " ".join(DAY)

    table = ("--output", "table=table.txt")
    checked = " ".join(gpuinfra("check", *each, *table).out.split())
    written = " ".join((sources / "table.txt").read_text().split())
    priced = " ".join(gpuinfra("cost", *each).out.split())
    planned = " ".join(gpuinfra("plan", *each).out.split())

    for text in (checked, written):
        assert f"gpuinfra check small/ {day}" in text
        assert f"gpuinfra check preview.json --settings settings.yaml {day}" in text
    assert f"sources: gpuinfra cost fine {day} --detail" in priced
    assert f"(`gpuinfra cost fine {day} -v`)" in planned
    assert f"(`gpuinfra cost preview.json --settings settings.yaml {day} -v`)" in planned


def test_a_hint_keeps_an_option_whose_value_is_another_source(gpuinfra, sources):
    ran = gpuinfra("plan", "fine", "preview.json", "--stack", "fine", *DAY)

    hint = f"`gpuinfra cost preview.json --stack fine {' '.join(DAY)} -v`"
    assert hint in " ".join(ran.out.split())
