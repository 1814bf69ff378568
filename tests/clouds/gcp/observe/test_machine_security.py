"""The basics of Google Cloud's machines: open logins, administrators, keys in the metadata."""

from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN
from tests.clouds.gcp.observe.observed import program_of
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.moments import both


@both
def test_a_tutorial_machine_leaves_every_basic_open(moment):
    seen = observe(stacks.open_machine().resources(moment))
    (group,) = seen.groups
    safety = group.safety
    assert (safety.public_ip, safety.open_login) == (True, True)
    assert (safety.administrator, safety.secure_boot) == (True, False)
    assert [key.description for key in seen.credentials] == ["a key of a service account"]
    assert (safety.metadata_v2, safety.disks_encrypted) == (True, True)


def ssh(**inputs: Any) -> GcpProgram:
    program = stacks.open_machine()
    wall = next(row for row in program.handles.values() if row.type.endswith("Firewall"))
    program.change(wall, **inputs)
    return program


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"allows": [{"protocol": "all"}]}, True),
        ({"allows": [{"protocol": "tcp"}]}, True),
        ({"allows": [{"protocol": "6", "ports": ["20-30"]}]}, True),
        ({"allows": [{"protocol": "TCP", "ports": ["3389"]}]}, True),
        ({"allows": [{"protocol": "tcp", "ports": ["443"]}]}, False),
        ({"allows": [{"protocol": "udp", "ports": ["22"]}]}, False),
        ({"allows": UNKNOWN}, UNKNOWN),
        ({"allows": [{"protocol": "tcp", "ports": [UNKNOWN]}]}, UNKNOWN),
        ({"allows": None, "denies": [{"protocol": "tcp", "ports": ["22"]}]}, False),
        ({"sourceRanges": ["::/0"]}, True),
        ({"sourceRanges": ["35.235.240.0/20"]}, False),
        ({"sourceRanges": ["everywhere"]}, UNKNOWN),
        ({"sourceRanges": [UNKNOWN]}, UNKNOWN),
        ({"sourceRanges": None}, True),
        ({"sourceRanges": None, "sourceTags": ["web"]}, False),
        ({"direction": "EGRESS"}, False),
        ({"direction": UNKNOWN}, UNKNOWN),
        ({"disabled": True}, False),
        ({"targetTags": ["web"]}, False),
        ({"targetTags": UNKNOWN}, UNKNOWN),
        ({"targetServiceAccounts": ["god-account@shop-1.iam.gserviceaccount.com"]}, True),
        ({"targetServiceAccounts": ["web@shop-1.iam.gserviceaccount.com"]}, False),
        ({"network": "another"}, False),
        ({"network": UNKNOWN}, UNKNOWN),
    ],
)
def test_a_login_is_open_to_the_internet_or_not(inputs, expected):
    (group,) = observe(ssh(**inputs).resources()).groups
    assert group.safety.open_login is expected


def test_a_stronger_denial_closes_the_login():
    program = ssh()
    vpc = next(row for row in program.handles.values() if row.type.endswith(":Network"))
    denies = [{"protocol": "all"}]
    wall = program.add(
        "compute/firewall:Firewall",
        "no",
        network=vpc.id,
        priority=900,
        sourceRanges=["0.0.0.0/0"],
        denies=denies,
    )
    (group,) = observe(program.resources()).groups
    assert group.safety.open_login is False
    program.change(wall, priority=1100)
    (group,) = observe(program.resources()).groups
    assert group.safety.open_login is True


def test_a_firewall_policy_on_the_network_hides_what_is_open():
    program = ssh(disabled=True)
    vpc = next(row for row in program.handles.values() if row.type.endswith(":Network"))
    program.add(
        "compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation",
        "policy",
        attachmentTarget=vpc.id,
        firewallPolicy="p",
    )
    (group,) = observe(program.resources()).groups
    assert group.safety.open_login is UNKNOWN


def granted(**inputs: Any) -> Any:
    program = stacks.open_machine()
    grant = next(row for row in program.handles.values() if row.type.endswith("IAMBinding"))
    program.change(grant, **inputs)
    (group,) = observe(program.resources()).groups
    return group.safety.administrator


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ({"permissions": ["resourcemanager.projects.setIamPolicy"]}, True),
        ({"permissions": ["storage.objects.get"]}, False),
        ({"permissions": ["storage.objects.get"], "project": "shop-1"}, False),
        ({"permissions": ["storage.objects.get"], "project": "shop-2"}, UNKNOWN),
        ({"permissions": ["storage.objects.get"], "roleId": "others"}, UNKNOWN),
    ],
)
def test_a_custom_role_is_known_by_its_path_before_it_is_made(role, expected):
    program = stacks.open_machine()
    grant = next(row for row in program.handles.values() if row.type.endswith("IAMBinding"))
    program.change(grant, role="projects/shop-1/roles/ours")
    program.add("projects/iAMCustomRole:IAMCustomRole", "r", **{"roleId": "ours", **role})
    (group,) = observe(program.resources("preview")).groups
    assert group.safety.administrator is expected


