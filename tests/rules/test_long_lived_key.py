"""A key that a stack creates expires within a year, or it is as good as one without an end."""

from dataclasses import replace

import pytest

from gpuinfra.model import UNKNOWN, Credential, Unknown
from tests.rules.cases import gcp_stacks
from tests.rules.cases.cluster import cluster
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Program
from tests.rules.cases.safe import SAFE


@pytest.mark.parametrize(
    ("expiry", "outcome", "end"),
    [
        ("2027-08-02", "fine", "it expires within a year (2027-08-02)"),
        ("2027-08-03", "violated", "it is valid until 2027-08-03"),
        ("2026-07-01", "fine", "it expires within a year (2026-07-01)"),
        ("8784h", "fine", "it expires within a year (8784h)"),
        ("8785h", "violated", "it is valid until 8785h"),
        ("240h30m10s", "fine", "it expires within a year (240h30m10s)"),
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


def test_the_tutorial_s_key_is_told_beside_its_machine():
    judged = of_resources(gcp_stacks.open_machine().resources())
    assert outcomes(judged, "long-lived-key") == ["fine", "violated"]


LASTING = {
    "aws:iam/accessKey:AccessKey": "an access key of an IAM user",
    "aws:iam/userLoginProfile:UserLoginProfile": "a console password of an IAM user",
    "aws:iam/serviceSpecificCredential:ServiceSpecificCredential": (
        "a password of an IAM user for one service"
    ),
    "aws:iam/sshKey:SshKey": "an SSH key of an IAM user",
    "aws:iam/signingCertificate:SigningCertificate": "a signing certificate of an IAM user",
    "gcp:serviceaccount/key:Key": "a key of a service account",
    "gcp:storage/hmacKey:HmacKey": "an HMAC key of a service account",
    "gcp:projects/apiKey:ApiKey": "an API key",
    "azuread:index/applicationPassword:ApplicationPassword": "a password of an application",
    "azuread:index/servicePrincipalPassword:ServicePrincipalPassword": (
        "a password of a service principal"
    ),
}


class TestKeys:
    RULE = "long-lived-key"

    @pytest.mark.parametrize("token", LASTING)
    def test_a_key_that_the_stack_makes_is_told(self, token):
        program = Program()
        made = program.add(token, "k", user="ci")
        judged = of_resources(program.resources())
        (finding,) = findings(judged, self.RULE)
        assert finding.outcome == "violated"
        assert finding.subject == made.urn
        assert finding.message == f"{LASTING[token]}; it is valid until it is revoked"
        assert "identity" in finding.fix
        assert judged.not_judged == ()

    @pytest.mark.parametrize(
        ("days", "outcome"),
        [(30, "not-applicable"), (UNKNOWN, "not-applicable"), (36600, "violated")],
    )
    def test_a_password_for_a_service_that_ends_within_a_year_is_no_lasting_one(
        self, days, outcome
    ):
        program = Program()
        kind = "aws:iam/serviceSpecificCredential:ServiceSpecificCredential"
        program.add(kind, "k", userName="ci", credentialAgeDays=days)
        assert outcomes(of_resources(program.resources()), self.RULE) == [outcome]

    def test_keys_and_machines_are_judged_each(self):
        case = cluster()
        case.program.add("aws:iam/accessKey:AccessKey", "k", user="ci")
        judged = of_resources(case.program.resources())
        assert outcomes(judged, self.RULE) == ["fine", "violated"]

    def test_neither_is_nothing(self):
        assert outcomes(plan(), self.RULE) == ["not-applicable"]
        key = Credential(name="k", subject="urn", cloud="aws", description="a key")
        assert outcomes(plan(credentials=(key,)), self.RULE) == ["violated"]


@pytest.mark.parametrize(
    ("opened", "key", "outcome", "words"),
    [
        (("data",), False, "violated", "the storage account data, which it uses, accepts account"),
        (("data",), True, "violated", "the start-up script contains an access key"),
        (
            UNKNOWN,
            False,
            "not-knowable",
            "it is unknown whether keys open the storage that it uses",
        ),
        ((), False, "fine", "no access key in the start-up script"),
        (None, True, "violated", "the start-up script contains an access key"),
        ((), UNKNOWN, "not-knowable", "the start-up script is unknown"),
    ],
)
def test_a_key_is_told_where_it_is(opened, key, outcome, words):
    safety = replace(SAFE, opened_by_keys=opened, long_lived_key=key)
    (finding,) = findings(plan(group(safety=safety)), "long-lived-key")

    assert finding.outcome == outcome
    assert words in finding.message
    assert ("allowSharedKeyAccess" in (finding.fix or "")) == ("account" in words)
