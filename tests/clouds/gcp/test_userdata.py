import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from gpuinfra.clouds.gcp import userdata
from gpuinfra.clouds.gcp.environment import fabric_environment
from gpuinfra.clouds.gcp.machines import machine
from gpuinfra.clouds.gcp.userdata import LIMIT, registry
from gpuinfra.clouds.startup import ServerStart, Share, TrainingStart

GOLDEN = Path(__file__).parents[2] / "golden" / "startup"

TOKENS = Share(name="data", bucket="llama-data-0a1b2c3d4e5f", prefix="tokens/")
CHECKPOINTS = Share(
    name="data", bucket="llama-data-0a1b2c3d4e5f", prefix="checkpoints/", writable=True
)
CLUSTER = TrainingStart(
    workload="trainer",
    region="us-central1",
    nodes=4,
    gpus=8,
    data=(TOKENS,),
    checkpoints=CHECKPOINTS,
    every=timedelta(minutes=10),
    command="gpuinfra-torchrun train.py --epochs 3\n",
    environment=fabric_environment(machine("a3-ultragpu-8g"), fabric=True),
)
NODE = TrainingStart(workload="dev", region="us-central1", nodes=1, gpus=1)
POOL = ServerStart(
    workload="chat",
    image="vllm/vllm-openai:v0.11.0",
    port=8000,
    gpu_metrics=True,
    data=(TOKENS,),
)
PRIVATE_POOL = ServerStart(
    workload="chat",
    image="us-central1-docker.pkg.dev/team/serving/chat:1",
    port=9000,
    gpu_metrics=False,
)
SCRIPTS = {
    "gcp-training-cluster": userdata.training_script(CLUSTER, gib=True),
    "gcp-training-node": userdata.training_script(NODE),
    "gcp-inference-pool": userdata.server_script(POOL),
    "gcp-inference-private-image": userdata.server_script(PRIVATE_POOL),
}
CURL = """
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then echo "$KEY" >"$2"; fi
  shift
done
echo '{"access_token": "secret"}'
"""
FOLDERS = (
    "etc/systemd/system",
    "etc/profile.d",
    "etc/security/limits.d",
    "etc/apt/sources.list.d",
    "usr/local/bin",
    "usr/share/keyrings",
    "var/lib",
)


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_is_the_golden_one(name: str) -> None:
    golden = GOLDEN / f"{name}.sh"
    if os.environ.get("GPUINFRA_GOLDEN") == "update":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(SCRIPTS[name])

    assert SCRIPTS[name] == golden.read_text(), "if it is meant: make golden"


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_parses_and_fits(name: str) -> None:
    parsed = subprocess.run(
        ["bash", "-n"], input=SCRIPTS[name], capture_output=True, text=True, check=False
    )

    assert (parsed.returncode, parsed.stderr) == (0, "")
    assert len(SCRIPTS[name].encode()) <= LIMIT


