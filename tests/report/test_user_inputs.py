"""What of a user's own changed a result stands within the first five lines of every report."""

import io
from contextlib import redirect_stdout
from dataclasses import replace
from decimal import Decimal
from html import unescape

import pytest

from gpuinfra.cli.views import check_table
from gpuinfra.cli.views.render import json_text
from gpuinfra.cli.views.verdict_json import verdict_fields
from gpuinfra.cost import Line
from gpuinfra.model import Caps, Plan
from gpuinfra.report import comment, github, junit, sarif
from gpuinfra.report.html import page
from gpuinfra.report.html.content import PageContent
from gpuinfra.report.user_inputs import influence_phrases, sentence
from tests.report.cases import QUOTE, Accepted, finding, report

FIVE = 5


def line(item, **changes):
    given = {
        "group": None,
        "subject": item,
        "name": item,
        "kind": "on-demand",
        "item": item,
        "region": "us-east-1",
        "quantity": Decimal(1),
        "unit": "hour",
        "status": "priced",
        "rate": Decimal("0.01"),
        **changes,
    }
    return Line(**given)


OWN = line("p5.48xlarge", origin="user")
OLD = line("g6.xlarge", as_of="2023-01-01")
BOUND = line("nat-gateway-hour", origin="bound")
LEFT = line("aws:rds/instance:Instance", status="not-counted", rate=None)
LINES = (OWN, OLD, BOUND, LEFT)
DOUBT = "prices.yaml: p5.48xlarge at $0.01 is far from the list price of $55.04"
CASES = {
    "waived": ({"waived": [finding()]}, "1 finding waived (open-login)"),
    "own prices": (
        {"quote": replace(QUOTE, lines=(OWN,))},
        "1 line at your own prices (p5.48xlarge $0.01/hour)",
    ),
    "doubts": ({"doubts": (DOUBT,)}, DOUBT),
    "accepted": (
        {"quote": replace(QUOTE, lines=(OLD,), outdated=(OLD,), oldest="2023-01-01")},
        "1 line at outdated list prices, the oldest of 2023-01-01 (accept_outdated)",
    ),
    "bounds": (
        {"quote": replace(QUOTE, lines=(BOUND,), bounded=(BOUND,))},
        "1 line counted at a bound (nat-gateway-hour)",
    ),
    "not counted": (
        {"quote": replace(QUOTE, lines=(LEFT,))},
        "1 line without a price not counted (aws:rds/instance:Instance)",
    ),
}
WAIVERS = [Accepted("open-login", "*")]


def table(written):
    shown = io.StringIO()
    with redirect_stdout(shown):
        check_table.show_judged(written, ())
    return shown.getvalue()


def html(written):
    """The lines of the page's body: each of its blocks is one, or begins one."""
    plan = Plan(name="p", owner="o", caps=Caps())
    content = PageContent(
        report=written, plan=plan, source_kind="stack", influences=influence_phrases(written)
    )
    return page.write(content).partition("<header>\n")[2]


FORMATS = {
    "table": table,
    "markdown": comment.write,
    "github": github.write,
    "html": html,
    "json": lambda written: json_text(verdict_fields(written)),
    "junit": junit.write,
    "sarif": lambda written: sarif.write(written, "1"),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_what_influences_a_result_is_in_its_first_five_lines(form, case):
    changes, words = CASES[case]
    bad = [finding(subject=f"a{number}") for number in range(8)]
    text = FORMATS[form](report(*bad, waivers=WAIVERS, **changes))
    head = "\n".join(text.split("\n")[:FIVE])
    plain = " ".join(unescape(head.replace("\\", "")).split())

    assert words in plain


def test_a_plain_result_has_no_such_line():
    plain = report(finding())

    assert influence_phrases(plain) == ()
    assert sentence(plain) == ""
    named = {form: "influence" in write(plain).lower() for form, write in FORMATS.items()}
    assert [form for form in named if named[form]] == ["json"], "it says that none did"
    assert verdict_fields(plain)["influences"] == ()


def test_outdated_prices_that_are_not_accepted_are_findings_of_their_own():
    refused = replace(QUOTE, lines=(OLD,), outdated=(OLD,), accept_outdated=False)

    assert influence_phrases(report(quote=refused)) == ()
