"""Secrets in the outputs of a stack, and in environments and texts that its resources show."""

import json
import re
from typing import Any

import pytest

from gpuinfra.clouds import environment_secrets
from gpuinfra.model import UNKNOWN, Exposure, Resource
from gpuinfra.planning import from_resources
from gpuinfra.rules import secret_in_output
from gpuinfra.rules.deferred import DeferredAnswers
from tests.clouds import sdk_inputs
from tests.rules.cases.judging import RICH, findings, of_resources, outcomes, plan
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

TOKEN = "ghp_" + "a1B2" * 9

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

PLAIN: list[tuple[str, dict[str, Any], str]] = [
    (
        "aws:ssm/parameter:Parameter",
        {"name": "/prod/db_password", "type": "String", "value": "correct-horse-7"},
        "a password in value.db_password",
    ),
    (
        "aws:ssm/parameter:Parameter",
        {"name": "/prod/a", "type": "StringList", "insecureValue": TOKEN},
        "a GitHub token in insecureValue.a",
    ),
    ("aws:ssm/parameter:Parameter", {"type": "SecureString", "value": TOKEN}, ""),
    ("aws:ssm/parameter:Parameter", {"type": UNKNOWN, "value": TOKEN}, ""),
    ("aws:ssm/parameter:Parameter", {"type": "String", "value": UNKNOWN}, ""),
    ("aws:ssm/parameter:Parameter", {"name": "ami", "type": "String", "value": "ami-1"}, ""),
    (
        "azure-native:compute/v20240301:VirtualMachineRunCommandByVirtualMachine",
        {"vmName": "a", "source": {"script": f"set -e\nexport GH={TOKEN}\n"}},
        "a GitHub token on line 2 of source.script",
    ),
    (
        "azure-native:compute:VirtualMachineRunCommandByVirtualMachine",
        {"vmName": "a", "parameters": [{"name": "GH", "value": TOKEN}]},
        "a GitHub token in parameters.GH",
    ),
    (
        "azure-native:compute:VirtualMachineRunCommandByVirtualMachine",
        {"vmName": "a", "protectedParameters": [{"name": "GH", "value": TOKEN}]},
        "",
    ),
    (
        "azure-native:compute:VirtualMachineExtension",
        {"vmName": "of-another-stack", "settings": {"commandToExecute": f"GH={TOKEN} sh"}},
        "a GitHub token in settings.commandToExecute",
    ),
    (
        "azure-native:compute:VirtualMachineExtension",
        {"vmName": "of-another-stack", "protectedSettings": {"commandToExecute": TOKEN}},
        "",
    ),
    (
        "gcp:storage/transferJob:TransferJob",
        {
            "transferSpec": {
                "awsS3DataSource": {
                    "awsAccessKey": {
                        "accessKeyId": "AKIAIOSFODNN7EXAMPLE",
                        "secretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                    }
                }
            }
        },
        (
            "an AWS access key in awsAccessKey.accessKeyId;"
            " an AWS secret access key in awsAccessKey.secretAccessKey"
        ),
    ),
    ("azure-native:appconfiguration:KeyValue", {"value": TOKEN}, "a GitHub token in value"),
    ("kubernetes:core/v1:ConfigMap", {"data": {"GH": TOKEN}}, "a GitHub token in data.GH"),
    (
        "aws:ssm/document:Document",
        {"content": json.dumps({"runCommand": [f"GH={TOKEN}"]})},
        "a GitHub token in content.runCommand[0]",
    ),
    (
        "aws:sagemaker/model:Model",
        {"primaryContainer": {"environment": {"GH": TOKEN}}},
        "a GitHub token in primaryContainer.environment.GH",
    ),
    (
        "aws:apprunner/service:Service",
        {
            "sourceConfiguration": {
                "imageRepository": {
                    "imageConfiguration": {"runtimeEnvironmentVariables": {"GH": TOKEN}}
                }
            }
        },
        (
            "a GitHub token in sourceConfiguration.imageRepository.imageConfiguration."
            "runtimeEnvironmentVariables.GH"
        ),
    ),
    (
        "aws:elasticbeanstalk/environment:Environment",
        {"settings": [{"namespace": "n", "name": "GH", "value": TOKEN}]},
        "a GitHub token in settings.GH",
    ),
    ("aws:amplify/app:App", {"environmentVariables": {"GH": UNKNOWN}}, ""),
    (
        "azure-native:app/v20240301:Job",
        {"template": {"containers": [{"env": [{"name": "GH", "value": TOKEN}]}]}},
        "a GitHub token in env.GH",
    ),
    (
        "gcp:cloudrunv2/workerPool:WorkerPool",
        {"template": {"containers": [{"args": ["--password", "correct-horse-7-battery"]}]}},
        "a password in args.password",
    ),
    (
        "aws:ec2/subnet:Subnet",
        {"tags": {"owner": "me", "db_password": "correct-horse-7-battery"}},
        "a password in tags.db_password",
    ),
    (
        "aws:autoscaling/group:Group",
        {"tags": [{"key": "GH", "value": TOKEN, "propagateAtLaunch": True}]},
        "a GitHub token in tags.GH",
    ),
    (
        "gcp:storage/bucket:Bucket",
        {"labels": {"db_password": "correct-horse-7-battery"}},
        "a password in labels.db_password",
    ),
    ("aws:ec2/subnet:Subnet", {"tags": {"owner": "me", "git-sha": "e83c5163316f89bfb"}}, ""),
    ("aws:ec2/subnet:Subnet", {"tags": UNKNOWN}, ""),
    ("aws:autoscaling/group:Group", {"tags": [UNKNOWN, {"value": TOKEN}]}, ""),
]

COMMAND = [{"name": "a", "command": ["--password", "correct-horse-7-battery"]}]

HIDDEN = [
    ("aws:lambda/function:Function", {"environment": UNKNOWN}),
    ("aws:lambda/function:Function", {"environment": {"variables": UNKNOWN}}),
    ("aws:lambda/function:Function", {"environment": {"variables": {"URL": UNKNOWN}}}),
    ("aws:ecs/taskDefinition:TaskDefinition", {"containerDefinitions": UNKNOWN}),
    ("aws:ecs/taskDefinition:TaskDefinition", {"containerDefinitions": "[{"}),
    ("aws:batch/jobDefinition:JobDefinition", {"containerProperties": "[" * 100_000}),
    ("gcp:cloudrunv2/service:Service", {"template": {"containers": [UNKNOWN]}}),
    (
        "gcp:cloudrunv2/service:Service",
        {"template": {"containers": [{"envs": [{"name": "URL", "value": UNKNOWN}]}]}},
    ),
    ("azure-native:web:WebApp", {"siteConfig": {"appSettings": [UNKNOWN]}}),
]
"""Environments of which something is not known yet, or can't be read."""


REFERRED = [
    (
        "gcp:cloudrunv2/service:Service",
        {
            "template": {
                "containers": [
                    {
                        "envs": [
                            {
                                "name": "DB_PASSWORD",
                                "valueSource": {"secretKeyRef": {"secret": UNKNOWN}},
                            }
                        ]
                    }
                ]
            }
        },
    ),
    *(
        (
            "aws:codebuild/project:Project",
            {
                "environment": {
                    "environmentVariables": [
                        {"name": "DB_PASSWORD", "type": "SECRETS_MANAGER", "value": value}
                    ]
                }
            },
        )
        for value in (UNKNOWN, "prod/db9x/pw77")
    ),
    (
        "aws:ecs/taskDefinition:TaskDefinition",
        {"containerDefinitions": json.dumps([{"name": "c", "image": "i"}])},
    ),
]
"""Environments that refer to secrets which are kept elsewhere, or that are none at all."""


class TestOpenSecrets:
    RULE = "secret-in-output"

    def test_a_command_of_a_container_shows_it_too(self):
        program = Program()
        kind = "aws:ecs/taskDefinition:TaskDefinition"
        program.add(kind, "t", containerDefinitions=json.dumps(COMMAND))
        (finding,) = findings(of_resources(program.resources()), self.RULE)
        assert (finding.outcome, finding.message) == (
            "violated",
            "a password in containerDefinitions[0].command.password",
        )

    @pytest.mark.slow
    def test_each_place_of_plain_texts_is_an_input_of_its_type(self):
        for cloud in ("aws", "gcp", "azure-native"):
            inputs = {kind: names for kind, names, _ in sdk_inputs.types_of(cloud)}
            for kind, paths in environment_secrets.paths_of("texts").items():
                texts = kind in environment_secrets.paths_of("environment") and cloud == "aws"
                for path in paths if kind.startswith(f"{cloud}:") and not texts else ():
                    words = {re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", word) for word in path}
                    assert words - {"text"} <= set(inputs[kind])  # what an asset holds

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
        good = ("fine", "no password or key found")
        expected = good if messages is None else ("violated", messages)
        assert verdicts(judged, self.RULE) == [expected]
        assert {finding.subject for finding in findings(judged, self.RULE)} == {"shop/dev"}

    def test_outputs_that_nobody_shows_are_not_judged(self):
        judged = from_resources((), name="shop/dev", caps=RICH)
        assert verdicts(judged, self.RULE) == [
            (
                "not-applicable",
                "no environment variables; this source does not show stack outputs",
            )
        ]

    def test_an_environment_without_one_is_fine(self):
        program = Program()
        program.add("aws:lambda/function:Function", "f", environment={"variables": {"A": "b"}})
        program.add("aws:lambda/function:Function", "g")
        assert outcomes(of_resources(program.resources()), self.RULE) == ["fine", "fine"]

    @pytest.mark.parametrize(("token", "inputs", "message"), PLAIN)
    def test_a_plain_text_shows_it_and_says_nothing_without_one(self, token, inputs, message):
        program = Program()
        program.add(token, "p", **inputs)
        outcome = ("violated", message) if message else None
        judged = verdicts(of_resources(program.resources()), self.RULE)
        told = [verdict for verdict in judged if verdict[0] != "not-applicable"]
        assert told == [outcome] * bool(outcome)
        assert TOKEN not in str(judged)

    @pytest.mark.slow
    def test_each_type_with_a_plain_text_is_in_the_sdks(self):
        known = {
            name
            for cloud in ("aws", "gcp", "azure-native")
            for token, _, formerly in sdk_inputs.types_of(cloud)
            for name in (token, *formerly)
        }
        assert {
            token
            for token in environment_secrets.paths_of("texts")
            if token.partition(":")[0] in ("aws", "gcp", "azure-native")
        } <= known

    @pytest.mark.parametrize(("token", "inputs"), HIDDEN)
    def test_what_is_hidden_or_cannot_be_read_is_not_fine(self, token, inputs):
        program = Program()
        program.add(token, "f", **inputs)
        judged = of_resources(program.resources())
        named = "the values of URL are marked as secrets, or not known yet"
        message = named if "'URL'" in str(inputs) else "its values are unknown"
        assert verdicts(judged, self.RULE) == [("not-knowable", message)]

    def test_what_is_seen_beside_what_is_hidden_is_told(self):
        program = Program()
        variables = {"GH": TOKEN, "URL": UNKNOWN}
        program.add("aws:lambda/function:Function", "f", environment={"variables": variables})
        assert outcomes(of_resources(program.resources()), self.RULE) == ["violated"]

    @pytest.mark.parametrize(("token", "inputs"), REFERRED)
    def test_what_only_names_a_secret_hides_none(self, token, inputs):
        program = Program()
        program.add(token, "f", **inputs)
        assert outcomes(of_resources(program.resources()), self.RULE) == ["fine"]

    @pytest.mark.parametrize("token", environment_secrets.paths_of("environment"))
    def test_a_preview_leaves_every_environment_to_the_update(self, token):
        for path in environment_secrets.paths_of("environment")[token]:
            text = Resource(
                urn="urn",
                type=token,
                name="f",
                inputs={path[0]: UNKNOWN},
                relations={path[0]: ("urn:image",)},
            )
            image = Resource(
                urn="urn:image", type="aws:ecr/repository:Repository", name="i", inputs={}
            )
            (finding,) = findings(of_resources((text, image)), self.RULE)
            foreseen = DeferredAnswers(
                {"urn": text, "urn:image": image}, lambda resource, _: resource.urn == "urn"
            )
            assert foreseen.depends_on_update(finding, secret_in_output.RULE)

    def test_it_refuses(self):
        shown = Exposure(subject="shop", secrets=("a key in the output k",))
        (finding,) = findings(plan(exposures=(shown,)), self.RULE)
        assert finding.refuses
