"""People log in with their own identity: the metadata of machines, groups and projects."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import gcp_stacks
from tests.rules.cases.changed import aws, azure
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

WORD = "hunter2hunter2"
CONSOLE = "aws:ec2/serialConsoleAccess:SerialConsoleAccess"


@both
def test_what_a_group_gives_all_its_machines_lies_over_their_template(moment):
    program = GcpProgram()
    own = {"serial-port-enable": "FALSE", "enable-oslogin": "TRUE", "api_token": WORD}
    made = gcp_stacks.template(program, "t", gcp_stacks.network(program), metadata=own)
    over = {"serial-port-enable": "TRUE", "db_password": WORD}
    gcp_stacks.group(
        program, "g", made, targetSize=1, allInstancesConfig={"metadata": over, "labels": {}}
    )
    plan = of_resources(program.resources(moment))
    (verdict,) = verdicts(plan, "secret-in-script")
    assert "a password in metadata db_password" in verdict[1]
    (login,) = verdicts(plan, "login-identity")
    assert login[0] == "violated"


@both
@pytest.mark.parametrize(
    ("own", "shared", "outcome"),
    [
        ({"enable-oslogin": "TRUE"}, {"serial-port-enable": "TRUE"}, "violated"),
        (
            {"enable-oslogin": "TRUE", "serial-port-enable": "FALSE"},
            {"serial-port-enable": "TRUE"},
            "fine",
        ),
        ({}, {"enable-oslogin": "TRUE"}, "fine"),
        ({}, {"enable-oslogin": "FALSE"}, "violated"),
        ({}, {"enable-oslogin": "TRUE", "project": "other"}, "not-knowable"),
        ({}, {"enable-oslogin": "TRUE", "project": UNKNOWN}, "not-knowable"),
    ],
)
def test_the_metadata_of_the_project_holds_where_a_machine_says_nothing(
    own, shared, outcome, moment
):
    program = gcp_stacks.open_machine(metadata=own)
    project = {"project": shared["project"]} if "project" in shared else {}
    for key, value in shared.items():
        program.add(
            "compute/projectMetadataItem:ProjectMetadataItem", key, key=key, value=value, **project
        )
    (login,) = verdicts(of_resources(program.resources(moment)), "login-identity")
    assert login[0] == outcome


def test_the_metadata_of_a_project_says_nothing_of_machines_in_one_that_is_not_known_yet():
    program = gcp_stacks.open_machine(metadata={}, project=UNKNOWN)
    program.add("compute/projectMetadata:ProjectMetadata", "all", metadata={"enable-oslogin": "T"})
    (login,) = verdicts(of_resources(program.resources("preview")), "login-identity")
    assert login[0] == "not-knowable"


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"enabled": True}, "violated"),
        ({"enabled": "true"}, "violated"),
        ({}, "violated"),
        ({"enabled": UNKNOWN}, "not-knowable"),
        ({"enabled": False}, None),
    ],
)
def test_the_serial_console_of_an_account_is_off(inputs, outcome):
    program = Program()
    console = program.add(CONSOLE, "console", **inputs)
    judged = findings(of_resources(program.resources()), "login-identity")
    found = [each for each in judged if each.subject == console.urn]
    assert [each.outcome for each in found] == ([] if outcome is None else [outcome])
    if outcome == "violated":
        assert "serial console of every machine of its account" in found[0].message
    assert all(each.fix == "set enabled to false" for each in found)


@pytest.mark.parametrize("judged", [aws({}), azure({})])
def test_other_clouds_have_no_such_setting(judged):
    assert outcomes(judged, "login-identity") == ["not-applicable"]
