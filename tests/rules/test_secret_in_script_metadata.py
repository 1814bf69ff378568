"""Passwords in metadata by the name of their key, and in the lists of chpasswd."""

import base64

import pytest

from gpuinfra.clouds.secrets import found_in
from gpuinfra.model import UNKNOWN
from tests.rules.cases import gcp_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

WORD = "hunter2hunter2"
SHOWN = ("violated", "a password in metadata db_password")
FINE = ("fine", "no password or key in its scripts")


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"db_password": WORD}, SHOWN),
        ({"db_password": f"{WORD}\n"}, SHOWN),
        ({"db_password": "${DB_PASSWORD}"}, FINE),
        ({"db_password": "projects/p/secrets/hunter2/versions/1"}, FINE),
        ({"db_password": "sm://p/hunter2hunter"}, FINE),
        ({"ssh-keys": "u:ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ"}, FINE),
        ({"enable-oslogin": "TRUE", "serial-port-enable": "false"}, FINE),
        (
            {"user-data": f"#cloud-config\nchpasswd:\n  list: |\n    root:{WORD}\n"},
            ("violated", "a password on line 4 of metadata user-data"),
        ),
    ],
)
def test_a_key_that_names_a_password_gives_it_away(metadata, expected):
    plan = of_resources(gcp_stacks.open_machine(metadata=metadata).resources())
    assert verdicts(plan, "secret-in-script") == [expected]
    assert WORD not in str(verdicts(plan, "secret-in-script"))


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        (f"chpasswd:\n  list: |\n    root:{WORD}\n    me:RANDOM\n  expire: false\n", [3]),
        (f"chpasswd:\n  expire: false\n\n  list:\n  - root:{WORD}\n  - 'me:{WORD}'\n", [5, 6]),
        ("chpasswd:\n  list: |\n    root:${PASSWORD}\n    me:$6$salt$hash\n", []),
        (f"chpasswd:\n  expire: false\nusers:\n  - name:{WORD}\n", []),
        (f"chpasswd:\n  expire: false\nwrite_files:\n- path:{WORD}\n", []),
        (f"# chpasswd\nroot:{WORD}\n", []),
        (f"chpasswd <<EOF\nroot:{WORD}\nEOF\nother:{WORD}\n", [2]),
        (f"echo 'root:{WORD}' | chpasswd\n", [1]),
        (f'echo -e "root:{WORD}\\n" | sudo chpasswd\n', [1]),
        ('echo "root:$PASSWORD" | chpasswd\n', []),
        ("gcloud secrets versions access latest --secret=root | chpasswd\n", []),
    ],
)
def test_chpasswd_takes_users_with_their_passwords(script, lines):
    assert found_in(script) == tuple((line, "a password") for line in lines)


def test_a_long_line_about_chpasswd_does_not_take_long():
    for text in ("a:bbbbbb " * 20_000 + "chpasswd", "a:bbbbbb | " * 20_000 + "chpasswd"):
        assert [kind for _, kind in found_in(text)] in ([], ["a password"])


def project(token: str, **inputs: object) -> GcpProgram:
    program = GcpProgram()
    program.add(f"compute/{token}", "shared", **inputs)
    return program


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        (project("projectMetadata:ProjectMetadata", metadata={"db_password": WORD}), "violated"),
        (project("projectMetadata:ProjectMetadata", metadata={"enable-oslogin": "T"}), "fine"),
        (project("projectMetadata:ProjectMetadata", metadata=UNKNOWN), "not-knowable"),
        (
            project("projectMetadataItem:ProjectMetadataItem", key="db_password", value=WORD),
            "violated",
        ),
        (
            project("projectMetadataItem:ProjectMetadataItem", key="db_password", value=UNKNOWN),
            "not-knowable",
        ),
        (project("projectMetadataItem:ProjectMetadataItem", key="zone", value="a"), "fine"),
        (
            project(
                "instanceSettings:InstanceSettings", metadata={"items": {"db_password": WORD}}
            ),
            "violated",
        ),
        (
            project("instanceSettings:InstanceSettings", metadata={"items": {"a": "b"}}),
            "fine",
        ),
        (project("instanceSettings:InstanceSettings", metadata=UNKNOWN), "not-knowable"),
    ],
)
def test_the_metadata_of_a_project_is_free_and_shown_to_all_machines(program, outcome):
    plan = of_resources(program.resources())
    assert findings(plan, "price-unknown")[0].outcome == "fine"
    assert plan.not_judged == ()
    assert [outcome for outcome, _ in verdicts(plan, "secret-in-output")] == [outcome]


