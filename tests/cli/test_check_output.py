"""What `gpuinfra check` prints: quiet by default, and never against its exit code."""

import json
import shlex
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.benchmarks import twins
from tests.cli.conftest import STACKS

TIGHT = ("per_hour: 8", "per_hour: 1")
COMMAND = "    gpuinfra check "
"""How a line begins that is a command to copy, which is in one piece."""
MISSPELT = ("per_hour: 8", "per_hor: 8")


def test_a_stack_that_passes_says_its_totals_and_pass(gpuinfra, stack):
    ran = gpuinfra("check", stack())

    *above, fabric, totals, ending = ran.out.splitlines()
    assert ran.code == 0
    assert ending == "PASS, 1 warning"
    assert "quickstart: at most $6.6" in totals
    assert "/h (cap $8.00), $4,8" in totals
    assert "/run for machines and disks (cap $20.00)" in totals
    assert fabric == "  trainer: NCCL over RDMA: yes, expected 3.125 GB/s per machine"
    assert above[0].startswith("! time-limit: training.trainer: ")
    assert len(above) == 3


def test_what_is_true_of_many_groups_is_one_line(gpuinfra, tmp_path):
    file = tmp_path / "preview.json"
    twins.preview(file, 30)

    lines = gpuinfra("check", file).out.splitlines()
    verbose = gpuinfra("check", file, "-v").out.splitlines()

    (fabric,) = [line for line in lines if line.startswith("  pool")]
    assert fabric.startswith("  pool0, pool1, pool2: NCCL over RDMA: no; no fabric interface")
    assert sum(line.startswith("  pool") for line in verbose) == 3


def test_the_last_line_counts_what_is_shown_together(gpuinfra, tmp_path):
    file = tmp_path / "stack.yaml"
    file.write_text(
        "version: 1\nname: lab\nowner: ml\nbudget: {per_hour: 60, per_month: 40000}\n"
        "where: {cloud: aws, regions: [us-east-1]}\ntraining:\n"
        + "".join(f'  {name}: {{gpu: "L4:1", duration: 4h}}\n' for name in ("a", "b", "c"))
    )

    *above, ending = gpuinfra("check", file).out.splitlines()

    (line,) = [line for line in above if line.startswith("! ")]
    assert line.startswith("! time-limit: training.a, training.b, training.c: nothing ends it")
    assert ending == "PASS, 3 warnings of 1 kind"


def test_a_warning_is_never_marked_like_an_error(gpuinfra, stack):
    assert "✗" not in gpuinfra("check", stack()).out
    assert "✗" not in gpuinfra("check", stack(), "-v").out


def test_verbose_has_what_is_fine_and_all_has_what_does_not_apply(gpuinfra, stack):
    verbose, everything = (gpuinfra("check", stack(), option).out for option in ("-v", "--all"))

    assert "✓ no-cap: quickstart: " in verbose
    assert "  trainer: billed by use, not counted: NAT gateway, data\n" in verbose
    assert verbose.count("NAT gateway, data") == 2, "once for each workload with a gateway"
    assert "nat-gateway-data" not in verbose
    assert "(-v)" not in verbose
    assert "· " not in verbose
    assert "· " in everything
    assert verbose.splitlines()[-1] == everything.splitlines()[-1] == "PASS, 1 warning"


def test_quiet_has_failures_alone(gpuinfra, stack):
    assert gpuinfra("check", stack(), "-q").out == ""

    ran = gpuinfra("check", stack(TIGHT), "-q")

    assert ran.code == 1
    marks = [line.split()[0] for line in ran.out.splitlines() if not line.startswith(" ")]
    assert marks == ["✗"]


def test_the_verdict_is_printed_before_a_fix_is_searched(gpuinfra, stack, monkeypatch, capsys):
    printed = []

    def search(_):
        printed.append(capsys.readouterr().out)
        return ()

    monkeypatch.setattr("gpuinfra.cli.commands.check_fix.quick", search)

    gpuinfra("check", stack(TIGHT))

    assert printed[0].splitlines()[-1] == "FAIL, 1 error, 1 warning"


def test_a_failure_says_where_what_to_change_and_fail(gpuinfra, stack):
    path = stack(TIGHT)
    ran = gpuinfra("check", path)

    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0].startswith("✗ cap-per-hour: quickstart: ")
    assert "usage-based, not counted" not in ran.out
    assert "8 usage-based charges not counted (-v)" in " ".join(ran.out.split())
    assert lines[1].startswith(f"    at:  {path}:")
    assert lines[2].startswith("    fix: ")
    assert "FAIL, 1 error, 1 warning" in lines


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_its_reader_or_breaks_a_word(gpuinfra, stack, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))

    for option in ("-v", "--all", "-q"):
        wide = [
            line
            for line in gpuinfra("check", stack(TIGHT), option).out.splitlines()
            if len(line) > width and len(line.split()) > 2 and not line.startswith(COMMAND)
        ]
        assert wide == []


