import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds import startup
from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.agent.install import AgentSettings
from gpuinfra.clouds.aws.payload import MAX_USER_DATA, pack
from gpuinfra.clouds.aws.script_host import Host, SharedFolder
from gpuinfra.clouds.aws.userdata import ScriptSetup
from gpuinfra.clouds.startup import BucketMount, TrainingStart
from tests.clouds.startup_scripts import (
    FOLDERS,
    cluster,
    environment,
    folders,
    launchers,
    noted,
    pool,
    private_pool,
    program,
    run,
    torchrun,
)

BUCKET = "llama-data-0a1b2c3d4e5f"
CLUSTER = cluster("us-east-1", BUCKET, {"NCCL_SHM_USE_CUDA_MEMCPY": "1"})
NODE = TrainingStart(workload="dev", region="us-east-1", nodes=1, gpus=1)
POOL = pool(BUCKET)
ARGS = ("--model", "meta-llama/Llama-3.1-8B-Instruct", "--chat-template", "{% if x %}'\n\"")
PRIVATE_POOL = private_pool("123456789012.dkr.ecr.us-east-1.amazonaws.com/chat:1")
CLUSTER_SETUP = ScriptSetup(stack="llama", host=Host(gpus=8))
FULL_SETUP = ScriptSetup(
    stack="llama",
    host=Host(gpus=8, nvlink="all", efa=32, local_disks=True),
    checkpoint_size=10**12,
    shared=SharedFolder(
        dns_name="fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
        mount_name="abcdefgh",
        efa=True,
    ),
    preflight=True,
    driver="570",
    gpu_metrics=True,
    exporter=True,
)
TRAINIUM_SETUP = ScriptSetup(
    stack="llama",
    host=Host(gpus=16, accelerator="neuron", efa=8, local_disks=True),
    preflight=True,
    gpu_metrics=True,
    exporter=True,
)
SAVED_SETUP = ScriptSetup(
    stack="llama",
    host=Host(gpus=8),
    interruptions=AgentSettings(
        stack="llama",
        workload="trainer",
        region="us-east-1",
        checkpoints="s3://llama-data-0a1b2c3d4e5f/checkpoints/",
    ),
)
WATCHED_POOL = replace(POOL, gpu_errors=True, exporter=True)
TARGETS = (
    "arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/chat-0a1b2c/6d0ecf831eec9f09"
)
SCRIPTS = {
    "training-cluster": userdata.training_script(CLUSTER, CLUSTER_SETUP),
    "training-node": userdata.training_script(NODE, ScriptSetup(stack="lab", host=Host(gpus=1))),
    "training-full": userdata.training_script(CLUSTER, FULL_SETUP),
    "training-trainium": userdata.training_script(CLUSTER, TRAINIUM_SETUP),
    "inference-pool": userdata.server_script(POOL),
    "inference-private-image": userdata.server_script(PRIVATE_POOL),
    "inference-arguments": userdata.server_script(replace(PRIVATE_POOL, args=ARGS)),
    "inference-watched": userdata.server_script(WATCHED_POOL, targets=TARGETS),
}
SAVED = userdata.training_script(CLUSTER, SAVED_SETUP)
"""With the interruption agent, whose code is tested and looked at where it stands."""
CHECKED = {**SCRIPTS, "training-saved": SAVED}


@pytest.mark.parametrize("name", CHECKED)
def test_script_fits(name: str) -> None:
    assert len(pack(CHECKED[name])) <= MAX_USER_DATA


def run_in(script: str, root: Path) -> str:
    """Run the script in a folder that stands for /, with stand-ins for the system's programs."""
    for name in ("systemctl", "mount-s3", "docker", "curl", "apt-get", "aws", "agent-ctl"):
        program(root, name, noted(root, name))
    folders(root, (*FOLDERS, "opt", "var/lib"))
    agent = "/opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl"
    here = script.replace(agent, "agent-ctl").replace(" /var/lib/", f" {root}/var/lib/")
    for before in (" ", ">", '"'):
        here = here.replace(f"{before}/etc/", f"{before}{root}/etc/")
    return run(here, root)


def mounted(script: str, root: Path) -> dict[str, str]:
    """What each mount's launcher runs, by the mount's name."""
    run_in(script, root)
    return launchers(root)


def programs_in(script: str) -> dict[str, str]:
    """The shell programs that a script writes, by their names; shellcheck sees them as text."""
    programs = re.findall(
        r"^cat >/usr/local/bin/(\S+) <<'(\w+)'\n(.*?)^\2$", script, re.MULTILINE | re.DOTALL
    )
    return {name: text for name, _, text in programs}


PROGRAMS = {
    name: text for script in CHECKED.values() for name, text in programs_in(script).items()
}


def test_every_program_is_looked_at() -> None:
    assert set(PROGRAMS) == {
        "gpuinfra-cached",
        "gpuinfra-docker-run",
        "gpuinfra-gpu-errors",
        "gpuinfra-leave",
        "gpuinfra-local-disks",
        "gpuinfra-peers",
        "gpuinfra-preflight",
        "gpuinfra-torchrun",
    }


OBSOLETE = ("FI_PROVIDER", "FI_EFA_", "NCCL_PROTO", "NCCL_ALGO", "RDMAV_", "NCCL_IB_")


@pytest.mark.parametrize("name", CHECKED)
def test_no_obsolete_fabric_advice(name: str) -> None:
    for word in OBSOLETE:
        assert word not in CHECKED[name]


def test_the_bootstrap_is_told_which_interfaces_to_leave_alone() -> None:
    assert "NCCL_SOCKET_IFNAME" in SCRIPTS["training-cluster"]
    assert "NCCL_SOCKET_IFNAME" not in SCRIPTS["training-node"]


