"""The Python front door: each function gives what the command line prints as JSON."""

import inspect
import json
import re
import subprocess
import sys
from dataclasses import fields
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra import api
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.choosing import MachineRequirements
from gpuinfra.catalog import NothingFits, Request
from gpuinfra.cli import run
from gpuinfra.cli.views.render import show_json
from gpuinfra.errors import InputError, RefusedError
from gpuinfra.graph import to_json

ROOT = Path(__file__).parents[2]
STACKS = ROOT / "stacks"
SHIPPED = ("quickstart", "startup-gcp", "startup-azure")
DAY = date(2026, 11, 21)
HEAVY = ("pulumi", "rich", "click", "pydantic", "ruamel", "boto3", "gpuinfra.engine")


@pytest.fixture
def printed(capsys):
    """What a command prints as JSON, and what a value is as JSON."""

    def of(*arguments):
        run([*map(str, arguments), "--json"])
        return json.loads(capsys.readouterr().out)

    return of


@pytest.fixture
def as_json(capsys):
    def of(value):
        show_json(value)
        return json.loads(capsys.readouterr().out)

    return of


def copied(folder, *replaced):
    text = (STACKS / "quickstart" / "stack.yaml").read_text()
    for old, new in replaced:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = folder / "stack.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", SHIPPED)
def test_check_plan_and_quote_are_what_the_command_line_prints(name, printed, as_json):
    path = STACKS / name
    answer = printed("check", path, "--as-of", DAY)
    quoted = printed("cost", path, "--as-of", DAY)
    planned = printed("plan", path, "--as-of", DAY)
    resources = printed("plan", path, "--as-of", DAY, "--resources")

    checked = api.check(path, as_of=DAY)
    plan = api.plan(path, as_of=DAY)

    findings = as_json(checked.findings)
    assert findings
    assert findings == [
        {k: v for k, v in finding.items() if k != "position"} for finding in answer["findings"]
    ]
    assert checked.ok is answer["ok"]
    assert as_json(checked.quote.per_hour) == answer["per_hour"]
    assert as_json(checked.fabric) == answer["fabric"]
    assert as_json(checked.not_judged) == answer["not_judged"]
    assert as_json(checked.plan) == as_json(plan.plan) == planned["plan"]
    assert as_json(plan.rungs) == planned["rungs"]
    assert as_json(to_json(plan.resources)) == resources["resources"]
    assert as_json(api.quote(path, as_of=DAY)) == quoted["quote"]


def test_a_loaded_source_is_read_once_and_judged_alike(tmp_path, as_json):
    path = copied(tmp_path)
    whole = as_json(api.check(path, as_of=DAY).findings)
    source = api.load(str(path), as_of=DAY)
    path.write_text("broken: [")

    assert as_json(api.check(source, as_of=DAY).findings) == whole
    assert api.plan(source).groups
    assert api.plan(source).resources.resources
    with pytest.raises(InputError):
        api.load(path)


def test_a_rung_stands_where_the_caller_says(printed, as_json):
    path = STACKS / "quickstart"
    rungs = {"trainer": "on-demand"}

    (trainer,) = (group for group in api.plan(path, rungs=rungs).groups if group.name == "trainer")

    assert trainer.rung.capacity == "on-demand"
    answer = printed("check", path, "--rung", "trainer=on-demand")
    assert as_json(api.quote(path, rungs=rungs).per_hour) == answer["per_hour"]


def test_every_fault_of_a_file_is_told_with_its_place(tmp_path):
    path = copied(tmp_path, ("budget:", "budgte:"), ("g6.8xlarge", "g6.9xlarge"))

    with pytest.raises(InputError) as caught:
        api.check(path)

    assert len(caught.value.problems) == 2
    assert all(problem.position for problem in caught.value.problems)


def test_a_lock_that_does_not_match_refuses_a_loaded_source_too(tmp_path, capsys):
    path = copied(tmp_path)
    assert run(["lock", str(path)]) == 0
    checked = api.check(path)
    assert isinstance(checked, StackCheck)
    assert "gpuinfra.lock" in " ".join(checked.notes)
    path.write_text(path.read_text().replace("per_hour: 8", "per_hour: 9", 1))
    source = api.load(path)

    if not source.lock_changes:  # a cap is not frozen; a number of machines is
        path.write_text(path.read_text().replace("nodes: 2", "nodes: 3", 1))
        source = api.load(path)
    assert source.lock_changes
    for given in (path, source):
        with pytest.raises(RefusedError):
            api.plan(given)


def test_a_state_is_checked_with_its_settings(tmp_path, printed, as_json):
    path = written_state(tmp_path)
    settings = tmp_path / "settings.yaml"
    settings.write_text("budget: {per_hour: 1}\n")

    answer = printed("check", path, "--settings", settings, "--as-of", DAY)
    checked = api.check(path, settings=settings, as_of=DAY)

    assert isinstance(checked, api.PulumiCheck)
    assert checked.ok is answer["ok"] is False
    findings = [
        {k: v for k, v in finding.items() if k != "position"} for finding in answer["findings"]
    ]
    assert as_json(checked.findings) == findings
    assert checked.notes == ("1 resource of pulumi stack export", *answer["notes"])
    with pytest.raises(InputError):
        api.check(path, rungs={"trainer": "spot"})


