"""Reports to write: a stack file's, a stranger's resources', and names made to break out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from gpuinfra.cost import Quote, Total
from gpuinfra.errors import Position
from gpuinfra.model import NotJudged
from gpuinfra.report import Report
from gpuinfra.rules import FabricVerdict, Finding, Verdict

DAY = date(2026, 8, 1)
URN = "urn:pulumi:prod::shop::aws:autoscaling/group:Group::trainer"

HOSTILE = (
    "a|b\\|c",
    "`x` ``y```",
    "<script>alert(1)</script><!-- -->",
    "first\nsecond\r\n::error::pwned",
    "\x1b[31mred\x1b[0m\x07\u202e",
    "::set-output name=a::b ##[error]x",
    "]]></failure><testcase name='x'/>",
    "[click](https://evil.example) ![i](http://evil.example/x.png) www.evil.example",
    "@team #1 $x$ {0} %0A &amp; __bold__ ~~no~~",
    "\ud800 \x00 \ufffe",
)
"""Names that some reader of a report would obey."""


OUTSIDE = (
    st.sampled_from(HOSTILE)
    | st.text()
    | st.text(alphabet="|`<>*_[]()!#@&;:\\\n\r\x1b%,~$=+-1.{}\"'/ aw", max_size=12)
)
"""Any text, most of all of what readers obey."""


@dataclass(frozen=True)
class Accepted:
    rule: str
    resource: str
    reason: str = "agreed"
    owner: str = "ml-platform"
    until: date = date(2026, 12, 31)


def finding(rule: str = "open-login", **changes: Any) -> Finding:
    fields = {
        "outcome": "violated",
        "subject": URN,
        "message": "ports 22 or 3389 are open to the whole internet",
        "fix": "close them",
        "rule": rule,
        **changes,
    }
    return Finding(**fields)


QUOTE = Quote(
    lines=(),
    per_hour=Total(ceiling=Decimal("220.16"), active=Decimal(160), expected=None),
    per_month=Total(ceiling=Decimal(40000), active=Decimal(20000), expected=Decimal(10000)),
    per_run=None,
    runs=(),
    rungs=(),
    active_rungs={},
    chosen=(),
    unpriced=(),
    rates=(),
    oldest="",
    outdated=(),
    accept_outdated=True,
    warnings=(),
)


def report(
    *findings: Finding,
    waived: Sequence[Finding] = (),
    waivers: Sequence[Accepted] = (),
    root: Path = Path("/checkout"),
    **changes: Any,
) -> Report:
    """A report on a file of a checkout, in which every path of findings is on line 3.

    What is waived is so by the last waiver.
    """
    fields = {
        "name": "shop",
        "as_of": DAY,
        "source": root / "infra" / "stack.yaml",
        "root": root,
        "quote": QUOTE,
        "locate": lambda path: Position(str(root / "infra" / "stack.yaml"), 3, len(path)),
        **changes,
    }
    accepted = (len(waivers) - 1,) * len(waived)
    verdict = Verdict(findings=findings, waived=tuple(waived), waiver_indexes=accepted)
    return Report(verdict=verdict, waivers=waivers, **fields)


def full(text: str) -> Report:
    """A report that has one text from outside wherever there is one."""
    return report(
        finding(subject=text, message=text, fix=text, path=("training", "a")),
        finding(subject=text, message=text, fix=text, level="advisory"),
        finding(outcome="not-knowable", subject=f"urn:{text}"),
        finding(outcome="fine", subject=text, message=text, fix=""),
        finding(outcome="not-applicable", subject=text, message=text, fix=""),
        waived=[finding("metadata-v2", subject="x", message=text)],
        waivers=[Accepted("metadata-v2", "*", reason=text, owner=text)],
        name=text,
        not_judged=(NotJudged(subject=text, type=text, reason=text),),
        fabric=(FabricVerdict(name=text, subject=text, answer="no", reasons=(text,)),),
        quote=replace(QUOTE, unpriced=(text,)),
    )


def many(count: int) -> Report:
    """As many findings that refuse, and as many of other kinds, each with words of its own."""
    return report(
        *(finding(subject=f"urn:{n}", message=f"port {n} is open") for n in range(count)),
        *(finding("metadata-v2", level="advisory", message=str(n)) for n in range(count // 10)),
        *(finding("spot-share", outcome="fine", subject=f"f-{n}") for n in range(count // 10)),
        waived=[finding("nvlink", subject=f"w-{n}") for n in range(count // 10)],
        waivers=[Accepted("nvlink", "*")],
        not_judged=tuple(
            NotJudged(subject=str(n), type=f"other:a/b:C{n}", reason="no table")
            for n in range(count // 10)
        ),
        fabric=tuple(
            FabricVerdict(name=str(n), subject=str(n), answer="no", reasons=("x",))
            for n in range(count // 10)
        ),
    )