def test_reads_are_read_only_and_checkpoints_are_written_in_large_parts(tmp_path: Path) -> None:
    launchers = mounted(SCRIPTS["training-cluster"], tmp_path)

    assert launchers == {
        "gpuinfra-mount-data-data-tokens": (
            "mount-s3 llama-data-0a1b2c3d4e5f /data/data-tokens"
            " --allow-other --prefix tokens/ --read-only"
        ),
        "gpuinfra-mount-checkpoints": (
            "mount-s3 llama-data-0a1b2c3d4e5f /checkpoints --allow-other"
            " --prefix checkpoints/ --allow-delete --allow-overwrite"
            " --write-part-size 67108864 --dir-mode 0777 --file-mode 0666"
        ),
    }


def test_a_bucket_named_like_the_checkpoints_takes_no_mount_away(tmp_path: Path) -> None:
    data = BucketMount(name="checkpoints", bucket="one")
    kept = BucketMount(name="data", bucket="two", writable=True)
    start = replace(CLUSTER, data=(data,), checkpoints=kept)
    calls = mounted(userdata.training_script(start, CLUSTER_SETUP), tmp_path)

    assert {name: call.split()[1:3] for name, call in calls.items()} == {
        "gpuinfra-mount-data-checkpoints": ["one", "/data/checkpoints"],
        "gpuinfra-mount-checkpoints": ["two", "/checkpoints"],
    }


def test_a_mount_that_fails_at_first_is_tried_again_by_its_launcher(tmp_path: Path) -> None:
    run_in(SCRIPTS["training-cluster"], tmp_path)
    tries = tmp_path / "tries"
    program = tmp_path / "programs" / "mount-s3"
    program.write_text(f"#!/bin/sh\necho try >>{tries}\n[ $(wc -l <{tries}) -ge 3 ]\n")
    sleep = tmp_path / "programs" / "sleep"
    sleep.write_text("#!/bin/sh\n")
    sleep.chmod(0o755)
    subprocess.run(
        [tmp_path / "etc/gpuinfra/gpuinfra-mount-checkpoints"],
        env={"PATH": f"{tmp_path}/programs:/usr/bin:/bin"},
        check=True,
        timeout=30,
    )

    assert tries.read_text() == "try\n" * 3


def test_the_environment_is_the_machines(tmp_path: Path) -> None:
    run_in(SCRIPTS["training-cluster"], tmp_path)

    assert {
        "CHECKPOINT_URI=s3://llama-data-0a1b2c3d4e5f/checkpoints/",
        "NCCL_SHM_USE_CUDA_MEMCPY=1",
        "NCCL_SOCKET_IFNAME=^lo,docker,veth",
    } <= environment(tmp_path)


def test_a_private_image_is_fetched_with_the_role(tmp_path: Path) -> None:
    calls = run_in(SCRIPTS["inference-private-image"], tmp_path)

    assert "aws ecr get-login-password --region us-east-1" in calls
    assert (
        "docker login --username AWS --password-stdin 123456789012.dkr.ecr.us-east-1.amazonaws.com"
    ) in calls
    assert "agent-ctl" not in calls


PEERS = {
    "i-0c": "10.0.0.30",
    "i-0a": "10.0.0.10",
    "i-0b": "10.0.0.20",
    "i-0d": "10.0.0.40",
}


def rendezvous(root: Path, peers: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What gpuinfra-torchrun runs on a machine of a group of those instances."""
    run_in(SCRIPTS["training-cluster"], root)
    answers = root / "answers"
    answers.write_text("".join(f"{host}\t{address}\n" for host, address in peers.items()))
    program(root, "curl", "echo i-0b\n")
    program(
        root,
        "aws",
        'case "$*" in *--instance-ids*) echo aws:autoscaling:groupName group ;;'
        f" *) cat {answers} ;; esac\n",
    )
    program(root, "sleep", "exec /bin/sleep 0.05\n")
    return torchrun(root, "--lr", "1e-4", GPUINFRA_WAIT="0")


def test_torchrun_meets_at_the_lowest_instance_id(tmp_path: Path) -> None:
    done = rendezvous(tmp_path, PEERS)

    assert done.stdout == (
        "10.0.0.10 29500 --nnodes=4 --nproc-per-node=8 --rdzv-backend=c10d"
        " --rdzv-endpoint=10.0.0.10:29500 --rdzv-id=trainer train.py --lr 1e-4\n"
    )


def test_torchrun_waits_for_all_machines_and_says_how_many_run(tmp_path: Path) -> None:
    done = rendezvous(tmp_path, {"i-0a": "10.0.0.10"})

    assert done.returncode == 1
    assert "1 of 4 machines run" in done.stderr


def test_the_agent_configuration_in_the_script_is_the_one_it_says(tmp_path: Path) -> None:
    run_in(SCRIPTS["inference-pool"], tmp_path)
    written = json.loads((tmp_path / "etc/gpuinfra/cloudwatch-agent.json").read_text())

    assert written == userdata.agent_configuration()


@given(st.lists(st.sampled_from(["", "a/", "a/b/", "a-b/", "a_b/"]), max_size=5))
def test_no_two_shares_meet_in_a_folder(prefixes: list[str]) -> None:
    shares = [BucketMount(name="data", bucket="b", prefix=prefix) for prefix in prefixes]
    folders = startup.data_folders(shares)

    assert len(set(folders)) == len(shares)
    assert not any(
        folder != other and folder.startswith(f"{other}/")
        for folder in folders
        for other in folders
    )


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=80)
)
def test_a_command_is_written_as_it_is(command: str) -> None:
    script = userdata.training_script(
        TrainingStart(workload="t", region="r", nodes=1, gpus=1, command=command),
        ScriptSetup(stack="s", host=Host(gpus=1)),
    )

    assert f"\n{command}\n" in script
