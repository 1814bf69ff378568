import json
from typing import Any

import pytest

GOOD = {
    "gpus": 8,
    "links": "NV18",
    "broken_link": "",
    "ecc": "0",
    "pending": "[N/A]",
    "rows": "No, No",
    "driver": "570.133.20",
    "efa": 4,
    "journal": "",
}

SMI = """\
# As an NVIDIA H200 answered on 2026-11-26, driver 580.159.04, one GPU more or less.
case "$*" in
  --list-gpus) cat {root}/gpus ;;
  "topo -m") cat {root}/topology ;;
  *driver_version*) for one in $(seq {gpus}); do echo {driver}; done ;;
  *query-gpu=index*) for one in $(seq 0 $(({gpus} - 1))); do
      if ((one == 3)); then echo "$one, {ecc}, {pending}"; else echo "$one, 0, [N/A]"; fi
    done ;;
  *remapped*) for one in $(seq {gpus}); do echo "GPU-0$one, {rows}"; done ;;
  *) exit 9 ;;
esac
"""

AFFINITY = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")


def topology(gpus: int, links: str, broken: str) -> str:
    """What nvidia-smi shows of a machine, with its underlined head."""
    names = [f"GPU{n}" for n in range(gpus)]
    head = "\t\x1b[4m" + "\t".join([*names, "NIC0", *AFFINITY]) + "\x1b[0m"
    rows = [
        "\t".join(
            [
                f"GPU{row}",
                *(
                    " X "
                    if row == other
                    else ("SYS" if broken == f"{min(row, other)}{max(row, other)}" else links)
                    for other in range(gpus)
                ),
                "PIX",
                *("0-95", "0", "", "N/A"),
            ]
        )
        for row in range(gpus)
    ]
    return "\n".join([head, *rows, "NIC0\tPIX\tSYS\t X ", "", "Legend:", "  X    = Self", ""])


def examined(
    machine, *, nodes: int = 4, fails: bool = False, settings: str = "", **more: Any
) -> dict[str, Any]:
    """The report of a machine that should have eight GPUs joined by NVLink, and four EFA."""
    here = {**GOOD, **more}
    root, gpus = machine.root, here["gpus"]
    machine.install("preflight.sh")
    machine.file("etc/gpuinfra/env", f"GPUINFRA_REGION=us-east-1\nGPUINFRA_NODES={nodes}\n")
    machine.file(
        "etc/gpuinfra/preflight",
        "ACCELERATOR=nvidia\nDEVICES=8\nNVLINK=all\nEFA=4\nDRIVER=570\nXIDS='48 79'\n" + settings,
    )
    machine.file("gpus", "".join(f"GPU {n}: NVIDIA H100 (UUID: GPU-{n})\n" for n in range(gpus)))
    machine.file("topology", topology(gpus, here["links"], here["broken_link"]))
    machine.stand_in("nvidia-smi", SMI.format(root=root, **here))
    machine.stand_in(
        "fi_info",
        f"for n in $(seq {here['efa']}); do printf 'provider: efa\\n    fabric: efa\\n"
        "    domain: rdmap%s-rdm\\n' $n; done",
    )
    machine.file("journal", here["journal"])
    machine.stand_in("journalctl", f"cat {root}/journal")
    machine.stand_in("curl", "case $* in *PUT*) echo token ;; *) echo i-0a ;; esac")
    machine.stand_in("aws", "")
    if "smi" in more:
        machine.stand_in("nvidia-smi", more["smi"])
    done = machine.program("gpuinfra-preflight")
    report: dict[str, Any] = json.loads((root / "var/lib/gpuinfra/preflight.json").read_text())
    assert done.returncode == (0 if report["passed"] else 1), done.stderr
    assert all(fault in done.stderr for fault in report["faults"])
    return report


def told(machine) -> list[str]:
    return [call for call in machine.calls if call.startswith("aws ")]


PASSED = (
    "aws ec2 create-tags --region us-east-1 --resources i-0a"
    " --tags Key=gpuinfra:preflight,Value=passed"
)
FAILED = PASSED.replace("passed", "failed")
UNHEALTHY = (
    "aws autoscaling set-instance-health --region us-east-1 --instance-id i-0a"
    " --health-status Unhealthy --no-should-respect-grace-period"
)


def test_a_good_machine_passes_and_says_so_to_its_peers(machine) -> None:
    report = examined(machine)

    assert (report["passed"], report["devices"], report["efa"]) == (True, 8, 4)
    assert (report["faults"], report["unknown"]) == ([], [])
    assert told(machine) == [PASSED]


