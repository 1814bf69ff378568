"""Keys that a stack makes, and secrets in its outputs and environments."""

import json
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Credential, Exposure
from gpuinfra.planning import from_resources
from tests.rules.cases.cluster import cluster
from tests.rules.cases.judging import RICH, findings, of_resources, outcomes, plan
from tests.rules.cases.program import Program
from tests.rules.cases.said import said

both = pytest.mark.parametrize("moment", ["preview", "created"])

TOKEN = "ghp_" + "a1B2" * 9

LASTING = {
    "aws:iam/accessKey:AccessKey": "an access key of an IAM user",
    "aws:iam/userLoginProfile:UserLoginProfile": "a console password of an IAM user",
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
        assert finding.message == f"{LASTING[token]}, which works until somebody takes it away"
        assert "identity" in finding.fix
        assert judged.not_judged == ()

    def test_keys_and_machines_are_judged_each(self):
        case = cluster()
        case.program.add("aws:iam/accessKey:AccessKey", "k", user="ci")
        judged = of_resources(case.program.resources())
        assert outcomes(judged, self.RULE) == ["fine", "violated"]

    def test_neither_is_nothing(self):
        assert outcomes(plan(), self.RULE) == ["not-applicable"]
        key = Credential(name="k", subject="urn", cloud="aws", what="a key")
        assert outcomes(plan(credentials=(key,)), self.RULE) == ["violated"]


ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "aws:lambda/function:Function": {"environment": {"variables": {"GH": TOKEN}}},
    "aws:ecs/taskDefinition:TaskDefinition": {
        "containerDefinitions": json.dumps(
            [{"name": "c", "environment": [{"name": "GH", "value": TOKEN}]}]
        )
    },
    "gcp:cloudrunv2/service:Service": {
        "template": {"containers": [{"envs": [{"name": "GH", "value": TOKEN}]}]}
    },
    "gcp:cloudfunctionsv2/function:Function": {
        "serviceConfig": {"environmentVariables": {"GH": TOKEN}}
    },
    "azure-native:app/v20240301:ContainerApp": {
        "template": {"containers": [{"env": [{"name": "GH", "value": TOKEN}]}]}
    },
    "azure-native:containerinstance:ContainerGroup": {
        "containers": [{"name": "c", "environmentVariables": [{"name": "GH", "value": TOKEN}]}]
    },
}


class TestOpenSecrets:
    RULE = "secret-in-output"

    @pytest.mark.parametrize("token", ENVIRONMENTS)
    def test_an_environment_shows_it(self, token):
        program = Program()
        made = program.add(token, "f", **ENVIRONMENTS[token])
        (finding,) = findings(of_resources(program.resources()), self.RULE)
        assert finding.outcome == "violated"
        assert finding.subject == made.urn
        assert finding.message == "a GitHub token in environment.GH"
        assert TOKEN not in str(finding)

    @pytest.mark.parametrize(
        ("outputs", "messages"),
        [
            ({}, None),
            ({"url": "https://chat.example.com", "token": UNKNOWN, "count": 3}, None),
            ({"gh": TOKEN}, "a GitHub token in the output gh"),
            ({"db_password": "correct-horse-7"}, "a password in the output db_password"),
            (
                {"all": {"keys": [TOKEN, "x"], "db": {"url": "postgres://u:s3cr3tpw@h/d"}}},
                (
                    "a GitHub token in the output all.keys[0]; "
                    "a password in an address in the output all.db.url"
                ),
            ),
        ],
    )
    def test_outputs_of_the_stack(self, outputs, messages):
        judged = from_resources((), name="shop/dev", caps=RICH, outputs=outputs)
        good = ("fine", "no password and no key stands there")
        expected = good if messages is None else ("violated", messages)
        assert said(judged, self.RULE) == [expected]
        assert {one.subject for one in findings(judged, self.RULE)} == {"shop/dev"}

    def test_outputs_that_nobody_shows_are_not_judged(self):
        judged = from_resources((), name="shop/dev", caps=RICH)
        assert said(judged, self.RULE) == [
            (
                "not-applicable",
                "no environments, and nothing here shows the stack's outputs",
            )
        ]

    def test_an_environment_without_one_is_fine(self):
        program = Program()
        program.add("aws:lambda/function:Function", "f", environment={"variables": {"A": "b"}})
        program.add("aws:lambda/function:Function", "g", environment=UNKNOWN)
        assert outcomes(of_resources(program.resources()), self.RULE) == ["fine", "fine"]

    def test_it_refuses(self):
        shown = Exposure(subject="shop", secrets=("a key in the output k",))
        (finding,) = findings(plan(exposures=(shown,)), self.RULE)
        assert finding.refuses
