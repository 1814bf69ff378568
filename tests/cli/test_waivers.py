"""Waivers beside a preview or a state, as a user meets them in every report."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import Run
from tests.pulumi_files.files import digest, entry, put, state, step
from tests.pulumi_files.recording import recorded

DAY = ("--as-of", "2026-11-21")
ONE = "{{rule: {rule}, resource: {resource}, reason: a demonstration, owner: ml, until: {until}}}"
SETTINGS = "budget: {per_hour: 100}\nprices: {accept_outdated: true}\n"


def waiver(rule: str = "public-address", resource: str = "gpu", until: str = "2027-03-31") -> str:
    return ONE.format(rule=rule, resource=resource, until=until)


def waivers(*written: str) -> str:
    return "version: 1\nwaivers:\n" + "".join(f"  - {waiver}\n" for waiver in written)


@pytest.fixture
def preview(tmp_path: Path) -> Path:
    """A preview of one machine with a public address, and what it may cost."""
    gpu = entry("gpu", inputs={"instanceType": "g6.xlarge", "associatePublicIpAddress": True})
    put(tmp_path, SETTINGS, "settings.yaml")
    return put(tmp_path, digest(step("gpu", newState=gpu)), "preview.json")


def findings(ran_out: str, rule: str) -> list[dict]:
    return [finding for finding in json.loads(ran_out)["findings"] if finding["rule"] == rule]


def test_a_file_beside_the_preview_sets_findings_aside_in_every_report(
    gpuinfra: Run, preview: Path, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    put(tmp_path, waivers(waiver()), "gpuinfra.waivers.yaml")
    names = ("json", "sarif", "junit", "github", "markdown")
    outputs = [part for name in names for part in ("--output", f"{name}={tmp_path / name}")]

    table = gpuinfra("check", preview, "-v", *outputs, *DAY).out
    read = {name: (tmp_path / name).read_text() for name in names}

    accepted = "waived until 2027-03-31 by ml: a demonstration"
    assert "✗ public-address" not in table
    assert f"~ public-address: aws:ec2/instance:Instance gpu: {accepted}" in (table)
    assert ", 1 waived" in table
    (waived,) = json.loads(read["json"])["waived"]
    assert waived["rule"] == "public-address"
    assert waived["waiver"]["owner"] == "ml"
    (result,) = [
        result
        for result in json.loads(read["sarif"])["runs"][0]["results"]
        if "suppressions" in result
    ]
    (suppression,) = result["suppressions"]
    assert suppression["justification"] == accepted
    place = suppression["location"]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "gpuinfra.waivers.yaml"
    assert place["region"] == {"startLine": 3, "startColumn": 5}
    (case,) = [
        case
        for case in ET.fromstring(read["junit"]).iter("testcase")  # noqa: S314 - our own
        if case.get("name").startswith("public-address:")
    ]
    assert case.find("skipped").get("message") == accepted
    assert "::notice title=gpuinfra public-address::" in read["github"]
    assert "#### Waived\n\n- **public-address** `" in read["markdown"]
    assert f"`: {accepted}" in read["markdown"].replace("\\", "")
    assert "1 waived" in read["markdown"]


def test_a_waiver_that_is_wrong_points_at_its_own_line(
    gpuinfra: Run, preview: Path, tmp_path: Path
) -> None:
    written = [
        waiver(),
        waiver("bucket-tls"),
        waiver("public-address", until="2026-11-20"),
        waiver("public-address", until="2027-12-31"),
        waiver("no-such-rule"),
        waiver("no-cap"),
    ]
    path = put(tmp_path, waivers(*written), "gpuinfra.waivers.yaml")

    ran = gpuinfra("check", preview, *DAY)
    wrong = findings(gpuinfra("check", preview, "--json", *DAY).out, "waiver")

    assert ran.code == 1
    assert f"    at:  {path}:4:5" in ran.out
    messages = {finding["position"]["line"]: finding["message"] for finding in wrong}
    assert list(messages) == [4, 5, 6, 7, 8]
    assert "the waiver of bucket-tls for gpu, owned by ml, matches no finding" in messages[4]
    assert "ended on 2026-11-20" in messages[5]
    assert "in 405 days; at most 180 are allowed" in messages[6]
    assert "unknown rule" in messages[7]
    assert "this rule can't be waived" in messages[8]


def test_how_far_ahead_is_said_in_the_settings(
    gpuinfra: Run, preview: Path, tmp_path: Path
) -> None:
    put(tmp_path, waivers(waiver(until="2027-12-31")), "gpuinfra.waivers.yaml")
    longer = put(tmp_path, f"{SETTINGS}rules: {{waiver: {{most_days: 405}}}}\n", "long.yaml")

    def wrong(*options: object) -> list[dict]:
        ran = gpuinfra("check", preview, "--json", *options, *DAY)
        return findings(ran.out, "waiver")

    assert len(wrong()) == 1
    assert wrong("--settings", longer) == []


def test_a_waiver_of_a_disabled_rule_is_left_alone(
    gpuinfra: Run, preview: Path, tmp_path: Path
) -> None:
    put(tmp_path, waivers(waiver(), waiver("bucket-tls")), "gpuinfra.waivers.yaml")
    text = f"{SETTINGS}rules: {{bucket-tls: {{level: disabled}}}}\n"
    settings = put(tmp_path, text, "s.yaml")

    assert findings(gpuinfra("check", preview, "--json", *DAY).out, "waiver")
    ran = gpuinfra("check", preview, "--settings", settings, "--json", *DAY)
    assert findings(ran.out, "waiver") == []


def test_another_file_can_be_named_and_then_holds_alone(
    gpuinfra: Run, preview: Path, tmp_path: Path
) -> None:
    put(tmp_path, waivers(waiver("bucket-tls")), "gpuinfra.waivers.yaml")
    other = put(tmp_path, waivers(waiver()), "other.yaml")

    ran = gpuinfra("check", preview, "-v", "--waivers", other, *DAY)

    assert "~ public-address" in ran.out
    assert "matches no finding" not in ran.out


def test_waivers_of_the_settings_and_of_the_file_both_hold_at_their_places(
    gpuinfra: Run, preview: Path, tmp_path: Path
) -> None:
    put(tmp_path, f"\n\n{waivers(waiver('spot-share'))}", "gpuinfra.waivers.yaml")
    text = f"{SETTINGS}waivers:\n  - {waiver()}\n  - {waiver('bucket-tls')}\n"
    settings = put(tmp_path, text, "s.yaml")

    ran = gpuinfra("check", preview, "--settings", settings, "--json", *DAY)
    places = [
        (Path(finding["position"]["file"]).name, finding["position"]["line"])
        for finding in findings(ran.out, "waiver")
    ]

    assert places == [("s.yaml", 5), ("gpuinfra.waivers.yaml", 5)]


def test_a_malformed_file_is_bad_input_with_all_its_faults_and_those_of_the_settings(
    gpuinfra: Run, preview: Path, tmp_path: Path
) -> None:
    text = (
        "version: 1\nwaivers:\n  - {rule: open-login, resource: gpu, reason: x, owner: ml}\n"
        "  - {rule: Open Login, resource: gpu, reason: x, owner: ml, until: soon}\nwaiver: []\n"
    )
    put(tmp_path, text, "gpuinfra.waivers.yaml")
    settings = put(tmp_path, "budget: {per_hour: lots}\n", "s.yaml")

    ran = gpuinfra("check", preview, "--settings", settings)

    assert ran.code == 2
    assert ran.out == ""
    for place in ("s.yaml:1:", "waivers.yaml:3:", "waivers.yaml:4:", "waivers.yaml:5:1"):
        assert place in ran.err
    assert "until" in ran.err
    assert "remove it: waivers is set" in ran.err


def test_a_named_file_that_is_not_there_is_bad_input(gpuinfra: Run, preview: Path) -> None:
    ran = gpuinfra("check", preview, "--waivers", "nowhere.yaml")

    assert ran.code == 2
    assert "nowhere.yaml does not exist" in ran.err


def test_a_stack_file_has_its_own_waivers(gpuinfra: Run, quickstart: Path) -> None:
    ran = gpuinfra("check", quickstart, "--waivers", "w.yaml")

    assert ran.code == 2
    assert "--waivers applies to a preview or a state; a stack file has its own" in ran.err


def test_a_wrong_waiver_of_a_stack_file_points_at_its_line(gpuinfra: Run, stack) -> None:
    path = stack()
    text = path.read_text()
    path.write_text(f"{text}waivers:\n  - {waiver('open-login', 'trainer')}\n")

    ran = gpuinfra("check", path, *DAY)

    assert ran.code == 1
    assert "the waiver of open-login for trainer, owned by ml, matches no finding" in ran.out
    assert f"    at:  {path}:{len(text.splitlines()) + 2}:5" in ran.out


def test_a_waiver_of_what_only_the_program_s_setting_refuses_is_needed(
    gpuinfra: Run, tmp_path: Path
) -> None:
    path = put(tmp_path, recorded("quickstart", "state.json").replace('"40%"', '"90%"'), "s.json")
    settings = "rules: {spot-share: {minimum: 10%}}\nloosening: accepted\n"
    loose = put(tmp_path, settings, "loose.yaml")
    name = json.loads(gpuinfra("check", path, "--json", *DAY).out)["stack"]
    put(tmp_path, waivers(waiver("spot-share", name)), "gpuinfra.waivers.yaml")

    ran = gpuinfra("check", path, "-v", "--settings", loose, *DAY)

    assert "~ spot-share" in ran.out
    assert "matches no finding" not in ran.out
    assert ran.code == 0


def test_of_two_that_say_how_far_ahead_the_smaller_holds(gpuinfra: Run, tmp_path: Path) -> None:
    document = json.loads(recorded("quickstart", "state.json"))
    (root,) = [
        resource
        for resource in document["deployment"]["resources"]
        if resource["type"] == "gpuinfra:index:Stack"
    ]
    root["inputs"]["rules"] = {"waiver": {"most_days": 100}}
    path = put(tmp_path, document, "s.json")
    put(tmp_path, waivers(waiver("open-login", "x")), "gpuinfra.waivers.yaml")
    given = [
        put(tmp_path, f"rules: {{waiver: {{most_days: {days}}}}}\n", f"{days}.yaml")
        for days in (120, 140)
    ]

    def message(*options: object) -> str:
        ran = gpuinfra("check", path, "--json", *options, *DAY)
        (finding,) = findings(ran.out, "waiver")
        return finding["message"]

    assert "in 130 days; at most 100 are allowed" in message()
    assert "at most 100 are" in message("--settings", given[1])
    root["inputs"]["rules"] = {"waiver": {"most_days": 139}}
    put(tmp_path, document, "s.json")
    assert "at most 120 are" in message("--settings", given[0])
    assert "matches no finding" in message("--settings", given[1])


def test_a_state_is_waived_as_a_preview_is(gpuinfra: Run, tmp_path: Path) -> None:
    inputs = {"instanceType": "g6.xlarge", "associatePublicIpAddress": True}
    path = put(tmp_path, state(entry("gpu", id="i-1", inputs=inputs)), "state.json")
    put(tmp_path, waivers(waiver(resource="g*")), "gpuinfra.waivers.yaml")

    assert "~ public-address" in gpuinfra("check", path, "-v", *DAY).out


def test_faults_of_waivers_are_told_before_a_program_runs(gpuinfra: Run, tmp_path: Path) -> None:
    put(tmp_path, "name: shop\nruntime: python\n", "Pulumi.yaml")
    put(tmp_path, "open('ran', 'w')\n", "__main__.py")
    put(tmp_path, "waivers: [3]\n", "gpuinfra.waivers.yaml")

    ran = gpuinfra("check", tmp_path)

    assert ran.code == 2
    assert "gpuinfra.waivers.yaml:1:" in ran.err
    assert not (tmp_path / "ran").exists()
