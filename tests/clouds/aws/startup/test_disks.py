import pytest

LSBLK = """\
case "$*" in
  -dpno*) printf '/dev/nvme0n1 Amazon Elastic Block Store\\n'; {disks} ;;
  -nrpo*) printf '%s disk\\n' "${{@: -1}}"; cat {root}/joined 2>/dev/null ;;
esac
true
"""
STORE = "printf '/dev/nvme{n}n1 Amazon EC2 NVMe Instance Storage\\n'"


def host(machine, disks: int, *, image: bool = False) -> None:
    """A machine with so many local disks, whose mounts and file systems are noted in files."""
    root = machine.root
    machine.install("disks.sh")
    shown = "; ".join(STORE.format(n=n) for n in range(disks, 0, -1)) or "true"
    machine.stand_in("lsblk", LSBLK.format(root=root, disks=shown))
    machine.stand_in("mountpoint", f'grep -qxF "${{@: -1}}" {root}/mounted 2>/dev/null')
    machine.stand_in("mount", f'echo "${{@: -1}}" >>{root}/mounted')
    machine.stand_in("blkid", f'grep -qxF "${{@: -1}}" {root}/formatted 2>/dev/null')
    machine.stand_in("mkfs.ext4", f'echo "${{@: -1}}" >>{root}/formatted')
    machine.stand_in("mdadm", f"[[ $1 == --create ]] || [[ -e {root}/joined ]]")
    machine.stand_in("systemctl", "echo dlami-nvme.service enabled" if image else "")
    if image:
        (root / "opt/dlami/nvme").mkdir(parents=True)
        machine.file("mounted", f"{root}/opt/dlami/nvme\n")


def made(machine) -> list[str]:
    """What was done to disks, with the root taken off."""
    programs = ("mdadm", "mkfs.ext4", "mount ")
    calls = [call for call in machine.calls if call.startswith(programs)]
    return [call.replace(str(machine.root), "").rstrip() for call in calls]


def test_several_disks_are_joined_formatted_and_mounted(machine) -> None:
    host(machine, 3)
    done = machine.program("gpuinfra-local-disks")

    assert done.returncode == 0, done.stderr
    disks = "/dev/nvme1n1 /dev/nvme2n1 /dev/nvme3n1"
    array = f"--raid-devices=3 {disks}"
    assert made(machine) == [
        f"mdadm --assemble /dev/md/gpuinfra {disks}",
        f"mdadm --create /dev/md/gpuinfra --run --force --level=0 --name=gpuinfra {array}",
        "mkfs.ext4 -q -m 0 -E nodiscard /dev/md/gpuinfra",
        "mount -o noatime,nosuid,nodev /dev/md/gpuinfra /local",
    ]
    assert (machine.root / "local").stat().st_mode & 0o7777 == 0o1777
    assert (machine.root / "local/cache").stat().st_mode & 0o7777 == 0o700


def test_one_disk_is_no_array(machine) -> None:
    host(machine, 1)
    machine.program("gpuinfra-local-disks")

    assert made(machine) == [
        "mkfs.ext4 -q -m 0 -E nodiscard /dev/nvme1n1",
        "mount -o noatime,nosuid,nodev /dev/nvme1n1 /local",
    ]


def test_a_second_run_touches_nothing(machine) -> None:
    host(machine, 3)
    machine.program("gpuinfra-local-disks")
    machine.forget()

    assert machine.program("gpuinfra-local-disks").returncode == 0
    assert made(machine) == []


def test_after_a_reboot_what_lies_on_the_disks_is_kept(machine) -> None:
    host(machine, 3)
    machine.program("gpuinfra-local-disks")
    machine.forget()
    (machine.root / "mounted").unlink()
    machine.file("joined", "/dev/md127 raid0\n")  # what the kernel calls it
    machine.file("formatted", "/dev/md127\n")
    machine.program("gpuinfra-local-disks")

    assert made(machine) == ["mount -o noatime,nosuid,nodev /dev/md127 /local"]


def test_after_a_stop_the_disks_are_new_and_are_joined_anew(machine) -> None:
    host(machine, 3)
    machine.program("gpuinfra-local-disks")
    before = made(machine)
    machine.forget()
    for name in ("mounted", "formatted"):
        (machine.root / name).unlink()
    machine.program("gpuinfra-local-disks")

    assert made(machine) == before


def test_what_the_image_has_mounted_is_taken_and_not_done_twice(machine) -> None:
    host(machine, 3, image=True)
    for _ in range(2):
        done = machine.program("gpuinfra-local-disks")
        assert done.returncode == 0, done.stderr

    assert made(machine) == []
    assert (machine.root / "local").resolve() == machine.root / "opt/dlami/nvme"
    assert (machine.root / "opt/dlami/nvme/cache").is_dir()


def test_a_machine_without_local_disks_says_so(machine) -> None:
    host(machine, 0)
    done = machine.program("gpuinfra-local-disks")

    assert (done.returncode, done.stdout) == (
        0,
        "gpuinfra-local-disks: this machine has no disks of its own\n",
    )
    assert made(machine) == []


@pytest.mark.parametrize("disks", [0, 2])
def test_a_mount_has_a_cache_of_its_own_where_there_are_disks(machine, disks: int) -> None:
    host(machine, disks)
    machine.program("gpuinfra-local-disks")
    machine.stand_in("mount-s3", "")
    machine.program("gpuinfra-cached", "_data_tokens", "mount-s3", "bucket", "/data/tokens")
    call = machine.calls[-1].replace(str(machine.root), "")

    cache = " --cache /local/cache/_data_tokens" if disks else ""
    assert call == f"mount-s3 bucket /data/tokens{cache}"
    if disks:
        folder = machine.root / "local/cache/_data_tokens"
        assert folder.stat().st_mode & 0o777 == 0o700