def test_a_machine_alone_has_nobody_to_tell(machine) -> None:
    assert examined(machine, nodes=1)["passed"]
    assert told(machine) == []


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"gpus": 7}, "7 GPUs, where the machine has 8"),
        ({"broken_link": "25"}, "no NVLink between GPU2 and GPU5"),
        ({"ecc": "2"}, "GPU 3: 2 uncorrectable memory errors"),
        ({"pending": "Yes"}, "GPU 3: memory pages wait to be retired"),
        ({"rows": "Yes, No"}, "memory rows wait to be remapped"),
        ({"rows": "No, Yes"}, "a memory row could not be remapped"),
        ({"efa": 3}, "3 EFA devices, where the machine has 4"),
        (
            {"journal": "NVRM: Xid (PCI:0000:10:1c): 79, pid='<unknown>', GPU has fallen\n"},
            "the driver reports a broken GPU: Xid 79",
        ),
        (
            {"smi": 'echo "NVIDIA-SMI has \\"failed\\""; exit 9'},
            'nvidia-smi fails: NVIDIA-SMI has "failed"',
        ),
    ],
    ids=["GPU", "NVLink", "ECC", "retired", "remap", "unmapped", "EFA", "Xid", "driver gone"],
)
def test_a_broken_machine_stays_out_and_is_given_back(
    machine, more: dict[str, Any], fault: str
) -> None:
    report = examined(machine, **more)

    assert not report["passed"]
    assert any(fault in reported for reported in report["faults"]), report
    assert told(machine) == [FAILED, UNHEALTHY]


def test_what_a_program_did_wrong_breaks_no_machine(machine) -> None:
    assert examined(machine, journal="NVRM: Xid (PCI:0000:10:1c): 31, pid=9, MMU Fault\n")[
        "passed"
    ]


def test_an_old_driver_keeps_the_machine_out_but_another_would_have_it_too(machine) -> None:
    report = examined(machine, driver="535.183.01")

    assert report["faults"] == ["driver 535.183.01, where the job needs 570; another image has it"]
    assert told(machine) == [FAILED]


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("*driver_version*) ", "the driver's version"),
        ('"topo -m") ', "NVLink"),
        ("*query-gpu=index*) ", "memory errors"),
        ("*remapped*) ", "remapped memory rows"),
    ],
)
def test_what_the_driver_cannot_say_is_unknown_and_no_fault(
    machine, question: str, unknown: str
) -> None:
    examined(machine)
    smi = machine.bin / "nvidia-smi"
    smi.write_text(smi.read_text().replace(question, f"{question}exit 2; "))
    machine.program("gpuinfra-preflight")
    report = json.loads((machine.root / "var/lib/gpuinfra/preflight.json").read_text())

    assert report["passed"]
    assert report["unknown"] == [unknown]


@pytest.mark.parametrize(("links", "passed"), [("SYS", False), ("NV1", True)])
def test_a_mesh_needs_nvlink_to_some_others(machine, links: str, passed: bool) -> None:
    report = examined(machine, settings="NVLINK=some\n", links=links)

    assert report["passed"] is passed


def test_a_machine_without_nvlink_is_not_asked_for_it(machine) -> None:
    assert examined(machine, settings="NVLINK=none\n", links="SYS")["passed"]


def test_a_machine_that_is_well_again_after_a_reboot_passes(machine) -> None:
    assert not examined(machine, gpus=7)["passed"]
    machine.forget()

    assert examined(machine)["passed"]
    assert told(machine) == [PASSED]


def test_where_no_group_takes_it_away_it_stays_out_all_the_same(machine) -> None:
    examined(machine, gpus=7)
    machine.stand_in("aws", "[[ $1 != autoscaling ]]")
    done = machine.program("gpuinfra-preflight")

    assert done.returncode == 1
    assert "no scaling group takes this machine away" in done.stderr


@pytest.mark.parametrize(("devices", "passed"), [(16, True), (15, False)])
def test_trainium_is_counted_by_its_own_tool(machine, devices: int, passed: bool) -> None:
    machine.stand_in(
        "neuron-ls", f"for n in $(seq {devices}); do echo '{{\"neuron_device\": '$n'}}'; done"
    )
    report = examined(
        machine, settings="ACCELERATOR=neuron\nDEVICES=16\n", smi="echo not called here; exit 99"
    )

    assert report["passed"] is passed
    assert not any(call.startswith("nvidia-smi") for call in machine.calls)


def test_a_role_that_is_not_known_yet_is_waited_for(machine) -> None:
    examined(machine)
    machine.forget()
    machine.stand_in("aws", f"[[ $(grep -c ^aws {machine.root}/calls) -ge 3 ]]")

    assert machine.program("gpuinfra-preflight").returncode == 0
    assert told(machine) == [PASSED] * 3


def test_a_machine_that_cannot_tell_who_it_is_stays_out(machine) -> None:
    examined(machine)
    machine.stand_in("curl", "exit 7")

    assert machine.program("gpuinfra-preflight").returncode != 0
