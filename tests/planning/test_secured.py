"""The security facts of a stack file: as the build makes them, and as the user's words show."""

import pytest

from gpuinfra.model import UNKNOWN, Listener, Plan
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import loads

TOKEN = "ghp_" + "a1B2" * 9
HEAD = "version: 1\nname: shop\nowner: ml-platform\n"
POOL = "image: a/b:1, port: 80, replicas: 1..2"


def planned(cloud: str, region: str, text: str) -> Plan:
    where = f"where: {{cloud: {cloud}, regions: [{region}]}}\n"
    return from_stack(loads(f"{HEAD}{where}{text}").stack)


def trained(command: str = "python train.py") -> Plan:
    return planned("aws", "us-east-1", f'training:\n  t: {{gpu: "L4:1", command: "{command}"}}\n')


def test_a_secret_in_a_command_is_told_and_not_shown():
    (group,) = trained(f"GH={TOKEN} python train.py").groups
    assert group.safety.secrets == ("a GitHub token on line 1 of command",)
    (group,) = trained().groups
    assert group.safety.secrets == ()


@pytest.mark.parametrize(
    ("scale", "hops"),
    [("{gpu_utilization: 70%}", 1), ("{queue: {messages_per_machine: 10}}", 2)],
)
def test_a_pool_that_works_off_a_queue_asks_metadata_from_its_container(scale, hops):
    text = f'inference:\n  c: {{gpu: "L4:1", {POOL}, scale_on: {scale}}}\n'
    plan = planned("aws", "us-east-1", text)
    assert [group.safety.hop_limit for group in plan.groups] == [hops]
    assert len(plan.listeners) == (hops == 1)


@pytest.mark.parametrize(
    ("more", "encrypted", "modern"),
    [
        ("", False, None),
        (', certificate: "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d"', True, True),
    ],
)
def test_a_pool_answers_inside_its_network(more, encrypted, modern):
    text = f'inference:\n  c: {{gpu: "L4:1", {POOL}, scale_on: {{gpu_utilization: 70%}}{more}}}\n'
    assert planned("aws", "us-east-1", text).listeners == (
        Listener(
            name="c",
            subject="inference.c",
            cloud="aws",
            public=False,
            encrypted=encrypted,
            modern=modern,
        ),
    )


@pytest.mark.parametrize(
    ("cloud", "region", "gpu"), [("gcp", "us-central1", "L4:1"), ("azure", "eastus", "T4:1")]
)
def test_a_balancer_that_passes_on_what_comes_says_nothing_of_tls(cloud, region, gpu):
    text = f'inference:\n  c: {{gpu: "{gpu}", {POOL}, scale_on: {{gpu_utilization: 70%}}}}\n'
    assert planned(cloud, region, text).listeners == (
        Listener(
            name="c",
            subject="inference.c",
            cloud=cloud,
            public=False,
            encrypted=UNKNOWN,
            modern=UNKNOWN,
        ),
    )


@pytest.mark.parametrize(
    ("cloud", "region", "machine", "boots"),
    [
        ("aws", "us-east-1", "g6.xlarge", None),
        ("gcp", "us-central1", "g2-standard-8", False),
        ("azure", "eastus", "Standard_NC4as_T4_v3", False),
        ("azure", "eastus", "Standard_ND96asr_v4", None),
    ],
)
def test_secure_boot_is_off_or_nothing_that_the_machine_has(cloud, region, machine, boots):
    plan = planned(cloud, region, f"training:\n  t: {{instance: {machine}}}\n")
    assert [group.safety.secure_boot for group in plan.groups] == [boots]