def written_state(folder):
    inputs = {"instanceType": "g6.xlarge", "metadataOptions": {"httpTokens": "optional"}}
    urn = "urn:pulumi:dev::shop::aws:ec2/instance:Instance::box"
    resource = {"urn": urn, "type": "aws:ec2/instance:Instance", "custom": True, "inputs": inputs}
    path = folder / "state.json"
    path.write_text(json.dumps({"version": 3, "deployment": {"resources": [resource]}}))
    return path


def test_settings_beside_a_stack_file_are_refused():
    with pytest.raises(InputError, match="a state; a stack file has its own"):
        api.check(STACKS / "quickstart", settings="settings.yaml")


def test_choose_is_what_the_command_line_prints(printed, as_json):
    answer = printed("choose", "L4:1", "--cloud", "aws", "--capacity", "spot")

    choice = api.choose("L4:1", clouds=["aws"], capacity="spot")

    for key in ("winner", "ranked", "losers", "near_misses"):
        assert as_json(getattr(choice, key)) == answer[key]
    assert as_json(api.choose(choice.request).ranked) == answer["ranked"]
    cheap = api.choose("L4:1", clouds=["aws"], max_per_hour=0.9)
    assert all(candidate.per_hour <= Decimal("0.9") for candidate in cheap.ranked)


def test_choose_tells_what_is_wrong_and_what_comes_closest():
    with pytest.raises(InputError):
        api.choose("H100:8", clouds=["moon"])
    with pytest.raises(NothingFits) as caught:
        api.choose("H100:8", clouds=["aws"], max_per_hour=1)
    assert caught.value.nearest


def test_the_demands_are_those_of_a_request():
    others = {"as_word", "clouds", "regions", "gpu", "instance", "day", "fabric_software"}

    assert {field.name for field in fields(Request)} - others == set(
        MachineRequirements.__annotations__
    )


@pytest.mark.parametrize("verb", [api.preview, api.up, api.destroy, api.status])
def test_no_target_is_ever_assumed(verb, tmp_path):
    path = copied(tmp_path)
    path.write_text(re.sub(r"(?m)^target:.*\n", "", path.read_text()))

    with pytest.raises(InputError, match="no target"):
        verb(path)
    with pytest.raises(InputError, match="unknown target"):
        verb(path, "moon")


def test_the_rules_stop_an_up_before_an_engine_is_asked(tmp_path, sandbox_home, monkeypatch):
    monkeypatch.setenv("GPUINFRA_PULUMI", str(tmp_path / "none"))
    path = copied(tmp_path, ("per_hour: 8", "per_hour: 1"))

    result = api.up(path, "sandbox")

    assert not result.ok
    assert result.outcome.ending == "refused"
    assert "cap-per-hour" in {finding.rule for finding in result.check.findings if finding.refuses}


def test_the_example_of_the_package_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"(?:^    .+\n)+", inspect.getdoc(api) or "", re.MULTILINE)
    lines = [line[4:] for line in example.splitlines()]

    exec("\n".join(lines), {})  # noqa: S102

    ok, rules, machine = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert ok.startswith("True ")
    assert rules == "[]"
    assert machine.startswith("g6")
    page = [line for line in (ROOT / "docs" / "api.md").read_text().splitlines() if line]
    assert "\n".join(lines) in "\n".join(page)


def test_importing_it_is_cheap():
    script = "import gpuinfra.api, sys, json; print(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
    )
    loaded = json.loads(done.stdout)

    assert not [module for module in loaded if module.startswith(HEAVY)]


def test_every_name_is_there_documented_and_on_the_page():
    page = (ROOT / "docs" / "api.md").read_text()

    assert list(api.__all__) == sorted(api.__all__)
    for name in api.__all__:
        value = getattr(api, name)
        assert inspect.getdoc(value), name
        assert name in page, name
        if inspect.isfunction(value):
            assert value.__annotations__["return"] is not None, name


@pytest.mark.e2e
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_stack_comes_up_is_shown_and_goes(tmp_path, sandbox_home):
    path = copied(tmp_path)

    seen = api.preview(path, "sandbox")
    assert seen.ok, seen.outcome.reason
    assert set(seen.outcome.changes) == {"create"}
    assert api.status(path, "sandbox").standing is None

    dear = path.with_name("dear.yaml")
    dear.write_text(path.read_text().replace("per_hour: 8", "per_hour: 1"))
    refused = api.preview(dear, "sandbox")
    assert (refused.outcome.verb, refused.outcome.ending) == ("preview", "refused")
    assert not refused.check.ok

    made = api.up(path, "sandbox", skip_preview=True)
    assert made.ok, made.outcome.reason
    assert made.outputs

    stands = api.status(path, "sandbox")
    assert stands.standing is not None
    assert stands.quote is not None
    assert len(stands.plan.groups) == len(made.check.plan.groups)
    assert stands.quote.per_hour.ceiling > 0

    assert api.destroy(path, "sandbox").ok
    assert api.status(path, "sandbox").standing is None
