"""What the real engine wrote: every source reads it, and none calls fine what another refuses."""

from datetime import date

import pytest

from gpuinfra import pulumi_files
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.api.settings_beside import CheckSettings
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
    found: dict[tuple[str, str], set[str]] = {}
    for one in verdict.findings:
        name = "" if one.subject in WHOLE else short_name(one.subject)
        found.setdefault((one.rule, OF_THE_FILE.get(name, name)), set()).add(one.outcome)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("file", "kind"), SOURCES.items())
def test_every_recording_is_read_whole(put, name, file, kind):
    found = pulumi_files.read(put(name, file))
    whole = pulumi_files.read(put(name, "state.json"))
    assert found.kind == kind
    assert {one.urn for one in found.resources} == {one.urn for one in whole.resources}
    assert {one.urn: one.region for one in found.resources} == {
        one.urn: one.region for one in whole.resources
    }
    assert found.leaving == ()


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_source_says_fine_where_another_says_violated(put, name):
    verdicts = [
        check_file(put(name, file), CheckSettings(), DAY).report.verdict for file in SOURCES
    ]
    if name == "quickstart":
        verdicts.append(load(ROOT / "stacks" / name).verdict)
    compared = [outcomes(one) for one in verdicts]
    at_odds = {
        key
        for one in compared
        for other in compared
        for key in one
        if "fine" in one[key] and "violated" in other.get(key, ())
    }
    assert at_odds == set()
    assert any("fine" in one for one in compared[0].values())


def test_our_own_stack_costs_the_same_in_every_source_but_the_stream(put):
    file = load(ROOT / "stacks" / "quickstart").quote
    for name in ("preview.json", "sames.json", "state.json"):
        found = check_file(put("quickstart", name), CheckSettings(), DAY)
        quote = found.report.quote
        assert quote.per_hour.standing == file.per_hour.standing
        assert quote.per_month.standing == file.per_month.standing
        assert found.report.verdict.ok


def test_a_preview_without_its_unchanged_resources_is_refused(put):
    with pytest.raises(InputError) as caught:
        pulumi_files.read(put("quickstart", "unchanged.json"))
    assert "omits 79 of them" in caught.value.problems[0].message


@pytest.mark.parametrize("file", ["changed.json", "changed.jsonl"])
def test_what_a_change_replaces_is_read_as_it_becomes(put, file):
    found = pulumi_files.read(put("scaled_site", file))
    (vpc,) = (one for one in found.resources if one.type == "aws:ec2/vpc:Vpc")
    assert vpc.inputs["cidrBlock"] == "10.9.0.0/16"
    assert "id" not in vpc.outputs or not isinstance(vpc.outputs["id"], str)
    assert len(found.leaving) == 7
    assert all(one.replaced for one in found.leaving)
    assert len(found.resources) == 16