DECLARATION = """spec:
  containers:
  - image: x
    env:
    - name: LEVEL
      value: {0}
    - name: DB_PASSWORD
      value: '{0}'
    - name: API_TOKEN
      value: $(TOKEN)
"""


def test_a_password_below_its_name_is_found_in_the_yaml_of_containers():
    assert found_in(DECLARATION.format(WORD)) == ((8, "a password"),)
    assert found_in(DECLARATION.format("$(DB_PASSWORD)")) == ()


@pytest.mark.parametrize("config", [{}, {"labels": {"a": "b"}}, {"metadata": {"a": "b"}}])
def test_what_a_group_gives_its_machines_hides_nothing_of_their_template(config):
    program = GcpProgram()
    own = {"db_password": WORD}
    made = gcp_stacks.template(program, "t", gcp_stacks.network(program), metadata=own)
    gcp_stacks.group(program, "g", made, targetSize=1, allInstancesConfig=config)
    assert verdicts(of_resources(program.resources()), "secret-in-script") == [SHOWN]


def test_metadata_of_a_group_that_is_not_known_is_hidden():
    program = GcpProgram()
    made = gcp_stacks.template(program, "t", gcp_stacks.network(program))
    config = {"metadata": UNKNOWN}
    gcp_stacks.group(program, "g", made, targetSize=1, allInstancesConfig=config)
    ((outcome, _),) = verdicts(of_resources(program.resources()), "secret-in-script")
    assert outcome == "not-knowable"


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        ("container/nodePool:NodePool", {"nodeConfig": {"labels": {"db_password": WORD}}}),
        ("container/cluster:Cluster", {"resourceLabels": {"db_password": WORD}}),
        ("container/cluster:Cluster", {"nodeConfig": {"resourceLabels": {"db_password": WORD}}}),
    ],
)
def test_the_labels_of_nodes_are_read_as_those_of_machines(token, inputs):
    program = GcpProgram()
    program.add(token, "it", **inputs)
    assert ("violated",) in [row[:1] for row in found(program)]
    plain = GcpProgram()
    plain.add(token, "it", nodeConfig={"labels": {"team": "research-2026"}})
    assert ("violated",) not in [row[:1] for row in found(plain)]


def found(program: Program) -> list[tuple[str, str]]:
    return verdicts(of_resources(program.resources()), "secret-in-output")


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"agentPoolProfiles": [{"name": "a", "nodeLabels": {"db_password": WORD}}]}, "violated"),
        ({"agentPoolProfiles": [{"name": "a", "nodeLabels": {"team": "blue"}}]}, "fine"),
    ],
)
def test_the_labels_of_a_cluster_s_pools_are_read(inputs, outcome):
    program = AzureProgram()
    program.add("azure-native:containerservice:ManagedCluster", "aks", **inputs)
    assert ("violated" in [row[0] for row in found(program)]) is (outcome == "violated")


@pytest.mark.parametrize(
    ("script", "violated"),
    [(f"export DB_PASSWORD={WORD}", True), ("echo ready", False)],
)
def test_the_script_of_an_extension_is_read_where_its_machine_is_elsewhere(script, violated):
    program = AzureProgram()
    coded = base64.b64encode(script.encode()).decode()
    kind = "azure-native:compute:VirtualMachineExtension"
    program.add(kind, "x", vmName="elsewhere", settings={"script": coded})
    assert ("violated" in [row[0] for row in found(program)]) is violated