@pytest.mark.parametrize("name", SCRIPTS)
def test_shellcheck_has_nothing_to_say(name: str) -> None:
    checked = subprocess.run(
        [Path(sys.executable).with_name("shellcheck"), "--exclude=SC1091", "-"],
        input=SCRIPTS[name],
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.stdout == ""


def run_in(script: str, root: Path, *absent: str, key: str = "-----BEGIN PGP") -> str:
    """Run the script in a folder that stands for /, with stand-ins for the system's programs.

    Those that are `absent` fail, as on an image that lacks what they tell of. `key` is what every
    downloaded file holds.
    """
    programs = root / "programs"
    programs.mkdir(exist_ok=True)
    calls = root / "calls"
    answers = {
        "gcsfuse": 'case "$*" in --help) echo "  --profile string" ;; esac\n',
        "docker": 'case "$1" in info) echo nvidia ;; login) cat >/dev/null ;; esac\n',
        "dpkg": 'case "$1" in --print-architecture) echo amd64 ;; esac\n',
        "curl": CURL,
    }
    for name in (
        *("systemctl", "gcsfuse", "docker", "curl", "apt-get", "apt-mark", "dpkg", "sleep"),
        *("nvidia-ctk", "systemd-networkd-wait-online"),
    ):
        program = programs / name
        quiet = name in {"dpkg", "sleep"}
        call = "" if quiet else f'echo {name} "$@" >>{calls}\n'
        fails = "exit 1\n" if name in absent else ""
        program.write_text(f"#!/bin/sh\n{call}{answers.get(name, '')}{fails}")
        program.chmod(0o755)
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    here = script.replace("mkdir -p", "true")
    for folder in ("/etc/", "/var/lib/", "/usr/share/"):
        for before in (" ", ">", '"', "="):
            here = here.replace(f"{before}{folder}", f"{before}{root}{folder}")
    here = here.replace("/usr/local/bin/gpuinfra", f"{root}/usr/local/bin/gpuinfra")
    here = here.replace(f". {root}/etc/os-release", "VERSION_CODENAME=jammy")
    subprocess.run(
        ["bash", "-c", here],
        env={"PATH": f"{programs}:/usr/bin:/bin", "KEY": key},
        check=True,
        timeout=30,
    )
    return calls.read_text() if calls.exists() else ""


def mounted(script: str, root: Path) -> dict[str, str]:
    """What each mount's launcher runs, by the mount's name."""
    run_in(script, root)
    scripts = sorted((root / "etc/gpuinfra").glob("gpuinfra-mount-*"))
    return {script.name: launched(script, root) for script in scripts}


def launched(launcher: Path, root: Path) -> str:
    calls = root / "calls"
    calls.write_text("")
    subprocess.run(
        [launcher], env={"PATH": f"{root}/programs:/usr/bin:/bin"}, check=True, timeout=30
    )
    (call,) = calls.read_text().splitlines()
    return call


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
    start = replace(NODE, data=(Share(name="all", bucket="one"),))
    (call,) = mounted(userdata.training_script(start), tmp_path).values()

    assert "--only-dir" not in call
    assert call.endswith(" one /data/all")


@pytest.mark.parametrize(
    ("name", "reader", "mounts"),
    [
        ("gcp-training-cluster", "gpuinfra-job.service", 2),
        ("gcp-inference-pool", "docker.service", 1),
    ],
)
def test_what_reads_the_mounts_starts_after_them_and_not_without_them(
    tmp_path: Path, name: str, reader: str, mounts: int
) -> None:
    calls = run_in(SCRIPTS[name], tmp_path)
    units = sorted((tmp_path / "etc/systemd/system").glob("gpuinfra-mount-*.service"))

    assert len(units) == mounts
    for unit in units:
        before, _, install = unit.read_text().partition("[Install]")
        assert f"\nBefore={reader}\n" in before
        assert f"\nRequiredBy={reader}\n" in install
        assert f"systemctl enable {unit.name}" in calls
    if reader == "gpuinfra-job.service":
        assert "systemctl start" not in calls
        assert f"systemctl enable --now {reader}" in calls
    else:
        started = f"systemctl start {' '.join(unit.name for unit in units)}\n"
        assert calls.index(started) < calls.index("docker run")


def test_a_preempted_job_is_stopped_in_time_for_its_mounts(tmp_path: Path) -> None:
    run_in(SCRIPTS["gcp-training-cluster"], tmp_path)
    system = tmp_path / "etc/systemd/system"
    added = (system / "gpuinfra-job.service.d/gcp.conf").read_text()

    assert added.endswith("\nTimeoutStopSec=15\n")
    assert "/bin:/opt/pytorch/bin:/opt/conda/bin\n" in added
    assert (system / "gpuinfra-job.service").exists()
    assert "gpuinfra-job.service.d" not in SCRIPTS["gcp-training-node"]


def test_the_environment_reaches_a_shell_whatever_its_values(tmp_path: Path) -> None:
    run_in(SCRIPTS["gcp-training-cluster"], tmp_path)
    shown = subprocess.run(
        ["bash", "-c", f"set -a; . {tmp_path}/etc/gpuinfra/env; env"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    assert {
        "CHECKPOINT_DIR=/checkpoints",
        "CHECKPOINT_URI=gs://llama-data-0a1b2c3d4e5f/checkpoints/",
        "CHECKPOINT_EVERY_SECONDS=600",
        "DATA_DIR=/data/data-tokens",
        "GPUINFRA_NODES=4",
        "GPUINFRA_GPUS=8",
        "NCCL_NET=gIB",
        "NCCL_SOCKET_IFNAME=enp0s19,enp192s20",
        "LD_LIBRARY_PATH=/usr/local/gib/lib64",
    } <= set(shown)


def test_the_script_may_run_again(tmp_path: Path) -> None:
    first = run_in(SCRIPTS["gcp-training-cluster"], tmp_path)
    files = {path: path.read_text() for path in (tmp_path / "etc").rglob("*") if path.is_file()}
    second = run_in(SCRIPTS["gcp-training-cluster"], tmp_path)

    assert second == first * 2
    assert files == {
        path: path.read_text() for path in (tmp_path / "etc").rglob("*") if path.is_file()
    }


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


def test_the_container_gets_gpus_port_and_data(tmp_path: Path) -> None:
    calls = run_in(SCRIPTS["gcp-inference-pool"], tmp_path).splitlines()

    assert (
        "docker run --detach --name gpuinfra-server --restart always --gpus all --shm-size 16g"
        " --publish 8000:8000 --volume=/data:/data:ro,rslave --env=DATA_DIR=/data/data-tokens"
        " --env=DATA_DIR_DATA_TOKENS=/data/data-tokens vllm/vllm-openai:v0.11.0"
    ) in calls
    assert "docker login" not in "\n".join(calls)
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
    programs = root / "programs"
    zone = "https://www.googleapis.com/compute/v1/projects/team/zones/us-central1-b"
    managed = [
        {"instance": f"{zone}/instances/{name}", "instanceStatus": state}
        for name, state in peers.items()
    ]
    (root / "managed.json").write_text(json.dumps({"managedInstances": managed}))
    (programs / "curl").write_text(
        '#!/bin/sh\ncase "$*" in\n'
        "*project-id*) echo team ;;\n"
        "*instance/zone*) echo projects/1/zones/us-central1-b ;;\n"
        "*created-by*) echo projects/1/zones/us-central1-b/instanceGroupManagers/group ;;\n"
        "*instance/hostname*) echo trainer-b.us-central1-b.c.team.internal ;;\n"
        '*token*) echo \'{"access_token": "secret"}\' ;;\n'
        "*'Bearer secret'*projects/team/zones/us-central1-b/instanceGroupManagers/group/"
        f"listManagedInstances) cat {root}/managed.json ;;\n"
        "*) exit 22 ;;\nesac\n"
    )
    (programs / "torchrun").write_text('#!/bin/sh\necho "$MASTER_ADDR $MASTER_PORT $@"\n')
    (programs / "torchrun").chmod(0o755)
    for name in ("gpuinfra-peers", "gpuinfra-torchrun"):
        shutil.copy(root / "usr/local/bin" / name, programs)
    return subprocess.run(
        ["gpuinfra-torchrun", "train.py", "--lr", "1e-4"],
        env={"PATH": f"{programs}:/usr/bin:/bin", "GPUINFRA_WAIT": "0"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


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
