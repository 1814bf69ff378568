"""A run, a pool and a bucket pass without accepted ages and without bounds in these regions."""

from datetime import date
from pathlib import Path

import pytest

from gpuinfra import api

DAY = date(2026, 11, 21)

STACK = """\
name: regional
owner: ml-platform
budget: {{per_hour: {cap}, per_run: 200}}
where: {{cloud: {cloud}, regions: [{region}]}}
training:
  trainer:
    instance: {trainer}
    duration: 4h
    data: [{{bucket: data}}]
    checkpoints: {{bucket: data}}
inference:
  chat: {{instance: {chat}, replicas: 1..2, image: vllm/vllm-openai:v0.11.0, port: 8000}}
buckets:
  data: {{size: 2TB, versioned: true, keep_noncurrent: 30d}}
usage: {{data_out: 2TB, nat_data: 2TB}}
"""

MACHINES = {
    "aws": ("p4d.24xlarge", "g4dn.xlarge", 40),
    "gcp": ("g2-standard-12", "g2-standard-4", 6),
    "azure": ("Standard_NC24ads_A100_v4", "Standard_NC4as_T4_v3", 8),
}
"""A run's machine, a pool's, and a cap per hour that is less than twice what they cost."""

REGIONS = {
    "aws": (
        *("us-east-1", "us-east-2", "us-west-2", "eu-central-1", "eu-west-1", "eu-west-2"),
        *("eu-north-1", "ap-northeast-1", "ap-southeast-2", "ap-south-1"),
    ),
    "gcp": ("us-central1", "us-east4", "europe-west3", "europe-west4", "asia-southeast1"),
    "azure": ("eastus", "westus3", "westeurope", "swedencentral"),
}

RATES = {
    "aws": set(),
    "gcp": {"lb-data-processed"},
    "azure": {"between-zones", "blob-hot-read", "blob-hot-write"},
}
"""What is billed by use, and has no price in some of these regions."""


@pytest.mark.parametrize(
    ("cloud", "region"),
    [(cloud, region) for cloud, regions in REGIONS.items() for region in regions],
)
def test_a_stack_passes_in_each_region(cloud: str, region: str, tmp_path: Path) -> None:
    trainer, chat, cap = MACHINES[cloud]
    file = tmp_path / "stack.yaml"
    file.write_text(STACK.format(cloud=cloud, region=region, trainer=trainer, chat=chat, cap=cap))

    check = api.check(file, as_of=DAY)

    assert [finding for finding in check.findings if finding.refuses] == []
    assert check.quote.unpriced == check.quote.bounded == check.quote.at_risk == ()
    assert cap < 2 * check.quote.per_hour.ceiling
    assert {line.item for line in check.quote.rates if line.rate is None} <= RATES[cloud]
