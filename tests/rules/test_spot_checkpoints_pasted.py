"""What is said to add to a stack file on spot without checkpoints is added, and passes."""

import re
from datetime import date
from io import StringIO
from typing import Any

import pytest
from ruamel.yaml import YAML

from gpuinfra import source as sources
from gpuinfra import stackfile
from gpuinfra.api.checking import judge
from gpuinfra.rules import Finding, Verdict
from gpuinfra.source import Source

PLACES = {
    "aws": ("us-east-1", "L4:1"),
    "gcp": ("us-central1", "L4:1"),
    "azure": ("eastus", "T4:1"),
}
TIMES = "duration: 24h, time_to_live: 30h"


def stack(cloud: str, times: str, buckets: str) -> str:
    """A stack file of one machine on spot, with this `buckets`."""
    region, gpu = PLACES[cloud]
    return (
        f"name: demo\nowner: ml\nbudget: {{per_hour: 9}}\nprices: {{accept_outdated: true}}\n"
        f"where: {{cloud: {cloud}, regions: [{region}]}}\n"
        f"training: {{run: {{gpu: {gpu}, capacity: spot, {times}}}}}\n{buckets}"
    )


def judged(text: str) -> Verdict:
    """The verdict on a stack file."""
    source = Source(document=stackfile.loads(text, "stack.yaml"))
    return judge(source, sources.plan(source, {}), {}, date(2026, 11, 21)).verdict


def finding(text: str) -> Finding:
    """What the rule says of the stack."""
    (it,) = (each for each in judged(text).findings if each.rule == "spot-checkpoints")
    return it


def pasted(text: str, parts: list[str]) -> str:
    """The file with each part where it says that it belongs."""
    yaml = YAML(typ="safe")
    whole: dict[str, Any] = yaml.load(text)
    for part in parts:
        found = re.fullmatch(r"add to (\S+?|the file): (.*)", part)
        assert found, part
        target = whole
        for key in () if found[1] == "the file" else found[1].split("."):
            target = target[key]
        target.update(yaml.load(found[2]))
    out = StringIO()
    yaml.dump(whole, out)
    return out.getvalue()


@pytest.mark.parametrize("buckets", ["", "buckets: {data: {size: 1TB}}\n"])
@pytest.mark.parametrize("times", [TIMES, "duration: 5m, time_to_live: 8m", "time_to_live: 9h"])
@pytest.mark.parametrize("cloud", PLACES)
def test_checkpoints_as_printed_pass(cloud: str, times: str, buckets: str) -> None:
    text = stack(cloud, times, buckets)
    *parts, otherwise = finding(text).fix.split("; ")
    after = pasted(text, parts)

    assert finding(after).outcome == "fine"
    assert judged(after).ok
    assert len(parts) == (1 if buckets else 2)
    assert otherwise == "or train on demand: capacity: on-demand"


@pytest.mark.parametrize("cloud", PLACES)
def test_on_demand_as_printed_passes(cloud: str) -> None:
    text = stack(cloud, TIMES, "")
    after = text.replace("capacity: spot", finding(text).fix.rpartition("train on demand: ")[2])

    assert finding(after).outcome == "not-applicable"


def test_a_bucket_of_another_cloud_is_not_named() -> None:
    text = (
        stack("aws", TIMES, "buckets: {far: {}}\n")
        .replace(
            "{cloud: aws, regions: [us-east-1]}", "{cloud: any, regions: [us-east-1, us-central1]}"
        )
        .replace("capacity: spot", "capacity: spot, where: {cloud: aws, regions: [us-east-1]}")
    )
    other = "pull: {gpu: L4:1, where: {cloud: gcp, regions: [us-central1]}, data: [{bucket: far}]}"
    *parts, _ = finding(text.replace("training: {", f"training: {{{other}, ")).fix.split("; ")

    assert parts == [
        "add to training.run: checkpoints: {bucket: checkpoints, every: 10m}",
        "add to buckets: checkpoints: {size: 1TB}",
    ]
