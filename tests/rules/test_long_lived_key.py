"""A key that a stack creates ends within a year, or it is as good as one without an end."""

import pytest

from gpuinfra.model import UNKNOWN, Credential, Unknown
from tests.rules.cases.judging import findings, plan


@pytest.mark.parametrize(
    ("expiry", "outcome", "end"),
    [
        ("2027-08-02", "fine", "it ends within a year (2027-08-02)"),
        ("2027-08-03", "violated", "it is valid until 2027-08-03"),
        ("2026-07-01", "fine", "it ends within a year (2026-07-01)"),
        ("8784h", "fine", "it ends within a year (8784h)"),
        ("8785h", "violated", "it is valid until 8785h"),
        ("240h30m10s", "fine", "it ends within a year (240h30m10s)"),
        (f"{'9' * 20}h", "violated", f"it is valid until {'9' * 20}h"),
        ("next year", "violated", "it is valid until next year"),
        (None, "violated", "it is valid until it is revoked"),
        (UNKNOWN, "not-knowable", "its expiry is not known yet"),
    ],
)
def test_a_key_is_judged_by_its_end_from_august_2026(
    expiry: str | Unknown | None, outcome: str, end: str
) -> None:
    key = Credential(
        name="key",
        subject="urn:key",
        cloud="aws",
        description="an access key of a user",
        expiry=expiry,
    )

    (finding,) = findings(plan(credentials=(key,)), "long-lived-key")

    assert (finding.outcome, finding.subject) == (outcome, "urn:key")
    assert finding.message == f"an access key of a user; {end}"
