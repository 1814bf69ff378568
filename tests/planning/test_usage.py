"""What the stack file says of use: the checkpoints and old versions that a bucket holds."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra import api
from gpuinfra.cost import Quote
from gpuinfra.planning.usage import to_usage
from gpuinfra.specs import Stack
from gpuinfra.stackfile import loads

HEAD = """
name: sft
owner: o
where: {cloud: aws, regions: [us-east-1]}
budget: {per_hour: 1000, per_month: 900000}
training:
  trainer:
    instance: p5.48xlarge
    duration: 72h
"""


def written(saves: str, bucket: str = "{size: 2TB}", more: str = "") -> str:
    return f"{HEAD}{more}    checkpoints: {{bucket: data, {saves}}}\nbuckets:\n  data: {bucket}\n"


def stack(*words: str) -> Stack:
    return loads(written(*words)).stack


def quoted(folder: Path, *words: str) -> Quote:
    path = folder / "stack.yaml"
    path.write_text(written(*words))
    return api.quote(path, as_of=date(2026, 11, 21))


@pytest.mark.parametrize(
    ("saves", "bucket", "more", "held"),
    [
        ("every: 1h, size: 140GB", "{size: 2TB}", "", 140 * 72),
        ("every: 1h, size: 140GB", "{size: 2TB}", "    runs: 3\n", 140 * 216),
        ("every: 1h, size: 140GB, keep: 2", "{versioned: false}", "", 140 * 2),
        ("every: 1h, size: 140GB, keep: 2", "{keep_noncurrent: 1d}", "", 140 * 26),
        ("every: 1h, size: 140GB, keep: 2", "{keep_noncurrent: 30d}", "", 140 * 72),
        ("every: 1h", "{size: 2TB}", "", None),
        ("every: 1h", "{overwritten: 730GB, keep_noncurrent: 10d}", "", 240),
        ("every: 1h", "{overwritten: 730GB, versioned: false}", "", None),
    ],
)
def test_a_bucket_holds_the_checkpoints_and_old_versions_of_a_month(
    saves: str, bucket: str, more: str, held: int | None
) -> None:
    assert to_usage(stack(saves, bucket, more)).versions.get("data") == held


def test_a_copy_holds_the_same() -> None:
    versions = to_usage(stack("every: 1h, size: 1GB", "{replicate_to: us-west-2}")).versions

    assert sorted(versions.values()) == [72, 72]


def test_checkpoints_are_a_line_beside_the_content_of_the_bucket(tmp_path: Path) -> None:
    quote = quoted(tmp_path, "every: 1h, size: 140GB")
    content, saved = (
        line for line in quote.lines if line.item == "s3-standard-storage-first-50tb"
    )

    assert (content.kind, saved.kind) == ("bucket", "versions")
    assert saved.quantity == Decimal(140 * 72 * 10**9) / 2**30
    assert saved.per_month is not None
    assert round(saved.per_month, 2) == Decimal("215.92")
    assert (saved.unit, saved.source != "", saved.as_of != "") == ("GB-month", True, True)


def test_what_lies_above_a_tier_costs_the_next_one(tmp_path: Path) -> None:
    quote = quoted(tmp_path, "every: 1h, size: 140GB", "{size: 50TB}")
    items = [line.item for line in quote.lines if line.kind == "versions"]

    assert items == ["s3-standard-storage-first-50tb", "s3-standard-storage-next-450tb"]


def test_amounts_of_a_month_are_gigabytes_or_counts() -> None:
    text = HEAD + "usage: {data_out: 2TB, requests: 50M, custom_metrics: 40, balancer_data: 1TB}\n"

    assert to_usage(loads(text).stack).data == {
        "data_out": 2000,
        "requests": 50_000_000,
        "custom_metrics": 40,
        "balancer_data": 1000,
    }
