"""Where a resource stands, in the words of each cloud."""

import pytest

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.crossguard.region import region_of
from gpuinfra.model import UNKNOWN

INSTANCE = "gcp:compute/instance:Instance"
MACHINE = "azure-native:compute/v20240301:VirtualMachine"
GENERATED = "azure-native_compute_v20240301:compute:VirtualMachine"


@pytest.fixture(autouse=True)
def _nobody_says_it(monkeypatch):
    for cloud in CLOUDS:
        for name in provider_of(cloud).regions.VARIABLES:
            monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("kind", "places", "region"),
    [
        ("aws:ec2/instance:Instance", [{}, {"region": "us-east-2"}], "us-east-2"),
        (INSTANCE, [{"zone": "us-central1-a"}, {"region": "us-east1"}], "us-central1"),
        (INSTANCE, [{}, {"zone": "europe-west4-b"}], "europe-west4"),
        (INSTANCE, [{"zone": UNKNOWN}, {"region": "us-east1"}], None),
        (MACHINE, [{"location": "East US"}], "eastus"),
        (GENERATED, [{}, {"location": "westeurope"}], "westeurope"),
        (MACHINE, [{"location": UNKNOWN}, {"location": "eastus"}], None),
        ("random:index/randomId:RandomId", [{"region": "us-east-1"}], None),
    ],
)
def test_the_first_place_that_says_it(kind, places, region):
    assert region_of(kind, *places) == region


@pytest.mark.parametrize(
    ("kind", "name", "value", "region"),
    [
        ("aws:ec2/instance:Instance", "AWS_REGION", "us-east-2", "us-east-2"),
        (INSTANCE, "GOOGLE_REGION", "us-east1", "us-east1"),
        (INSTANCE, "GOOGLE_ZONE", "us-central1-a", "us-central1"),
        (MACHINE, "ARM_LOCATION_NAME", "East US", "eastus"),
    ],
)
def test_the_environment_says_it_last(monkeypatch, kind, name, value, region):
    monkeypatch.setenv(name, value)
    assert region_of(kind, {}) == region
    assert region_of(kind, {"region": "x-y1", "location": "x-y1"}) == "x-y1"
