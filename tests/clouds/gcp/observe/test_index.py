"""The index of a stack of Google Cloud: what refers to a resource has one spelling."""

import pytest

from gpuinfra.clouds.gcp.observe.index import normalize_reference


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("net", "net"),
        ("global/networks/net", "net"),
        ("projects/p/global/networks/net", "projects/p/global/networks/net"),
        (
            "https://www.googleapis.com/compute/v1/projects/p/global/networks/net",
            "projects/p/global/networks/net",
        ),
        (
            "projects/p/global/instanceTemplates/t?uniqueId=7",
            "projects/p/global/instanceTemplates/t",
        ),
        ("serviceAccount:a@p.iam.gserviceaccount.com", "a@p.iam.gserviceaccount.com"),
        ("projects/p/serviceAccounts/a@p.iam.gserviceaccount.com", "a@p.iam.gserviceaccount.com"),
        ("gs://bucket", "bucket"),
        ("", ""),
    ],
)
def test_a_reference_has_one_spelling(written, name):
    assert normalize_reference(written) == name
