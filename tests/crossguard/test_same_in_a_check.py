"""A pack and `gpuinfra check` of a file say the same, whoever says what of a rule."""

import json
from datetime import date

import pytest

from gpuinfra.api.check_settings import read
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.crossguard.policies import RuleHandler
from gpuinfra.crossguard.policy_settings import ROOT
from gpuinfra.rules import RULES
from gpuinfra.rules.waivers import short_name
from tests.crossguard.wire import shown, urn

RULE = "metadata-hop-limit"
INSTANCE = "aws:ec2/instance:Instance"
HOPS = {"chat": 2, "batch": 3, "nodes[0]": 2}
DAY = date(2026, 11, 21)
EVERY = {(name, "advisory") for name in HOPS}


def inputs(hops):
    options = {"httpTokens": "required", "httpPutResponseHopLimit": hops}
    return {"instanceType": "g6.xlarge", "metadataOptions": options}


def spoken(program, waivers):
    """The inputs of a program's root component."""
    return {"rules": {RULE: program} if program else {}, "waivers": list(waivers)}


def by_the_pack(given, program, waivers=()):
    """What a pack with this configuration has against machines, by their names."""
    bench = RuleHandler([rule for rule in RULES if rule.id == RULE])
    own = {name: value for name, value in given.items() if name != "level"}
    bench.configure({RULE: (given.get("level", "advisory"), own)})
    told = spoken(program, waivers)
    assert not bench.judge_resource(shown(ROOT, "shop", told))
    diagnostics = [
        diagnostic
        for name, hops in HOPS.items()
        for diagnostic in bench.judge_resource(shown(INSTANCE, name, inputs(hops)))
    ]
    return {
        (short_name(diagnostic.urn), diagnostic.level)
        for diagnostic in diagnostics
        if diagnostic.policy == RULE
    }


def by_the_check(folder, given, program, waivers=()):
    """What `gpuinfra check` with these settings has against the same machines in a state."""
    told = spoken(program, waivers)
    root = {"urn": urn(ROOT, "shop"), "type": ROOT, "custom": False, "inputs": told}
    made = [
        {"urn": urn(INSTANCE, name), "type": INSTANCE, "custom": True, "inputs": inputs(hops)}
        for name, hops in HOPS.items()
    ]
    path, settings = folder / "state.json", folder / "settings.yaml"
    path.write_text(json.dumps({"version": 3, "deployment": {"resources": [root, *made]}}))
    settings.write_text(json.dumps({"rules": {RULE: given}}))
    findings = check_file(path, read(settings, None, DAY), DAY).report.verdict.findings
    return {
        (short_name(finding.subject), finding.level)
        for finding in findings
        if finding.rule == RULE and finding.outcome == "violated"
    }


@pytest.mark.parametrize(
    ("given", "program", "expected"),
    [
        ({}, {}, EVERY),
        ({"level": "mandatory"}, {}, {(name, "mandatory") for name in HOPS}),
        ({"level": "disabled"}, {}, set()),
        ({}, {"level": "mandatory"}, {(name, "mandatory") for name in HOPS}),
        ({"level": "mandatory"}, {"level": "disabled"}, {(name, "mandatory") for name in HOPS}),
        ({"level": "disabled"}, {"level": "advisory"}, EVERY),
        ({"maximum": 2}, {}, {("batch", "advisory")}),
        ({}, {"maximum": 2}, {("batch", "advisory")}),
        ({"maximum": 3}, {"maximum": 2}, {("batch", "advisory")}),
        ({"maximum": 2}, {"maximum": 3}, {("batch", "advisory")}),
        ({"workloads": {"batch": {"level": "disabled"}}}, {"maximum": 2}, set()),
        (
            {"maximum": 2},
            {"workloads": {"batch": {"level": "mandatory"}}},
            EVERY | {("batch", "mandatory")},
        ),
        (
            {"level": "disabled", "workloads": {"chat": {"level": "mandatory"}}},
            {"maximum": 1},
            {("chat", "mandatory")},
        ),
        (
            {"workloads": {"nodes[0]": {"level": "disabled"}}},
            {},
            EVERY - {("nodes[0]", "advisory")},
        ),
        ({"workloads": {"nodes[0]": {"maximum": 2}}}, {}, EVERY - {("nodes[0]", "advisory")}),
    ],
)
def test_levels_and_settings_count_the_same(tmp_path, given, program, expected):
    pack = by_the_pack(given, program)

    assert by_the_check(tmp_path, given, program) == pack
    assert pack == expected


WAIVER = {"rule": RULE, "resource": "batch", "reason": "r", "owner": "o", "until": "2026-12-31"}


def test_what_is_waived_is_waived_under_every_reading(tmp_path):
    settings = ({"maximum": 2}, {"maximum": 1}, [WAIVER])

    assert (
        by_the_pack(*settings)
        == by_the_check(tmp_path, *settings)
        == EVERY - {("batch", "advisory")}
    )


def test_a_waiver_that_one_reading_needs_is_not_needless(tmp_path):
    path, settings = tmp_path / "state.json", tmp_path / "settings.yaml"
    by_the_check(tmp_path, {"maximum": 3}, {"maximum": 2}, [WAIVER])
    needed = check_file(path, read(settings, None, DAY), DAY).report.verdict
    by_the_check(tmp_path, {"maximum": 3}, {"maximum": 3}, [WAIVER])
    needless = check_file(path, read(settings, None, DAY), DAY).report.verdict

    assert [finding.rule for finding in needed.waived] == [RULE]
    assert "waiver" not in {finding.rule for finding in needed.findings}
    assert "waiver" in {finding.rule for finding in needless.findings}


def test_a_waiver_of_waivers_is_refused_and_not_unknown(tmp_path):
    own = {**WAIVER, "rule": "waiver"}
    by_the_check(tmp_path, {}, {}, [own])
    findings = check_file(
        tmp_path / "state.json", read(None, None, DAY), DAY
    ).report.verdict.findings

    assert [
        "this rule can't be waived" in finding.message
        for finding in findings
        if finding.rule == "waiver"
    ] == [True]
