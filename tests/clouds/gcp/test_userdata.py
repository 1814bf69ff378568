import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from gpuinfra.clouds.gcp import userdata
from gpuinfra.clouds.gcp.machines import machine
from gpuinfra.clouds.gcp.nccl_environment import fabric_environment
from gpuinfra.clouds.gcp.userdata import MAX_SCRIPT, registry
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
CLUSTER = cluster(
    "us-central1", BUCKET, fabric_environment(machine("a3-ultragpu-8g"), fabric=True)
)
NODE = TrainingStart(workload="dev", region="us-central1", nodes=1, gpus=1)
PRIVATE_POOL = private_pool("us-central1-docker.pkg.dev/team/serving/chat:1")
SCRIPTS = {
    "gcp-training-cluster": userdata.training_script(CLUSTER, gib=True),
    "gcp-training-node": userdata.training_script(NODE),
    "gcp-inference-pool": userdata.server_script(pool(BUCKET)),
    "gcp-inference-private-image": userdata.server_script(PRIVATE_POOL),
}
ANSWERS = {
    **dict.fromkeys(("systemctl", "apt-get", "apt-mark", "sleep", "nvidia-ctk"), ""),
    "systemd-networkd-wait-online": "",
    "gcsfuse": 'case "$*" in --help) echo "  --profile string" ;; esac\n',
    "docker": 'case "$1" in info) echo nvidia ;; login) cat >/dev/null ;; esac\n',
    "dpkg": 'case "$1" in --print-architecture) echo amd64 ;; esac\n',
    "curl": """
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then echo "$KEY" >"$2"; fi
  shift
done
echo '{"access_token": "secret"}'
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_fits(name: str) -> None:
    assert len(SCRIPTS[name].encode()) <= MAX_SCRIPT


def run_in(script: str, root: Path, *absent: str, key: str = "-----BEGIN PGP") -> str:
    """Run the script in a folder that stands for /, with stand-ins for the system's programs.

    Those that are `absent` fail, as on an image that lacks what they tell of. `key` is what every
    downloaded file holds.
    """
    for name, answer in ANSWERS.items():
        note = "" if name in {"dpkg", "sleep"} else noted(root, name)
        program(root, name, note + answer + ("exit 1\n" if name in absent else ""))
    folders(root, (*FOLDERS, "etc/apt/sources.list.d", "usr/share/keyrings", "var/lib"))
    here = script
    for folder in ("/etc/", "/var/lib/", "/usr/share/"):
        for before in (" ", ">", '"', "="):
            here = here.replace(f"{before}{folder}", f"{before}{root}{folder}")
    here = here.replace(f". {root}/etc/os-release", "VERSION_CODENAME=jammy")
    return run(here, root, KEY=key)


def mounted(script: str, root: Path) -> dict[str, str]:
    """What each mount's launcher runs, by the mount's name."""
    run_in(script, root)
    return launchers(root)


def test_reads_are_read_only_and_checkpoints_are_seen_by_other_machines(tmp_path: Path) -> None:
    assert mounted(SCRIPTS["gcp-training-cluster"], tmp_path) == {
        "gpuinfra-mount-data-data-tokens": (
            "gcsfuse --profile aiml-training --implicit-dirs --enable-hns=false -o allow_other"
            " -o ro --only-dir tokens llama-data-0a1b2c3d4e5f /data/data-tokens"
        ),
        "gpuinfra-mount-checkpoints": (
            "gcsfuse --profile aiml-checkpointing --implicit-dirs --enable-hns=false"
            " -o allow_other --metadata-cache-ttl-secs 0 --dir-mode 0777 --file-mode 0666"
            " --only-dir checkpoints llama-data-0a1b2c3d4e5f /checkpoints"
        ),
    }


def test_a_pool_reads_its_weights_as_a_server_does(tmp_path: Path) -> None:
    (call,) = mounted(SCRIPTS["gcp-inference-pool"], tmp_path).values()

    assert call.startswith("gcsfuse --profile aiml-serving ")


def test_a_whole_bucket_is_mounted_without_a_folder(tmp_path: Path) -> None:
    start = replace(NODE, data=(BucketMount(name="all", bucket="one"),))
    (call,) = mounted(userdata.training_script(start), tmp_path).values()

    assert "--only-dir" not in call
    assert call.endswith(" one /data/all")


def test_a_preempted_job_is_stopped_in_time_for_its_mounts(tmp_path: Path) -> None:
    run_in(SCRIPTS["gcp-training-cluster"], tmp_path)
    system = tmp_path / "etc/systemd/system"
    added = (system / "gpuinfra-job.service.d/gcp.conf").read_text()

    assert added.endswith("\nTimeoutStopSec=15\n")
    assert "/bin:/opt/pytorch/bin:/opt/conda/bin\n" in added
    assert (system / "gpuinfra-job.service").exists()
    assert "gpuinfra-job.service.d" not in SCRIPTS["gcp-training-node"]


def test_the_environment_is_the_fabrics(tmp_path: Path) -> None:
    run_in(SCRIPTS["gcp-training-cluster"], tmp_path)

    assert {
        "CHECKPOINT_URI=gs://llama-data-0a1b2c3d4e5f/checkpoints/",
        "NCCL_NET=gIB",
        "NCCL_SOCKET_IFNAME=enp0s19,enp192s20",
        "LD_LIBRARY_PATH=/usr/local/gib/lib64",
    } <= environment(tmp_path)


def test_the_plugin_comes_from_googles_repository_once(tmp_path: Path) -> None:
    calls = run_in(SCRIPTS["gcp-training-cluster"], tmp_path, "dpkg").splitlines()
    listed = tmp_path / "etc/apt/sources.list.d/gpuinfra-gib.list"

    assert any(call.startswith("apt-get") and call.endswith("nccl-gib=1.1.0") for call in calls)
    assert "apt-mark hold nccl-gib" in calls
    assert "ar+https://us-apt.pkg.dev/projects/gce-ai-infra gpudirect-gib-apt main" in (
        listed.read_text()
    )


@pytest.mark.parametrize("absent", [(), ("systemd-networkd-wait-online",)])
def test_a_job_waits_for_the_fabrics_interfaces(tmp_path: Path, absent: tuple[str, ...]) -> None:
    calls = run_in(SCRIPTS["gcp-training-cluster"], tmp_path, *absent)
    waited = calls.index("systemd-networkd-wait-online -o routable --timeout=180")

    assert waited < calls.index("gpuinfra-job.service")


def test_an_image_without_gcsfuse_gets_it(tmp_path: Path) -> None:
    script = SCRIPTS["gcp-training-cluster"].replace("gcsfuse --help", "false")
    calls = run_in(script, tmp_path)
    listed = (tmp_path / "etc/apt/sources.list.d/gpuinfra-gcsfuse.list").read_text()

    assert "install gcsfuse" in calls
    assert "https://packages.cloud.google.com/apt gcsfuse-jammy main" in listed


@pytest.mark.parametrize(("key", "form"), [("-----BEGIN PGP", "asc"), ("binary", "gpg")])
def test_a_repositorys_key_is_kept_in_its_own_form(tmp_path: Path, key: str, form: str) -> None:
    script = SCRIPTS["gcp-training-cluster"].replace("gcsfuse --help", "false")
    run_in(script, tmp_path, key=key)
    listed = (tmp_path / "etc/apt/sources.list.d/gpuinfra-gcsfuse.list").read_text()
    keyring = tmp_path / f"usr/share/keyrings/gpuinfra-gcsfuse.{form}"

    assert f"[signed-by={keyring}]" in listed
    assert keyring.read_text() == f"{key}\n"


def test_a_pool_sends_what_its_gpus_do(tmp_path: Path) -> None:
    calls = run_in(SCRIPTS["gcp-inference-pool"], tmp_path).splitlines()

    assert "systemctl enable --now google-cloud-ops-agent.service" in calls


def test_a_private_image_is_fetched_as_the_machines_account(tmp_path: Path) -> None:
    calls = run_in(SCRIPTS["gcp-inference-private-image"], tmp_path)

    assert "instance/service-accounts/default/token" in calls
    assert (
        "docker login --username oauth2accesstoken --password-stdin"
        " https://us-central1-docker.pkg.dev"
    ) in calls
    assert "ops-agent" not in calls


@pytest.mark.parametrize(
    ("image", "host"),
    [
        ("us-central1-docker.pkg.dev/team/serving/chat:1", "us-central1-docker.pkg.dev"),
        ("us-docker.pkg.dev/team/chat:1", "us-docker.pkg.dev"),
        ("gcr.io/team/chat:1", "gcr.io"),
        ("eu.gcr.io/team/chat:1", "eu.gcr.io"),
        ("vllm/vllm-openai:v0.11.0", None),
        ("evil.example/us-docker.pkg.dev/team/chat:1", None),
        ("evil.example/gcr.io/team/chat:1", None),
    ],
)
def test_artifact_registry_is_told_from_other_registries(image: str, host: str | None) -> None:
    assert registry(image) == host


def rendezvous(root: Path, peers: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What gpuinfra-torchrun runs on a machine of a group of those instances and their states."""
    run_in(SCRIPTS["gcp-training-cluster"], root)
    zone = "https://www.googleapis.com/compute/v1/projects/team/zones/us-central1-b"
    managed = [
        {"instance": f"{zone}/instances/{name}", "instanceStatus": state}
        for name, state in peers.items()
    ]
    (root / "managed.json").write_text(json.dumps({"managedInstances": managed}))
    answers = (
        'case "$*" in\n'
        "*project-id*) echo team ;;\n"
        "*instance/zone*) echo projects/1/zones/us-central1-b ;;\n"
        "*created-by*) echo projects/1/zones/us-central1-b/instanceGroupManagers/group ;;\n"
        "*instance/hostname*) echo trainer-b.us-central1-b.c.team.internal ;;\n"
        '*token*) echo \'{"access_token": "secret"}\' ;;\n'
        "*'Bearer secret'*projects/team/zones/us-central1-b/instanceGroupManagers/group/"
        f"listManagedInstances) cat {root}/managed.json ;;\n"
        "*) exit 22 ;;\nesac\n"
    )
    program(root, "curl", answers)
    return torchrun(root, "--lr", "1e-4", GPUINFRA_WAIT="0")


def test_torchrun_meets_at_the_groups_first_machine_by_name(tmp_path: Path) -> None:
    names = ("trainer-d", "trainer-b", "trainer-c", "trainer-a", "trainer-e")
    done = rendezvous(tmp_path, dict.fromkeys(names, "RUNNING"))
    leader = "trainer-a.us-central1-b.c.team.internal"

    assert done.stdout == (
        f"{leader} 29500 --nnodes=4 --nproc-per-node=8 --rdzv-backend=c10d"
        f" --rdzv-endpoint={leader}:29500 --rdzv-id=trainer train.py --lr 1e-4\n"
    )


def test_torchrun_waits_for_all_machines_and_says_how_many_run(tmp_path: Path) -> None:
    done = rendezvous(tmp_path, {"trainer-a": "RUNNING", "trainer-b": "STAGING"})

    assert done.returncode == 1
    assert "1 of 4 machines run" in done.stderr
