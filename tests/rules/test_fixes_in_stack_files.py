"""What a finding says to write into a stack file is written, and the finding is gone."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from gpuinfra import api
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import InputError
from gpuinfra.report.examples import example
from gpuinfra.rules import RULES, Finding

HEAD = "name: shop\nowner: ml\n"
RICH = "budget: {per_hour: 100000}\n"
WITHOUT_CAPS = {"no-cap", "cloud-budget"}
STEP = re.compile(
    r"(?:add to (?P<place>the file|[\w.]+): |\b(?:add|set|demand:) )"
    r"(?P<key>\w+): (?P<value>\{(?:[^{}]|\{[^{}]*\})*\}|[\w.-]+)"
)
"""A key of a fix, and the mapping to which it is added: else it is the finding's subject."""
RAISED = re.compile(r"raise (?P<cap>budget\.\w+) to (?P<value>[\d.]+)")
MORE = {
    "spot with a bucket of another name": (
        "training: {t: {gpu: T4:1, capacity: spot, duration: 4h, time_to_live: 5h}}\n"
        "buckets: {ours: {size: 1TB}}\n"
    ),
    "a short run on spot": (
        "training: {t: {gpu: T4:1, nodes: 2, fabric: none, capacity: spot, duration: 5m}}\n"
    ),
    "a pool that costs more than its cap": (
        "budget: {per_hour: 0.1, per_month: 10}\n"
        "inference: {chat: {gpu: T4:1, replicas: 2..3, image: a, port: 80}}\n"
    ),
}
CAPS = {"no-cap", "cap-per-hour", "cap-per-month", "cap-per-run"}
OFTEN = {*CAPS, "time-limit", "spot-checkpoints", "fabric-driver", "bucket-versioned"}
USUAL = {*OFTEN, "price-outdated", "spot-only-pool", "bucket-lifecycle"}
PASTED = {"aws": {*USUAL, "idle-stop"}, "gcp": USUAL, "azure": OFTEN}
"""The rules whose fix can be pasted, of those that the texts violate on each cloud."""


def texts() -> dict[str, str]:
    """Stack files that violate rules, by a name."""
    found = {}
    for rule in RULES:
        bad = example(rule.id).bad
        if "resources:" not in bad:
            capped = "budget:" in bad or rule.id in WITHOUT_CAPS
            found[rule.id] = f"{'' if capped else RICH}{bad}\n"
    more = {name: text if "budget" in text else f"{RICH}{text}" for name, text in MORE.items()}
    return {**found, **more}


def findings(folder: Path, text: str) -> dict[tuple[str, str], Finding]:
    (folder / "stack.yaml").write_text(text)
    bad = {"violated", "not-knowable"}
    found = api.check(folder).verdict.findings
    return {(each.rule, each.subject): each for each in found if each.outcome in bad}


def pasted(text: str, finding: Finding) -> str:
    """The file with the first thing that a fix says to write; the same where it says nothing."""
    yaml = YAML(typ="safe")
    whole: dict[str, Any] = yaml.load(text)
    subject = finding.subject if "." in finding.subject else "the file"
    # What follows "or" is another way, and taken where the first one is no key.
    ways = (list(STEP.finditer(way)) for way in re.split(r"[;,] or ", finding.fix))
    first = next(filter(None, ways), [])
    steps = [(step["place"] or subject, step["key"], step["value"]) for step in first]
    raises = RAISED.finditer(finding.fix)
    steps += [(*raised["cap"].split("."), raised["value"]) for raised in raises]
    for place, key, value in steps:
        holder = whole
        for part in () if place == "the file" else place.split("."):
            holder = holder.setdefault(part, {})
        written = yaml.load(value)
        there = holder.get(key)
        both = isinstance(there, dict) and isinstance(written, dict)
        holder[key] = there | written if both else written
    out = StringIO()
    yaml.dump(whole, out)
    return out.getvalue() if steps else text


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_pasted_fix_passes_what_it_is_proposed_for(tmp_path: Path, cloud: str) -> None:
    """Each finding of each text is mended alone, and nothing else is refused then."""
    mended = set()
    for name, body in texts().items():
        text = f"{HEAD}where: {{cloud: {cloud}}}\n{body}"
        try:
            before = findings(tmp_path, text)
        except InputError:
            continue  # a word of another cloud
        for key, finding in before.items():
            fixed = pasted(text, finding)
            if fixed != text and "…" not in finding.fix:
                after = findings(tmp_path, fixed)
                remains = after.get(key)
                is_lowered = remains and finding.refuses and not remains.refuses
                assert remains is None or is_lowered, (name, finding.fix)
                assert after.keys() <= before.keys(), (name, finding.fix, after.keys())
                mended.add(finding.rule)

    assert mended == PASTED[cloud]
