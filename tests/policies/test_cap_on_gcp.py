"""The cap holds while an update runs on Google Cloud."""

import pytest

from tests.policies.cap_cases import CapCases
from tests.policies.ground import Cloud
from tests.policies.ground import cloud as cloud_named

pytestmark = pytest.mark.e2e


@pytest.fixture
def cloud() -> Cloud:
    return cloud_named("gcp")


class TestGoogleCloud(CapCases):
    pass
