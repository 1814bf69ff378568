"""Passwords and keys in scripts and metadata, on raw resources of strangers on each cloud."""

import base64
import gzip
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from gpuinfra.model import UNKNOWN, Safety
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.changed import aws, azure, gcp
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.verdicts import verdicts

TOKEN = "ghp_" + "a1B2" * 9


def in_parts(*scripts: str) -> str:
    whole = MIMEMultipart()
    for script in scripts:
        whole.attach(MIMEText(script, "x-shellscript"))
    return whole.as_string()


def coded(script: str) -> str:
    return base64.b64encode(script.encode()).decode()


SCRIPT = f"#!/bin/sh\nset -e\nexport GH={TOKEN}\n"
"""Its secret stands on line 3."""


class TestScripts:
    RULE = "secret-in-script"

    @pytest.mark.parametrize(
        ("inputs", "message"),
        [
            ({"userData": SCRIPT}, "a GitHub token on line 3 of userData"),
            ({"userData": coded(SCRIPT)}, "a GitHub token on line 3 of userData"),
            (
                {"userDataBase64": base64.b64encode(gzip.compress(SCRIPT.encode())).decode()},
                "a GitHub token on line 3 of userDataBase64",
            ),
            (
                {"userData": coded(in_parts("#!/bin/sh\ntrue", SCRIPT))},
                "a GitHub token on line 3 of part 2 of userData",
            ),
            (
                {"userData": f"#cloud-config\npassword: s3cr3t-horse\nkey: {TOKEN}\n"},
                "a password on line 2 of userData; a GitHub token on line 3 of userData",
            ),
        ],
    )
    def test_a_secret_is_found_and_never_shown(self, inputs, message):
        (finding,) = findings(aws(inputs), self.RULE)
        assert (finding.outcome, finding.message) == ("violated", message)
        assert finding.refuses
        assert TOKEN not in str(finding)

    @pytest.mark.parametrize("script", ["#!/bin/sh\npython train.py\n", coded("echo"), None, ""])
    def test_a_script_without_one_is_fine(self, script):
        assert outcomes(aws({"userData": script}), self.RULE) == ["fine"]

    @pytest.mark.parametrize("script", [UNKNOWN, base64.b64encode(b"\x1f\x8b\x08bad").decode()])
    def test_a_script_that_nobody_can_read_is_not_knowable(self, script):
        (finding,) = findings(aws({"userData": script}), self.RULE)
        assert finding.outcome == "not-knowable"
        assert finding.refuses

    @pytest.mark.parametrize(
        ("inputs", "message"),
        [
            (
                {"metadataStartupScript": SCRIPT},
                "a GitHub token on line 3 of metadataStartupScript",
            ),
            (
                {"metadata": {"startup-script": SCRIPT, "enable-oslogin": "TRUE"}},
                "a GitHub token on line 3 of metadata startup-script",
            ),
            (
                {"metadata": {"hf-token": "hf_" + "aB" * 17}},
                "a Hugging Face token on line 1 of metadata hf-token",
            ),
        ],
    )
    def test_google_has_scripts_and_metadata(self, inputs, message):
        assert verdicts(gcp(inputs), self.RULE) == [("violated", message)]

    def test_google_hides_and_shows(self):
        assert outcomes(gcp({"metadataStartupScript": UNKNOWN}), self.RULE) == ["not-knowable"]
        assert outcomes(gcp({"metadata": UNKNOWN}), self.RULE) == ["not-knowable"]
        assert outcomes(gcp({}), self.RULE) == ["fine"]

    @pytest.mark.parametrize(
        ("profile", "message"),
        [
            ({"userData": coded(SCRIPT)}, "a GitHub token on line 3 of userData"),
            (
                {"osProfile": {"customData": coded(SCRIPT)}},
                "a GitHub token on line 3 of customData",
            ),
            (
                {"osProfile": {"adminPassword": "correct-horse-7"}},
                "a password in osProfile.adminPassword",
            ),
            (
                {
                    "extensionProfile": {
                        "extensions": [
                            {"name": "x", "settings": {"commandToExecute": f"gh {TOKEN}"}}
                        ]
                    }
                },
                "a GitHub token in the settings of an extension.commandToExecute",
            ),
        ],
    )
    def test_azure_has_data_a_password_and_extensions(self, profile, message):
        assert verdicts(azure(profile), self.RULE) == [("violated", message)]

    def test_the_script_of_an_azure_extension_is_read_as_start_up_scripts_are(self):
        script = base64.b64encode(f"#!/bin/sh\nexport KEY={TOKEN}\n".encode()).decode()
        extension = {"name": "x", "settings": {"script": script}}
        told = verdicts(azure({"extensionProfile": {"extensions": [extension]}}), self.RULE)
        assert told == [("violated", "a GitHub token on line 2 of the script of an extension")]

    def test_azure_hides_and_shows(self):
        assert outcomes(azure({"userData": UNKNOWN}), self.RULE) == ["not-knowable"]
        assert outcomes(azure({}), self.RULE) == ["fine"]
        hidden = {"osProfile": {"adminPassword": UNKNOWN}}
        assert outcomes(azure(hidden), self.RULE) == ["fine"]
        kept = {"extensions": [{"name": "x", "protectedSettings": {"script": TOKEN}}]}
        assert outcomes(azure({"extensionProfile": kept}), self.RULE) == ["fine"]

    def test_without_machines_nothing_is_asked(self):
        assert outcomes(plan(), self.RULE) == ["not-applicable"]


@pytest.mark.parametrize(
    ("secrets", "outcome"),
    [((), "fine"), (("a password",), "violated"), (UNKNOWN, "not-knowable")],
    ids=str,
)
def test_secrets_in_a_script_are_told_and_a_hidden_script_is_not_trusted(secrets, outcome):
    judged = plan(group(safety=Safety(secrets=secrets)))
    assert outcomes(judged, "secret-in-script") == [outcome]


@pytest.mark.parametrize(
    ("program", "kind", "inputs", "words"),
    [
        (
            AzureProgram,
            "azure-native:compute:VirtualMachine",
            {"osProfile": {"adminPassword": "correct-horse-7"}},
            "disablePasswordAuthentication",
        ),
        (
            GcpProgram,
            "compute/instance:Instance",
            {"metadata": {"db_password": "hunter2hunter2"}},
            "remove it from the metadata",
        ),
        (
            GcpProgram,
            "compute/instance:Instance",
            {"metadataStartupScript": "export DB_PASSWORD=hunter2hunter2"},
            "remove it from the script",
        ),
    ],
)
def test_a_secret_is_removed_from_where_it_is(program, kind, inputs, words):
    made = program()
    size = {"machineType": "g2-standard-8", "zone": "us-central1-a"}
    if program is AzureProgram:
        size = {"hardwareProfile": {"vmSize": "Standard_NC24ads_A100_v4"}}
    made.add(kind, "m", **size, **inputs)
    (finding,) = findings(of_resources(made.resources()), "secret-in-script")

    assert words in finding.fix
    assert ("script" in finding.fix) is (words == "remove it from the script")
