import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpuinfra.clouds.azure import agent, userdata
from gpuinfra.clouds.azure.payload import MAX_CUSTOM_DATA
from gpuinfra.clouds.startup import BucketMount, TrainingStart
from tests.clouds.startup_scripts import (
    FOLDERS,
    call,
    cluster,
    environment,
    folders,
    launched,
    noted,
    pool,
    private_pool,
    program,
    run,
    torchrun,
)
from tests.parsing import parsed

CLIENT = "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"
BUCKET = "llamadata0a1b2c/data"
CLUSTER = cluster("eastus", BUCKET, {"NCCL_SOCKET_IFNAME": "eth0"})
NODE = TrainingStart(workload="dev", region="eastus", nodes=1, gpus=1)
PRIVATE_POOL = private_pool("myteam.azurecr.io/chat:1")
SCRIPTS = {
    "azure-training-cluster": userdata.training_script(CLUSTER, CLIENT),
    "azure-training-node": userdata.training_script(NODE, CLIENT),
    "azure-inference-pool": userdata.server_script(pool(BUCKET), CLIENT),
    "azure-inference-private-image": userdata.server_script(PRIVATE_POOL, CLIENT),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_fits(name: str) -> None:
    assert len(SCRIPTS[name].encode()) <= MAX_CUSTOM_DATA // 2


def run_in(script: str, root: Path) -> str:
    """Run the script in a folder that stands for /, with stand-ins for the system's programs."""
    for name in ("systemctl", "blobfuse2", "docker", "curl", "apt-get"):
        program(root, name, noted(root, name))
    program(root, "python3", f"{noted(root, 'python3')}echo 10.0.0.7\n")
    folders(root, (*FOLDERS, "var/lib"))
    here = script.replace(" /var/lib/", f" {root}/var/lib/")
    for before in (" ", ">", '"', "="):
        here = here.replace(f"{before}/etc/", f"{before}{root}/etc/")
    return run(here, root)


def test_nothing_stands_in_the_scripts_that_is_not_the_machines_own() -> None:
    for script in SCRIPTS.values():
        assert "accountkey" not in script.lower()
        assert "client_secret" not in script


def settings(path: Path) -> dict[str, str]:
    """The plain settings of a mount, by name; `libfuse` and others are headings."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    pairs = [line.partition(": ") for line in lines if ": " in line]
    return {name: value for name, _, value in pairs}


def test_mounts_use_the_identity_and_a_block_cache(tmp_path: Path) -> None:
    run_in(SCRIPTS["azure-training-cluster"], tmp_path)
    folder = tmp_path / "etc/gpuinfra"
    data = settings(folder / "blobfuse-data-data-tokens.yaml")
    kept = settings(folder / "blobfuse-checkpoints.yaml")

    for mount in (data, kept):
        assert (mount["mode"], mount["appid"]) == ("msi", CLIENT)
        assert (mount["account-name"], mount["container"]) == ("llamadata0a1b2c", "data")
        assert mount["block-size-mb"] == "32"
        size, blocks = int(mount["mem-size-mb"]), int(mount["prefetch"])
        assert 1024 <= size <= 65_536
        assert 11 <= blocks <= 80
        assert blocks * 32 <= size
    assert data["subdirectory"] == '"tokens"'
    assert kept["subdirectory"] == '"checkpoints"'
    assert (data["timeout-sec"], kept["timeout-sec"]) == ("7200", "5")


@pytest.mark.parametrize(
    ("memory_kib", "megabytes"),
    [(8 * 2**20, 1024), (28 * 2**20, 1792), (900 * 2**20, 57_600), (1900 * 2**20, 65_536)],
)
def test_the_cache_is_a_part_of_the_memory(
    tmp_path: Path, memory_kib: int, megabytes: int
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text(f"MemTotal:       {memory_kib} kB\nMemFree: 1 kB\n")
    part = (
        (userdata._STARTUP_FOLDER / "mounts.sh").read_text().replace("/proc/meminfo", str(meminfo))
    )
    start = part.index("cache_megabytes()")
    function = part[start : part.index("mount_bucket()")]
    shown = subprocess.run(
        ["bash", "-c", f"{function}\ncache_megabytes"], capture_output=True, text=True, check=True
    )

    assert int(shown.stdout) == megabytes


def test_data_is_read_only_and_checkpoints_are_not(tmp_path: Path) -> None:
    run_in(SCRIPTS["azure-training-cluster"], tmp_path)
    folder = tmp_path / "etc/gpuinfra"
    calls = {
        name: launched(folder / f"gpuinfra-mount-{name}", tmp_path)
        for name in ("data-data-tokens", "checkpoints")
    }

    assert calls["data-data-tokens"].endswith("blobfuse-data-data-tokens.yaml --read-only")
    assert calls["checkpoints"].startswith("blobfuse2 mount /checkpoints --config-file=")
    assert "--read-only" not in calls["checkpoints"]


def test_a_whole_bucket_is_mounted_without_a_folder(tmp_path: Path) -> None:
    start = replace(CLUSTER, data=(BucketMount(name="all", bucket="one/all"),), checkpoints=None)
    run_in(userdata.training_script(start, CLIENT), tmp_path)
    written = settings(tmp_path / "etc/gpuinfra/blobfuse-data-all.yaml")

    assert "subdirectory" not in written


def test_the_environment_names_what_reads_the_mounts(tmp_path: Path) -> None:
    run_in(SCRIPTS["azure-training-cluster"], tmp_path)

    assert {
        "CHECKPOINT_URI=https://llamadata0a1b2c.blob.core.windows.net/data/checkpoints/",
        "GPUINFRA_READER=gpuinfra-job.service",
        "NCCL_SOCKET_IFNAME=eth0",
    } <= environment(tmp_path)


def test_the_agent_is_written_as_it_is_and_speaks_the_python_of_the_image(tmp_path: Path) -> None:
    run_in(SCRIPTS["azure-training-node"], tmp_path)
    source = Path(agent.__file__).read_text()

    written = (tmp_path / "etc/gpuinfra/agent.py").read_text()
    assert written.replace(f"{tmp_path}/etc/", "/etc/") == source
    parsed(source, feature_version=(3, 10))
    names = {
        name.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_what_always_runs_is_asked_of_the_agent(tmp_path: Path) -> None:
    calls = run_in(SCRIPTS["azure-inference-pool"], tmp_path)
    units = tmp_path / "etc/systemd/system"
    metrics = (units / "gpuinfra-metrics.service").read_text()
    events = (units / "gpuinfra-events.service").read_text()

    assert "agent.py metrics gpuinfra gpu_utilization gpu_memory\n" in metrics
    assert "agent.py events " in events
    assert "gpuinfra-leave\n" in events
    for name in ("metrics", "events"):
        assert f"systemctl enable --now gpuinfra-{name}.service" in calls


def test_a_machine_without_a_job_mounts_by_itself(tmp_path: Path) -> None:
    start = replace(CLUSTER, command=None)
    calls = run_in(userdata.training_script(start, CLIENT), tmp_path).splitlines()

    assert calls[-1] == (
        "systemctl start gpuinfra-mount-checkpoints.service"
        " gpuinfra-mount-data-data-tokens.service"
    )


def test_a_mount_is_tried_until_its_role_is_known(tmp_path: Path) -> None:
    """A role may take ten minutes to be known everywhere; systemd waits for longer than that."""
    run_in(SCRIPTS["azure-training-cluster"], tmp_path)
    launcher = (tmp_path / "etc/gpuinfra/gpuinfra-mount-checkpoints").read_text()
    unit = (tmp_path / "etc/systemd/system/gpuinfra-mount-checkpoints.service").read_text()

    assert "if ((SECONDS > 1200)); then exit 1; fi" in launcher
    assert "\nTimeoutStartSec=1500\n" in unit


def test_the_identity_is_the_one_that_tokens_are_asked_for(tmp_path: Path) -> None:
    run_in(SCRIPTS["azure-training-node"], tmp_path)

    assert str(agent.IDENTITY) == userdata.IDENTITY
    assert (tmp_path / "etc/gpuinfra/identity").read_text() == f"{CLIENT}\n"


def test_a_job_starts_after_the_image_has_written_its_topology(tmp_path: Path) -> None:
    run_in(SCRIPTS["azure-training-cluster"], tmp_path)
    unit = tmp_path / "etc/systemd/system/gpuinfra-job.service.d/azure.conf"

    assert unit.read_text() == "[Unit]\nAfter=sku-customizations.service\n"


def test_no_figures_are_sent_that_nobody_follows(tmp_path: Path) -> None:
    assert "gpuinfra-metrics" not in run_in(SCRIPTS["azure-inference-private-image"], tmp_path)


def left(root: Path, *words: str) -> list[str]:
    """What the script that ends the work calls."""
    run_in(SCRIPTS["azure-training-cluster"], root)
    calls = root / "calls"
    calls.write_text("")
    call([root / "usr/local/bin/gpuinfra-leave", *words], root)
    return calls.read_text().splitlines()


def test_leaving_ends_the_work_before_the_mounts(tmp_path: Path) -> None:
    assert left(tmp_path) == [
        "systemctl stop gpuinfra-job.service",
        "systemctl stop gpuinfra-mount-checkpoints.service",
        "systemctl stop gpuinfra-mount-data-data-tokens.service",
    ]


def test_coming_back_starts_the_work_after_the_mounts(tmp_path: Path) -> None:
    calls = [call for call in left(tmp_path, "back") if " cat " not in call]

    assert calls == [
        "systemctl start gpuinfra-mount-checkpoints.service",
        "systemctl start gpuinfra-mount-data-data-tokens.service",
        "systemctl start gpuinfra-job.service",
    ]


def test_a_private_image_is_fetched_with_the_identity(tmp_path: Path) -> None:
    calls = run_in(SCRIPTS["azure-inference-private-image"], tmp_path)

    assert "agent.py registry myteam.azurecr.io" in calls
    assert (
        "docker login --username 00000000-0000-0000-0000-000000000000 --password-stdin "
        "myteam.azurecr.io"
    ) in calls


@pytest.mark.parametrize(
    ("image", "host"),
    [
        ("myteam.azurecr.io/chat:1", "myteam.azurecr.io"),
        ("myteam-a1b2c3.azurecr.io/chat:1", "myteam-a1b2c3.azurecr.io"),
        ("vllm/vllm-openai:v0.11.0", None),
        ("ghcr.io/x/myteam.azurecr.io/chat:1", None),
    ],
)
def test_an_azure_registry_is_known_by_its_name(image: str, host: str | None) -> None:
    assert userdata.registry(image) == host


def rendezvous(root: Path, script: str) -> str:
    """What gpuinfra-torchrun runs on a machine."""
    run_in(script, root)
    return torchrun(root).stdout


def test_torchrun_meets_where_the_agent_says(tmp_path: Path) -> None:
    shown = rendezvous(tmp_path, SCRIPTS["azure-training-cluster"])

    assert shown.startswith("10.0.0.7 29500 --nnodes=4 --nproc-per-node=8 ")
    assert "agent.py peers 4 1800" in (tmp_path / "calls").read_text()


def test_a_single_machine_asks_nobody(tmp_path: Path) -> None:
    shown = rendezvous(tmp_path, SCRIPTS["azure-training-node"])

    assert shown.startswith("127.0.0.1 29500 --nnodes=1 --nproc-per-node=1 ")
    assert "agent.py peers" not in (tmp_path / "calls").read_text()
