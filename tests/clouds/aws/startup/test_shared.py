from pathlib import Path
from typing import Any

import pytest

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.startup import part_of, shell_part

HERE: Path = userdata._STARTUP_FOLDER
SHARED = "\n".join(
    [
        shell_part("base.sh"),
        part_of(HERE, "packages.sh"),
        "LUSTRE_DNS=fs-0a.fsx.us-east-1.amazonaws.com LUSTRE_NAME=abcdefgh LUSTRE_EFA=$1",
        # Whatever machine runs the tests has one of the two, or neither.
        'command() { [[ $2 != apt-get || $MANAGER == apt-get ]] && builtin command "$@"; }',
        part_of(HERE, "shared.sh"),
    ]
)
LINE = (
    "fs-0a.fsx.us-east-1.amazonaws.com@tcp:/abcdefgh /shared lustre"
    " noatime,flock,_netdev,nosuid,nodev 0 0"
)


def mounted(machine, manager: str, *, efa: str = "no", install: str = "") -> Any:
    """The part run on an image that has one of the package managers."""
    root = machine.root
    machine.file("etc/fstab", "UUID=1 / ext4 defaults 0 1\n")
    machine.file("etc/os-release", "VERSION_CODENAME=jammy\n")
    for folder in ("usr/share/keyrings", "etc/apt/sources.list.d"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    machine.stand_in("uname", "echo 6.8.0-1021-aws")
    machine.stand_in("mountpoint", f"[[ -e {root}/is-mounted ]]")
    machine.stand_in("mount", f"touch {root}/is-mounted")
    for name in ("curl", "gpg", "systemctl"):
        machine.stand_in(name, "")
    client = f"printf '#!/bin/bash\\necho lfs $* >>{root}/calls\\n' >{machine.bin}/lfs"
    machine.stand_in(manager, install or f"{client}; chmod +x {machine.bin}/lfs")
    return machine.run(SHARED, efa, MANAGER=manager)


def table(machine) -> list[str]:
    return (machine.root / "etc/fstab").read_text().replace(str(machine.root), "").splitlines()


@pytest.mark.parametrize(
    ("manager", "package"),
    [("dnf", "lustre-client"), ("apt-get", "lustre-client-modules-6.8.0-1021-aws")],
)
def test_the_client_comes_from_the_image_s_own_manager_and_mounts_at_boot(
    machine, manager: str, package: str
) -> None:
    done = mounted(machine, manager)

    assert done.returncode == 0, done.stderr
    assert any(call.startswith(manager) and call.endswith(f" {package}") for call in machine.calls)
    assert table(machine) == ["UUID=1 / ext4 defaults 0 1", LINE]
    job = machine.root / "etc/systemd/system/gpuinfra-job.service.d/shared.conf"
    assert "RequiresMountsFor=" in job.read_text()
    assert any(call.startswith("lfs setstripe -E 100M -c 1") for call in machine.calls)


def test_ubuntu_takes_the_packages_signed_by_aws_for_its_release(machine) -> None:
    mounted(machine, "apt-get")
    source = (machine.root / "etc/apt/sources.list.d/fsxlustreclientrepo.list").read_text()

    assert source.replace(str(machine.root), "") == (
        "deb [signed-by=/usr/share/keyrings/fsx-ubuntu-public-key.gpg]"
        " https://fsx-lustre-client-repo.s3.amazonaws.com/ubuntu jammy main\n"
    )


def test_a_second_run_changes_nothing(machine) -> None:
    mounted(machine, "dnf")
    before = machine.tree()
    machine.forget()
    done = machine.run(SHARED, "no", MANAGER="dnf")

    assert done.returncode == 0, done.stderr
    assert machine.tree() == before
    assert not any(call.startswith(("dnf", "mount ")) for call in machine.calls)


def test_a_kernel_without_a_client_is_named(machine) -> None:
    done = mounted(machine, "apt-get", install='[[ "$*" != *install* ]]')

    assert done.returncode == 1
    assert "there is no Lustre client for the kernel 6.8.0-1021-aws of this image" in done.stderr
    assert "machine_image" in done.stderr


def test_efa_is_set_up_by_aws_s_own_script_once(machine) -> None:
    setup = machine.root / "setup-ran"
    machine.stand_in(
        "python3",
        "folder=$5/configure-efa-fsx-lustre-client; mkdir -p $folder;"
        f" echo 'echo ran >>{setup}' >$folder/setup.sh",
    )
    first = mounted(machine, "dnf", efa="yes")
    second = machine.run(SHARED, "yes", MANAGER="dnf")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert setup.read_text() == "ran\n"


def test_where_efa_does_not_come_up_the_files_come_by_tcp_and_it_is_said(machine) -> None:
    machine.stand_in(
        "python3",
        "folder=$5/configure-efa-fsx-lustre-client; mkdir -p $folder;"
        " echo 'exit 3' >$folder/setup.sh",
    )
    done = mounted(machine, "dnf", efa="yes")

    assert done.returncode == 0
    assert "/shared goes over TCP" in done.stderr
    assert table(machine)[-1] == LINE
