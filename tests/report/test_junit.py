from xml.etree import ElementTree as ET

import pytest
from hypothesis import given

from gpuinfra.errors import printable
from gpuinfra.report import Report, junit
from tests.report.cases import OUTSIDE, Accepted, finding, full, report
from tests.report.schemas import JUNIT


def parsed(written: Report) -> ET.Element:
    root = ET.fromstring(junit.write(written).encode())  # noqa: S314 - our own
    JUNIT.validate(root)
    return root


@pytest.mark.parametrize(
    ("outcome", "level", "ending"),
    [
        ("fine", "mandatory", []),
        ("violated", "mandatory", ["failure"]),
        ("violated", "advisory", ["skipped"]),
        ("not-knowable", "mandatory", ["error"]),
        ("not-knowable", "advisory", ["skipped"]),
        ("not-applicable", "mandatory", ["skipped"]),
        ("noted", "advisory", ["skipped"]),
    ],
)
def test_how_a_case_ends(outcome: str, level: str, ending: list[str]) -> None:
    root = parsed(report(finding(outcome=outcome, level=level)))

    (case,) = root.iter("testcase")
    assert [child.tag for child in case] == ending
    counted = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    (suite,) = root.iter("testsuite")
    for tag, total in counted.items():
        assert suite.get(total) == str(ending.count(tag))
        assert root.get(total) == (None if tag == "skipped" else suite.get(total))


def test_a_case_names_rule_subject_family_and_place() -> None:
    (case,) = parsed(report(finding(path=("training", "a")))).iter("testcase")

    assert case.get("classname") == "gpuinfra.security"
    assert case.get("name", "").startswith("open-login: urn:")
    assert (case.get("file"), case.get("line")) == ("infra/stack.yaml", "3")
    assert "\nfix: close them\nmore: gpuinfra explain open-login" in (
        case.findtext("failure") or ""
    )


def test_alike_cases_are_told_apart() -> None:
    names = [case.get("name") for case in parsed(report(finding(), finding())).iter("testcase")]

    assert len(set(names)) == 2


def test_a_waived_finding_is_skipped_with_its_reason() -> None:
    waivers = [Accepted("open-login", "*", reason="a bastion")]
    (case,) = parsed(report(waived=[finding()], waivers=waivers)).iter("testcase")

    assert case[0].tag == "skipped"
    assert "a bastion" in case[0].get("message", "")


@given(OUTSIDE)
def test_no_text_breaks_the_document(text: str) -> None:
    root = parsed(full(text))

    cases = list(root.iter("testcase"))
    assert len(cases) == 6
    assert root.get("tests") == "6"
    assert all(child.tag in {"failure", "error", "skipped"} for case in cases for child in case)
    legal = junit._xml_safe(printable(text))
    assert cases[0].get("name") == f"open-login: {legal}"
