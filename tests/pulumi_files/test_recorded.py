"""What the real engine wrote: every source reads it, and none calls fine what another refuses."""

from datetime import date

import pytest

from gpuinfra import pulumi_files
from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.cli.source import load
from gpuinfra.errors import InputError
from gpuinfra.rules.waivers import short_name
from tests.pulumi_files.recording import PROGRAMS, ROOT, recorded

DAY = date(2026, 11, 21)
SOURCES = {
    "preview.json": "digest",
    "stream.jsonl": "stream",
    "sames.json": "digest",
    "state.json": "state",
}
OF_THE_FILE = {"trainer": "trainer-group", "chat": "chat-group", "data": "data-bucket"}
WHOLE = {"quickstart", *(f"{name}/sandbox" for name in PROGRAMS)}


@pytest.fixture
def put(tmp_path):
    def write(name, file):
        path = tmp_path / file
        path.write_text(recorded(name, file))
        return path

    return write


def outcomes(verdict):
    """Outcomes by rule and subject, whatever the source calls it."""
    by_rule: dict[tuple[str, str], set[str]] = {}
    for finding in verdict.findings:
        name = "" if finding.subject in WHOLE else short_name(finding.subject)
        by_rule.setdefault((finding.rule, OF_THE_FILE.get(name, name)), set()).add(finding.outcome)
    return by_rule


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("file", "kind"), SOURCES.items())
def test_every_recording_is_read_whole(put, name, file, kind):
    contents = pulumi_files.read(put(name, file))
    whole = pulumi_files.read(put(name, "state.json"))
    assert contents.kind == kind
    assert {resource.urn for resource in contents.resources} == {
        resource.urn for resource in whole.resources
    }
    assert {resource.urn: resource.region for resource in contents.resources} == {
        resource.urn: resource.region for resource in whole.resources
    }
    assert contents.leaving == ()


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_source_says_fine_where_another_says_violated(put, name):
    verdicts = [
        check_file(put(name, file), CheckSettings(), DAY).report.verdict for file in SOURCES
    ]
    if name == "quickstart":
        verdicts.append(load(ROOT / "stacks" / name).verdict)
    compared = [outcomes(verdict) for verdict in verdicts]
    at_odds = {
        key
        for verdict_of in compared
        for other in compared
        for key in verdict_of
        if "fine" in verdict_of[key] and "violated" in other.get(key, ())
    }
    assert at_odds == set()
    assert any("fine" in verdict_of for verdict_of in compared[0].values())


def test_our_own_stack_costs_the_same_in_every_source_but_the_stream(put):
    file = load(ROOT / "stacks" / "quickstart").quote
    for name in ("preview.json", "sames.json", "state.json"):
        check = check_file(put("quickstart", name), CheckSettings(), DAY)
        quote = check.report.quote
        assert round(quote.per_hour.active - file.per_hour.active, 20) == 0
        assert round(quote.per_month.active - file.per_month.active, 20) == 0
        assert check.report.verdict.ok


def test_a_preview_without_its_unchanged_resources_is_refused(put):
    with pytest.raises(InputError) as caught:
        pulumi_files.read(put("quickstart", "unchanged.json"))
    assert "omits 93 of them" in caught.value.problems[0].message


@pytest.mark.parametrize("file", ["changed.json", "changed.jsonl"])
def test_what_a_change_replaces_is_read_as_it_becomes(put, file):
    contents = pulumi_files.read(put("scaled_site", file))
    (vpc,) = (resource for resource in contents.resources if resource.type == "aws:ec2/vpc:Vpc")
    assert vpc.inputs["cidrBlock"] == "10.9.0.0/16"
    assert "id" not in vpc.outputs or not isinstance(vpc.outputs["id"], str)
    assert len(contents.leaving) == 7
    assert all(leaving.replaced and leaving.coexists for leaving in contents.leaving)
    assert len(contents.resources) == 16