@pytest.mark.parametrize(
    ("role", "project", "expected"),
    [
        ("roles/logging.logWriter", "shop-1", False),
        ("roles/logging.logWriter", "shop-2", UNKNOWN),
        ("roles/logging.logWriter", None, UNKNOWN),
        ("roles/owner", "shop-1", True),
    ],
)
def test_an_account_is_known_by_its_address_before_it_is_made(role, project, expected):
    address = "god-account@shop-1.iam.gserviceaccount.com"
    scopes = ["cloud-platform"]
    program = stacks.open_machine(serviceAccount={"email": address, "scopes": scopes})
    for row in list(program.handles.values()):
        if row.type.endswith("IAMBinding"):
            program.change(row, role=role)
        elif row.type.endswith(":Account"):
            program.change(row, project=project)
    (group,) = observe(program.resources("preview")).groups
    assert group.safety.administrator is expected


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"role": "roles/owner"}, True),
        ({"role": "roles/compute.admin"}, True),
        ({"role": "roles/resourcemanager.projectIamAdmin"}, True),
        ({"role": "roles/storage.objectAdmin"}, False),
        ({"role": "roles/logging.logWriter"}, False),
        ({"role": UNKNOWN}, UNKNOWN),
        ({"role": "projects/shop-1/roles/own"}, UNKNOWN),
        ({"members": ["user:a@example.com"]}, False),
        ({"members": UNKNOWN}, UNKNOWN),
        ({"role": "roles/logging.logWriter", "members": UNKNOWN}, False),
    ],
)
def test_a_powerful_role_makes_an_administrator(inputs, expected):
    assert granted(**inputs) is expected


@both
def test_a_custom_role_is_read_where_the_stack_has_it(moment):
    for permission, expected in (
        ("resourcemanager.projects.setIamPolicy", True),
        ("storage.objects.get", False),
    ):
        program = stacks.open_machine()
        role = program.add("projects/iAMCustomRole:IAMCustomRole", "own", permissions=[permission])
        grant = next(row for row in program.handles.values() if row.type.endswith("IAMBinding"))
        program.change(grant, role=role.id)
        (group,) = observe(program.resources(moment)).groups
        assert group.safety.administrator is expected


GOD, OTHER = (f"{name}@shop-1.iam.gserviceaccount.com" for name in ("god-account", "other"))


@pytest.mark.parametrize(
    ("account", "administrator"),
    [
        (None, False),
        (UNKNOWN, UNKNOWN),
        ({"scopes": ["cloud-platform"]}, UNKNOWN),
        ({"email": OTHER, "scopes": ["cloud-platform"]}, UNKNOWN),
        ({"email": GOD, "scopes": ["cloud-platform"]}, True),
        ({"email": GOD, "scopes": ["logging-write"]}, False),
        ({"email": GOD, "scopes": UNKNOWN}, UNKNOWN),
    ],
)
def test_what_a_machine_runs_as_decides(account, administrator):
    program = stacks.open_machine(serviceAccount=account)
    if account is None:
        vm = next(row for row in program.handles.values() if row.name == "notebook")
        program.change(vm, serviceAccount=None)
    (group,) = observe(program.resources()).groups
    assert group.safety.administrator is administrator


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"metadataStartupScript": "echo hello"}, False),
        ({"metadataStartupScript": "-----BEGIN PRIVATE KEY-----\nMII"}, True),
        ({"metadata": {"key.json": '{"private_key": "-----BEGIN PRIVATE KEY-----"}'}}, True),
        ({"metadataStartupScript": UNKNOWN}, UNKNOWN),
        ({"metadata": {"startup-script": UNKNOWN}}, UNKNOWN),
        ({"metadata": UNKNOWN}, UNKNOWN),
    ],
)
def test_a_key_file_in_the_metadata_is_a_lasting_key(inputs, expected):
    program = program_of("compute/instance:Instance", machineType="e2-micro", **inputs)
    (group,) = observe(program.resources()).groups
    assert group.safety.long_lived_key is expected
