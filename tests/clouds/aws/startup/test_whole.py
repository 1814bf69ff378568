"""Whole scripts, run on a stand-in for a machine: once, again, and on one that is not fit."""

import json
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.payload import fetching
from gpuinfra.clouds.aws.script_host import Host
from gpuinfra.clouds.aws.start_scripts import pool_stand_in, training_stand_in
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.specs.schema import Inference, Training

ORDER = BuildSpec(
    name="trainer",
    stack="llama",
    owner="ml",
    region="us-east-1",
    metrics=True,
    prometheus="10.0.0.0/8",
)
HOST = Host(gpus=2, nvlink="all", efa=1, local_disks=True)
WORK: dict[str, Any] = {
    "gpu": "H100:2",
    "nodes": 2,
    "data": [{"bucket": "data", "prefix": "tokens/"}],
    "checkpoints": {"bucket": "data", "size": "1TB"},
    "shared_storage": {"size": "4.8TiB"},
    "command": "gpuinfra-torchrun train.py",
}
SERVES: dict[str, Any] = {
    "gpu": "L4:1",
    "replicas": 2,
    "image": "a/b:1",
    "port": 80,
    "scale_on": {"gpu_utilization": "70%"},
    "data": [{"bucket": "data"}],
}
SCRIPT = training_stand_in(ORDER, Training.model_validate(WORK), host=HOST)
POOL = pool_stand_in(ORDER, Inference.model_validate(SERVES))
SMI = """\
case "$*" in
  --list-gpus) for n in $(seq 0 {last}); do echo "GPU $n: NVIDIA H100"; done ;;
  "topo -m") printf 'GPU0\\t X \\tNV18\\nGPU1\\tNV18\\t X \\n' ;;
  *driver*) echo 570.1 ;;
  *index*) printf '0, 0, [N/A]\\n1, 0, [N/A]\\n' ;;
  *remapped*) printf 'GPU-0, 0, 0\\nGPU-1, 0, 0\\n' ;;
esac
"""


def ready(machine, *, gpus: int = 2) -> None:
    """Stand-ins for all that the scripts call; services that they start do run."""
    root = machine.root
    for folder in (
        "etc/profile.d",
        "etc/security/limits.d",
        "etc/sysctl.d",
        "etc/apt/sources.list.d",
        "opt/aws/amazon-cloudwatch-agent/bin",
        "opt/amazon/efa/bin",
        "usr/share/keyrings",
    ):
        (root / folder).mkdir(parents=True, exist_ok=True)
    machine.file("etc/fstab", "UUID=1 / ext4 defaults 0 1\n")
    for name in ("apt-get", "dnf", "mount-s3", "docker", "gpg", "lfs", "mdadm", "mkfs.ext4"):
        machine.stand_in(name, "")
    machine.stand_in("lsblk", "echo '/dev/nvme1n1 Amazon EC2 NVMe Instance Storage'")
    machine.stand_in("mountpoint", f'grep -qxF "${{@: -1}}" {root}/mounted 2>/dev/null')
    machine.stand_in("mount", f'echo "${{@: -1}}" >>{root}/mounted')
    machine.stand_in("blkid", "")
    machine.stand_in("sysctl", "echo 0")
    machine.stand_in("journalctl", "")
    machine.stand_in("nvidia-smi", SMI.format(last=gpus - 1))
    machine.stand_in("fi_info", "echo '    domain: rdmap0-rdm'")
    machine.stand_in("curl", "case $* in *PUT*) echo token ;; *) echo i-0a ;; esac")
    machine.stand_in("aws", "")
    machine.stand_in(
        "systemctl",
        'case "$*" in "restart gpuinfra-preflight.service") exec gpuinfra-preflight ;;'
        ' "restart gpuinfra-local-disks.service") exec gpuinfra-local-disks ;; esac',
    )
    agent = root / "opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl"
    agent.write_text(f"#!/bin/bash\necho agent-ctl $* >>{root}/calls\n")
    agent.chmod(0o755)


JOB = "systemctl enable --now gpuinfra-job.service"


@pytest.mark.parametrize("script", [SCRIPT, POOL], ids=["training", "pool"])
def test_a_script_goes_through_twice_and_leaves_the_same(machine, script: str) -> None:
    ready(machine)
    first = machine.run(script)
    files = machine.tree()
    second = machine.run(script)

    assert (first.returncode, second.returncode) == (0, 0), (first.stderr, second.stderr)
    assert machine.tree() == files
    assert (machine.root / "var/lib/gpuinfra/started").exists()


def test_a_good_machine_begins_its_job_last_of_all(machine) -> None:
    ready(machine)
    machine.run(SCRIPT)
    calls = machine.calls

    assert calls[-1] == JOB
    assert "agent-ctl -a fetch-config -m ec2 -s -c file:" in "\n".join(calls)
    for service in ("gpuinfra-agent.service", "gpuinfra-preflight.service"):
        assert f"systemctl enable {service}" in calls
    assert "systemctl enable --now gpuinfra-gpu-errors.timer" in calls
    assert (machine.root / "mounted").read_text().replace(str(machine.root), "").split() == [
        "/local",
        "/shared",
    ]


def test_a_broken_machine_never_begins_it(machine) -> None:
    ready(machine, gpus=1)
    done = machine.run(SCRIPT)
    report = json.loads((machine.root / "var/lib/gpuinfra/preflight.json").read_text())

    assert done.returncode == 1
    assert "this machine stays out of the run" in done.stderr
    assert report["faults"][0] == "1 GPUs, where the machine has 2"
    assert JOB not in machine.calls
    assert not (machine.root / "var/lib/gpuinfra/started").exists()


def test_a_script_from_a_bucket_does_the_same(machine) -> None:
    ready(machine)
    rooted = machine.rooted(SCRIPT)
    machine.file("in-bucket", rooted)
    machine.stand_in("aws", f'[[ $1 != s3 ]] || cp {machine.root}/in-bucket "${{@: -1}}"')
    done = machine.run(fetching("us-east-1", "team-data", "trainer", rooted))

    assert done.returncode == 0, done.stderr
    assert machine.calls[-1] == JOB


def test_every_part_is_in_some_script() -> None:
    folder = Path(userdata.__file__).parent / "startup"
    trainium = Host(gpus=16, accelerator="neuron")
    fetch = fetching("r", "b", "w", "s")
    scripts = "\n".join(
        [SCRIPT, POOL, training_stand_in(ORDER, Training.model_validate(WORK), host=trainium)]
    )

    for part in sorted(folder.iterdir()):
        text = part.read_text()
        assert text in scripts or text.split("\n\n", 1)[1] in fetch, part.name
