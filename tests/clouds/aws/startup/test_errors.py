import socket
from collections.abc import Iterator

import pytest

from gpuinfra.clouds.aws import metrics

TAGS = metrics.error_tags("llama", "trainer")


@pytest.fixture
def agent() -> Iterator[socket.socket]:
    """Where the CloudWatch agent would listen."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(10)
        yield listener


def failing(machine, agent: socket.socket, *, xids: int) -> list[str]:
    """What is told when nvidia-smi fails, as it does for a GPU that fell off the bus."""
    prepared(machine, agent, xids=xids)
    machine.stand_in("nvidia-smi", "echo 'Unable to determine the device handle'\nexit 15")
    done = machine.program("gpuinfra-gpu-errors")
    assert done.returncode == 0, done.stderr
    assert "Unable to determine the device handle" in done.stderr
    return received(agent)


def counted(machine, agent: socket.socket, *, xids: int, ecc: list[str]) -> list[str]:
    prepared(machine, agent, xids=xids)
    machine.stand_in("nvidia-smi", f"printf '%s\\n' {' '.join(ecc)}")
    done = machine.program("gpuinfra-gpu-errors")
    assert done.returncode == 0, done.stderr
    return received(agent)


def received(agent: socket.socket) -> list[str]:
    got = ""
    while got.count("\n") < 2:  # a line may come in a packet of its own
        got += agent.recv(4096).decode()
    return got.splitlines()


def prepared(machine, agent: socket.socket, *, xids: int) -> None:
    machine.install("errors.sh")
    machine.file(
        "etc/gpuinfra/errors",
        f"XID_ERRORS={metrics.XID_ERRORS}\nECC_ERRORS={metrics.ECC_ERRORS}\n"
        f"ERRORS_PORT={agent.getsockname()[1]}\nTAGS='{TAGS}'\n",
    )
    lines = "\n".join(
        ["kernel: usb 1-1: new device", *(["NVRM: Xid (PCI:0000:10:1c): 79, x"] * xids)]
    )
    machine.stand_in("journalctl", f"cat <<'L'\n{lines}\nL")


def test_new_errors_reach_the_agent_under_the_run_s_dimensions(machine, agent) -> None:
    assert counted(machine, agent, xids=2, ecc=["3", "0"]) == [
        "gpuinfra_xid_errors:2|c|#Stack:llama,Workload:trainer",
        "gpuinfra_ecc_errors:3|c|#Stack:llama,Workload:trainer",
    ]
    assert any("--cursor-file" in call for call in machine.calls)


def test_memory_errors_are_counted_once(machine, agent) -> None:
    counted(machine, agent, xids=0, ecc=["3", "0"])

    assert counted(machine, agent, xids=0, ecc=["3", "1"])[1].startswith("gpuinfra_ecc_errors:1|")


def test_a_driver_that_begins_to_count_anew_takes_nothing_away(machine, agent) -> None:
    counted(machine, agent, xids=0, ecc=["3", "0"])

    assert counted(machine, agent, xids=0, ecc=["1", "0"])[1].startswith("gpuinfra_ecc_errors:1|")


def test_an_error_is_told_although_nvidia_smi_fails_and_that_is_one_more(machine, agent) -> None:
    assert [line.split("|")[0] for line in failing(machine, agent, xids=1)] == [
        "gpuinfra_xid_errors:1",
        "gpuinfra_xid_errors:1",
    ]


def test_nothing_is_told_as_nothing(machine, agent) -> None:
    assert [line.split("|")[0] for line in counted(machine, agent, xids=0, ecc=["'[N/A]'"])] == [
        "gpuinfra_xid_errors:0",
        "gpuinfra_ecc_errors:0",
    ]
