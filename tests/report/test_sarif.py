import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from gpuinfra.errors import Position
from gpuinfra.report import Report, sarif
from gpuinfra.rules import RULES
from tests.report.cases import OUTSIDE, URN, Accepted, finding, full, report
from tests.report.schemas import SARIF


def run_of(written: Report) -> dict[str, Any]:
    log = json.loads(sarif.write(written, "1.2.3"))
    SARIF.validate(log)
    (run,) = log["runs"]
    return run


def test_every_rule_is_described() -> None:
    run = run_of(report())

    described = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert list(described) == [*(rule.id for rule in RULES), "waiver"]
    assert "request forgery" in described["metadata-v2"]["help"]["text"]
    assert described["metadata-v2"]["helpUri"].startswith("https://")
    assert described["metadata-v2"]["defaultConfiguration"]["level"] == "error"


def test_a_result_has_its_place_in_the_file_and_its_rule() -> None:
    run = run_of(report(finding("cap-per-hour", subject="shop", path=("budget", "per_hour"))))

    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "cap-per-hour"
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "infra/stack.yaml", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 3, "startColumn": 2},
            }
        }
    ]


def test_a_resource_without_a_file_has_its_urn() -> None:
    (result,) = run_of(report(finding()))["results"]

    (place,) = result["locations"]
    assert place["logicalLocations"] == [
        {"name": "trainer", "fullyQualifiedName": URN, "kind": "resource"}
    ]
    assert "region" not in place["physicalLocation"]


def test_a_file_outside_of_the_checkout_has_an_absolute_address() -> None:
    (result,) = run_of(report(finding(), source=Path("/else where/stack.yaml")))["results"]

    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "file:///else%20where/stack.yaml"}


def test_an_address_is_quoted() -> None:
    place = Position("/checkout/a b/50%#1.yaml", 1, 1)
    (result,) = run_of(report(finding(path=("a",)), locate=lambda _: place))["results"]

    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == "a%20b/50%25%231.yaml"


@pytest.mark.parametrize(
    ("outcome", "level", "shown"),
    [
        ("violated", "mandatory", ["error"]),
        ("violated", "advisory", ["warning"]),
        ("not-knowable", "mandatory", ["error"]),
        ("not-knowable", "advisory", ["warning"]),
        ("fine", "mandatory", []),
        ("not-applicable", "mandatory", []),
    ],
)
def test_levels(outcome: str, level: str, shown: list[str]) -> None:
    run = run_of(report(finding(outcome=outcome, level=level)))

    assert [result["level"] for result in run["results"]] == shown
    assert run["properties"]["counts"] == {outcome: 1}


def test_a_waived_finding_is_suppressed_with_its_reason() -> None:
    waivers = [Accepted("other", "*"), Accepted("open-login", "trainer", reason="a bastion")]
    run = run_of(report(waived=[finding()], waivers=waivers))

    (result,) = run["results"]
    (suppression,) = result["suppressions"]
    assert suppression["justification"] == "waived until 2026-12-31 by ml-platform: a bastion"
    assert suppression["status"] == "accepted"
    assert suppression["location"]["physicalLocation"]["region"] == {
        "startLine": 3,
        "startColumn": 2,
    }


def test_a_waiver_that_stands_in_no_file_has_no_place() -> None:
    told = report(waived=[finding()], waivers=[Accepted("open-login", "*")], locate=lambda _: None)

    (suppression,) = run_of(told)["results"][0]["suppressions"]
    assert "location" not in suppression


def prints(written: Report) -> list[str]:
    return [
        result["partialFingerprints"][sarif.FINGERPRINT] for result in run_of(written)["results"]
    ]


def test_fingerprints_stay_while_lines_move_and_tell_findings_apart() -> None:
    here = report(finding(message="40 USD"), finding(), finding("metadata-v2"))
    moved = report(
        finding(message="50 USD"), finding(), finding("metadata-v2"), locate=lambda _: None
    )

    assert prints(here) == prints(moved)
    assert len(set(prints(here))) == 3


def test_what_was_not_judged_is_told() -> None:
    (told,) = run_of(full("x"))["invocations"][0]["toolExecutionNotifications"]

    assert told["message"]["text"] == "not checked: 1 of type x: x"


@given(OUTSIDE)
def test_no_text_breaks_the_log_its_links_or_its_placeholders(text: str) -> None:
    assert sarif.write(full(text), "1").isascii()
    for result in run_of(full(text))["results"]:
        message = result["message"]["text"]
        assert message.isprintable()
        assert "](" not in message.replace("\\]", "")
        assert "{0}" not in message.replace("{{0}}", "")
