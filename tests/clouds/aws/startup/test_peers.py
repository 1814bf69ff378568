import json
import re

import jmespath
import pytest

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.startup import part_of

PEERS = part_of(userdata._STARTUP_FOLDER, "peers.sh")

ASKS = """\
case "$*" in
  *--instance-ids*) printf '{launched}' ;;
  *) printf 'i-0b\\t10.0.0.20\\ni-0a\\t10.0.0.10\\n' ;;
esac
"""


def peers(machine, *, launched: str, passed: str | None = "true", nodes: int = 2):
    machine.install("peers.sh")
    (machine.root / "usr/local/bin/gpuinfra-peers").chmod(0o755)
    machine.file(
        "etc/gpuinfra/env",
        f"GPUINFRA_REGION=us-east-1\nGPUINFRA_NODES={nodes}\nGPUINFRA_WORKLOAD=trainer\n",
    )
    if passed is not None:
        machine.file("etc/gpuinfra/preflight", "")
        machine.file("var/lib/gpuinfra/preflight.json", f'{{"passed": {passed}}}\n')
    machine.stand_in("curl", "case $* in *PUT*) echo token ;; *) echo i-0a ;; esac")
    machine.stand_in("aws", ASKS.format(launched=launched))
    return machine.program("gpuinfra-peers", GPUINFRA_WAIT="0")


@pytest.mark.parametrize(
    ("tag", "group"),
    [("aws:autoscaling:groupName", "trainer-group-1"), ("aws:ec2:fleet-id", "fleet-0a")],
)
def test_peers_are_what_the_same_group_or_fleet_launched_and_what_is_fit(
    machine, tag: str, group: str
) -> None:
    done = peers(machine, launched=f"{tag}\\t{group}\\n")

    assert done.stdout == "10.0.0.10\n10.0.0.20\n", done.stderr
    last_call = machine.calls[-1]
    assert (
        f"--filters Name=tag:{tag},Values={group} Name=tag:gpuinfra:workload,Values=trainer"
        " Name=tag:gpuinfra:preflight,Values=passed Name=instance-state-name,Values=running"
    ) in last_call


def test_without_preflight_every_machine_that_runs_is_a_peer(machine) -> None:
    done = peers(machine, launched="aws:ec2:fleet-id\\tfleet-0a\\n", passed=None)

    assert done.returncode == 0
    assert "gpuinfra:preflight" not in machine.calls[-1]


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_machine_that_failed_its_preflight_asks_for_nobody(machine, nodes: int) -> None:
    done = peers(machine, launched="", passed="false", nodes=nodes)

    assert done.returncode == 1
    assert "this machine is not fit" in done.stderr
    assert machine.calls == []


def test_a_machine_of_no_group_says_so(machine) -> None:
    done = peers(machine, launched="")

    assert done.returncode == 1
    assert "neither a scaling group nor a fleet launched this machine" in done.stderr


def test_the_tags_are_found_in_what_ec2_answers() -> None:
    query = re.search(r'--query "(Reservations.*?)"', PEERS, re.DOTALL)
    assert query is not None
    tags = [
        {"Key": "gpuinfra:workload", "Value": "trainer"},
        {"Key": "aws:ec2:fleet-id", "Value": "fleet-0a"},
    ]
    answer = {"Reservations": [{"Instances": [{"InstanceId": "i-0a", "Tags": tags}]}]}

    assert json.dumps(jmespath.search(query[1], answer)) == '[["aws:ec2:fleet-id", "fleet-0a"]]'
