import re
from dataclasses import replace
from pathlib import Path

from hypothesis import given

from gpuinfra.errors import Position
from gpuinfra.report import Report, github
from tests.report.cases import OUTSIDE, Accepted, finding, full, report


def commands(written: Report) -> list[tuple[str, dict[str, str], str]]:
    """The commands that GitHub's runner reads, as its ActionCommand.TryParseV2 does."""
    listed = []
    for line in re.split(r"\r\n|\r|\n", github.write(written)):
        if match := re.fullmatch(r"\s*::(\S+)(?: (.*?))?::(.*)", line):
            name, properties, data = match.groups()
            pairs = (part.split("=", 1) for part in (properties or "").split(",") if "=" in part)
            values = {
                key: value.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
                for key, value in pairs
            }
            words = data.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
            listed.append((name, values, words))
    return listed


def test_a_finding_is_an_annotation_at_its_place() -> None:
    ((name, properties, words),) = commands(report(finding(path=("training", "a"))))

    assert name == "error"
    assert properties == {
        "file": "infra/stack.yaml",
        "line": "3",
        "col": "2",
        "title": "gpuinfra open-login",
    }
    assert words.endswith(
        "open to the whole internet\nfix: close them\nmore: gpuinfra explain open-login"
    )


def test_a_resource_has_no_place() -> None:
    ((_, properties, words),) = commands(report(finding(level="advisory")))

    assert set(properties) == {"title"}
    assert words.startswith("aws:autoscaling/group:Group trainer: ports 22 or 3389")


def test_a_waived_finding_is_a_notice() -> None:
    waivers = [Accepted("open-login", "*", reason="a bastion")]
    first, (name, _, words) = commands(report(waived=[finding()], waivers=waivers))

    assert first[2] == "influenced by: 1 finding waived (open-login)"
    assert name == "notice"
    assert "waived until 2026-12-31 by ml-platform: a bastion" in words


def test_what_github_would_drop_is_counted() -> None:
    listed = commands(report(*(finding(subject=f"a{n}") for n in range(25))))

    assert len(listed) == github.MAX_ANNOTATIONS
    assert listed[-1][2] == "… and 16 more: see the step summary"


def test_a_fine_stack_has_no_annotation() -> None:
    assert commands(report(finding(outcome="fine"))) == []
    assert github.write(report(finding(outcome="fine"))) == "gpuinfra check: shop: PASS\n"


def test_the_last_line_is_the_summary_of_a_check() -> None:
    warnings = (finding(level="advisory", subject=f"a{n}") for n in range(3))

    text = github.write(report(finding(), *warnings, finding(outcome="fine")))

    assert text.splitlines()[-1] == "gpuinfra check: shop: FAIL, 1 error, 3 warnings"


def test_a_percent_sign_and_a_line_break_in_a_name_stay_themselves() -> None:
    ((_, _, words),) = commands(report(finding(subject="a%0Ab\nc", message="50% %25", fix="")))

    assert words == "a%0Ab\\nc: 50% %25"


def test_what_has_no_place_in_the_stack_file_names_the_file(tmp_path: Path) -> None:
    source = tmp_path / "infra" / "stack.yaml"
    whole = report(finding(), root=tmp_path, source=source)

    ((_, properties, _),) = commands(replace(whole, text="name: shop"))
    ((_, of_preview, _),) = commands(whole)

    assert properties == {"file": "infra/stack.yaml", "title": "gpuinfra open-login"}
    assert set(of_preview) == {"title"}


def test_a_path_may_hold_what_separates_properties(tmp_path: Path) -> None:
    file = str(tmp_path / "a,line=9::b%2C.yaml")
    place = Position(file, 1, 2)
    ((_, properties, _),) = commands(
        report(finding(path=("a",)), root=tmp_path, locate=lambda _: place)
    )

    assert properties["file"] == "a,line=9::b%2C.yaml"


@given(OUTSIDE)
def test_no_text_becomes_a_command(text: str) -> None:
    written = full(text)
    listed = commands(written)

    assert [name for name, _, _ in listed] == [
        *("notice", "error", "error", "warning", "notice", "warning")
    ]
    assert [set(properties) for _, properties, _ in listed] == [
        {"title"},
        {"file", "line", "col", "title"},
        *[{"title"}] * 4,
    ]
    assert github.write(written).count("\n") == len(listed) + 1
