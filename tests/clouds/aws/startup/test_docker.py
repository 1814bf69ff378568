from itertools import pairwise

ENV = "GPUINFRA_NODES=2\nCHECKPOINT_DIR=/checkpoints\nNCCL_SOCKET_IFNAME='^lo,docker,veth'\n"


def container(machine) -> list[str]:
    machine.install("docker.sh")
    machine.file("etc/gpuinfra/env", ENV)
    machine.file("proc/meminfo", "MemTotal:       2097152 kB\n")
    machine.stand_in("gpuinfra-peers", "printf '10.0.0.10\\n10.0.0.20\\n'")
    machine.stand_in("docker", 'echo "$MASTER_ADDR:$MASTER_PORT $NCCL_SOCKET_IFNAME"')
    done = machine.program("gpuinfra-docker-run", "team/train:1", "torchrun", "train.py")
    assert done.stdout == "10.0.0.10:29500 ^lo,docker,veth\n", done.stderr
    return machine.calls[-1].replace(str(machine.root), "").split()


def options(call: list[str], name: str) -> list[str]:
    return [value for key, value in pairwise(call) if key == name]


def test_a_container_gets_memory_network_and_the_run_s_variables(machine) -> None:
    call = container(machine)

    assert call[:3] == ["docker", "run", "--rm"]
    assert call[-3:] == ["team/train:1", "torchrun", "train.py"]
    assert options(call, "--network") == ["host"]
    assert "memlock=-1" in options(call, "--ulimit")
    assert options(call, "--shm-size") == ["1048576k"]
    assert options(call, "--env") == [
        "GPUINFRA_NODES",
        "CHECKPOINT_DIR",
        "NCCL_SOCKET_IFNAME",
        "MASTER_ADDR",
        "MASTER_PORT",
    ]


def test_a_machine_without_devices_gives_none(machine) -> None:
    call = container(machine)

    assert "--gpus" not in call
    assert "--device" not in call


def test_gpus_and_folders_that_are_there_are_given(machine) -> None:
    machine.file("dev/nvidia0", "")
    for folder in ("checkpoints", "shared", "opt/dlami/nvme", "run/gpuinfra"):
        (machine.root / folder).mkdir(parents=True)
    (machine.root / "local").symlink_to(machine.root / "opt/dlami/nvme")
    call = container(machine)

    assert options(call, "--gpus") == ["all"]
    assert options(call, "--volume") == [
        "/checkpoints:/checkpoints:rslave",
        "/shared:/shared:rslave",
        "/run/gpuinfra:/run/gpuinfra:rslave",
        "/opt/dlami/nvme:/local",
    ]


def test_the_fabric_s_devices_are_given(machine) -> None:
    machine.install("docker.sh")
    program = machine.root / "usr/local/bin/gpuinfra-docker-run"
    # A folder of a test can hold no device of its own, so the null device is one of the fabric's.
    text = program.read_text().replace(f"{machine.root}/dev/infiniband/*", "/dev/null /dev/zero")
    program.write_text(text)
    machine.install = lambda part: None
    call = container(machine)

    assert options(call, "--device") == ["/dev/null", "/dev/zero"]