@pytest.mark.parametrize("format_", ["json", "sarif", "junit", "github", "markdown"])
def test_bad_input_is_a_document_in_every_format(gpuinfra, stack, tmp_path, format_):
    path, file = stack(MISSPELT), tmp_path / "out"

    printed = gpuinfra("check", path, "--format", format_)
    written = gpuinfra("check", path, "--output", f"{format_}={file}")

    assert printed.code == written.code == 2
    assert file.read_text() == printed.out
    assert "per_hor" in printed.out
    assert "did you mean 'per_hour'?" in written.err


def test_bad_input_has_its_place_in_every_format(gpuinfra, stack):
    path = stack(MISSPELT)

    (problem,) = json.loads(gpuinfra("check", path, "--json").out)["error"]["problems"]
    line = problem["position"]["line"]
    (run,) = json.loads(gpuinfra("check", path, "--format", "sarif").out)["runs"]
    (invocation,) = run["invocations"]
    (case,) = ET.fromstring(gpuinfra("check", path, "--format", "junit").out).iter("testcase")  # noqa: S314

    assert problem["suggestion"] == "per_hour"
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 2
    assert case.get("name").startswith(f"{path}:{line}:")
    assert f"line={line},col=" in gpuinfra("check", path, "--format", "github").out


@pytest.mark.parametrize("arguments", [("cost",), ("plan",), ("cost", "--nothing")])
def test_an_error_of_any_command_is_json_where_that_is_asked(gpuinfra, stack, arguments):
    ran = gpuinfra(*arguments, stack(MISSPELT), "--json")

    assert ran.code == 2
    assert json.loads(ran.out)["error"]["exit_code"] == 2


def test_the_hint_runs_as_it_is_printed(gpuinfra, stack):
    path = stack(TIGHT)
    ran = gpuinfra("check", path)

    (line,) = [line for line in ran.out.splitlines() if "gpuinfra check" in line]
    program, *arguments = shlex.split(line.rpartition(": ")[2])
    assert program == "gpuinfra"
    assert arguments == ["check", str(Path(path)), "--fix"]
    assert gpuinfra(*arguments).code == 1


def test_a_hint_leaves_out_what_is_done_once(gpuinfra, stack):
    waivers = ("--write-waivers", "--reason", "old", "--owner=me", "--until", "2026-12-01")
    path = stack(TIGHT)
    ran = gpuinfra("check", path, *waivers, "--as-of", "2026-11-21")

    assert f": gpuinfra check {path} --as-of 2026-11-21 --fix" in ran.out


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_color_is_respected(gpuinfra, stack, monkeypatch, variable, value):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    coloured = gpuinfra("check", stack()).out
    monkeypatch.setenv(variable, value)

    assert "\x1b[" in coloured
    assert "\x1b[" not in gpuinfra("check", stack()).out


@pytest.mark.parametrize(("cloud", "told"), [("", True), ("cloud: any, ", False)])
def test_regions_of_several_clouds_are_told(gpuinfra, tmp_path, cloud, told):
    text = (STACKS / "startup-aws" / "stack.yaml").read_text()
    aws, both = "cloud: aws, regions: [us-east-1]", f"{cloud}regions: [us-east-1, eastus]"
    assert aws in text
    path = tmp_path / "stack.yaml"
    path.write_text(text.replace(aws, both))

    words = "where: aws us-east-1, azure eastus: each workload goes to the cheapest"
    assert (words in gpuinfra("check", path).out) is told


def test_a_note_is_shown_where_more_is_asked_for(gpuinfra):
    source = STACKS / "startup-gcp"

    assert "secure-boot" not in gpuinfra("check", source).out
    shown = " ".join(gpuinfra("check", source, "-v").out.split())
    assert "· secure-boot: training.trainer: its machine type supports secure boot" in shown
    assert "note: no key of a stack file turns secure boot on" in shown


def test_a_fabric_that_the_file_declines_is_not_advised(gpuinfra):
    told = gpuinfra("check", STACKS / "startup-aws").out

    chosen = "trainer: NCCL over RDMA: no, as chosen (fabric: none); g4dn.xlarge has no fabric"
    assert chosen in told


def test_verbose_findings_name_the_command_that_explains_their_rule(gpuinfra, quickstart):
    assert "    more: gpuinfra explain time-limit\n" in gpuinfra("check", quickstart, "-v").out
    assert "more:" not in gpuinfra("check", quickstart).out
