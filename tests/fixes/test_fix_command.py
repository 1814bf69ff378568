"""`gpuinfra check --fix` shows the difference, asks, and writes the file in place."""

import io
import json
import os
import re
import stat
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from gpuinfra.cli.commands import check_fix as command
from gpuinfra.errors import RefusedError
from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414
from tests.fixes.conftest import AS_OF, WITHOUT_RDMA

OVER = ("per_hour: 120", "per_hour: 60")
ON_SPOT = ("capacity: on-demand", "capacity: [spot, on-demand] # a ladder\n    max_price: 40")


@pytest.fixture
def over(text, write) -> Path:
    """A stack file whose maximum price for spot takes it over the cap."""
    return write(text(OVER, ON_SPOT))


def test_it_is_shown_and_not_written_where_nobody_can_be_asked(over, gpuinfra):
    before = over.read_bytes()

    ran = gpuinfra("check", over, "--fix", *AS_OF)

    assert ran.code == 1
    assert over.read_bytes() == before
    assert "-    max_price: 40\n+    max_price: 29.92\n" in ran.out
    assert "\nafter it: PASS" in ran.out
    assert "\nper hour: at most $" in ran.out
    assert " (-46%)\n" in ran.out
    assert "✗" not in ran.out
    assert "fabric of trainer unchanged: NCCL over RDMA: yes" in ran.out
    assert "not written: add --yes" in ran.err


def test_it_is_written_and_the_new_verdict_counts(over, gpuinfra):
    before = over.read_text()

    ran = gpuinfra("check", over, "--fix", "--yes", *AS_OF)

    assert ran.code == 0
    assert over.read_text() == before.replace("max_price: 40", "max_price: 29.92")
    assert f"wrote {over}" in ran.out
    assert "\nPASS, " in ran.out


NO_CAP = """\
owner: t
where: {regions: [us-east-1]}
training: {tune: {gpu: H100:8, duration: 24h, checkpoints: {bucket: runs, every: 10m}}}
buckets: {runs: {size: 500GB}}
"""


@pytest.mark.parametrize("options", [(), ("--yes",)], ids=["shown", "written"])
def test_a_warning_that_stays_as_a_note_is_not_called_fixed(write, gpuinfra, options):
    path = write(NO_CAP)
    assert "! cloud-budget: " in gpuinfra("check", path, *AS_OF).out

    ran = gpuinfra("check", path, "--fix", *options, *AS_OF)

    fixed, noted = re.search(
        r"^fixes: (.*)\nonly noted from then on: (.*)$", ran.out, re.MULTILINE
    ).groups()
    assert fixed.split(" ")[0] == "no-cap"
    assert noted.split(" ")[0] == "cloud-budget"


@pytest.mark.parametrize("options", [(), ("--yes",)], ids=["shown", "written"])
def test_edits_for_warnings_are_shown_and_not_written(write, gpuinfra, options):
    path = write(NO_CAP)

    ran = gpuinfra("check", path, "--fix", *options, *AS_OF)

    add = "time-limit: to fix it, add training.tune.time_to_live: 30h (-$38,5"
    assert ran.out.count(add) == 1
    assert "time_to_live" not in path.read_text()


def test_the_verdict_after_new_waivers_is_printed(text, write, gpuinfra):
    path = write(text(ON_SPOT, ("    checkpoints: {bucket: data}\n", "")))
    waive = ("--write-waivers", "--reason", "a test", "--owner", "ml", "--until", "2026-12-01")

    ran = gpuinfra("check", path, "--fix", *waive, *AS_OF)

    assert "\nafter it: " in ran.out
    assert ran.out.splitlines()[-1].startswith("PASS, ")


def test_a_table_in_a_file_is_whole_though_the_fix_was_shown(over, gpuinfra, tmp_path):
    file = tmp_path / "table.txt"

    gpuinfra("check", over, "--fix", "--output", "table=-", "--output", f"table={file}", *AS_OF)

    assert "✗ cap-per-hour: " in file.read_text()


def test_what_the_fix_of_all_settles_is_not_told_again(text, write, gpuinfra):
    without = ("    checkpoints: {bucket: data}\n", "")
    both = write(text(OVER, ON_SPOT, without))

    out = gpuinfra("check", both, *AS_OF).out
    fixes = json.loads(gpuinfra("check", both, "--json", *AS_OF).out)["fixes"]

    assert [fix["whole"] for fix in fixes] == [True, False, False]
    assert out.count("the check passes with ") == 1
    assert "fixed by" not in out


@pytest.mark.parametrize("answer", [True, False])
def test_a_person_is_asked(over, gpuinfra, monkeypatch, answer):
    monkeypatch.setattr(command, "_is_confirmed", lambda *_: answer)

    assert gpuinfra("check", over, "--fix", *AS_OF).code == (0 if answer else 1)
    assert ("max_price: 29.92" in over.read_text()) is answer


def test_advice_on_a_stack_that_is_fine_is_told_as_not_written(text, write, gpuinfra):
    path = write(text())
    before = path.read_bytes()

    ran = gpuinfra("check", path, "--fix", "--yes", *AS_OF)

    assert (ran.code, path.read_bytes()) == (0, before)
    assert "time-limit: to fix it, add training.trainer.time_to_live: " in ran.out
    assert "no finding fails the check: --fix writes no edit for a warning" in ran.err


def test_a_warning_without_an_edit_is_no_reason_to_say_that_nothing_is_to_fix(write, gpuinfra):
    path = write(WITHOUT_RDMA.replace("required", "preferred"))

    ran = gpuinfra("check", path, "--fix", *AS_OF)

    assert (ran.code, "PASS, 1 warning" in ran.out) == (0, True), ran.out
    assert "no finding fails the check: --fix writes no edit for a warning" in ran.err


def test_a_search_that_finds_no_edit_says_that_nothing_was_written(text, write, gpuinfra):
    path = write(text(("per_hour: 120", "per_hour: 0.01")))
    before = path.read_bytes()

    ran = gpuinfra("check", path, "--fix", "--yes", *AS_OF)

    assert (ran.code, path.read_bytes()) == (1, before)
    assert "nothing was written: no edit was found that makes the check pass" in ran.err


def test_what_can_not_be_planned_is_fixed(text, write, gpuinfra):
    path = write(text(("p5.48xlarge", "g6.xlarge")))

    ran = gpuinfra("check", path, "--fix", "--yes", *AS_OF)

    assert ran.code == 0
    assert "instance: g6.8xlarge   # eight H100" in path.read_text()


def test_what_can_not_be_planned_stays_bad_input_where_nothing_is_written(text, write, gpuinfra):
    ran = gpuinfra("check", write(text(("p5.48xlarge", "g6.xlarge"))), "--fix", *AS_OF)

    assert ran.code == 2
    assert "+    instance: g6.8xlarge" in ran.out
    assert "no machine type fits" in ran.err


def test_a_faulty_file_stays_bad_input(text, write, gpuinfra):
    ran = gpuinfra("check", write(text(("nodes: 2", "knots: 2"))), "--fix", "--yes", *AS_OF)

    assert ran.code == 2
    assert "knots" in ran.err


def test_the_file_keeps_its_rights_its_mark_and_its_link(over, tmp_path, gpuinfra):
    over.write_bytes(b"\xef\xbb\xbf" + over.read_bytes().replace(b"\n", b"\r\n"))
    over.chmod(0o640)
    link = tmp_path / "other" / "stack.yaml"
    link.parent.mkdir()
    link.symlink_to(over)

    assert gpuinfra("check", link, "--fix", "--yes", *AS_OF).code == 0

    data = over.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\n") == data.count(b"\r\n")
    assert stat.S_IMODE(over.stat().st_mode) == 0o640
    assert link.is_symlink()


def test_a_file_that_changed_meanwhile_is_left_alone(over, gpuinfra, monkeypatch):
    def changes(*_):
        over.write_text(over.read_text() + "# somebody else\n")
        return True

    monkeypatch.setattr(command, "_is_confirmed", changes)

    ran = gpuinfra("check", over, "--fix", *AS_OF)

    assert ran.code == RefusedError.exit_code
    assert "changed after it was read; no change was written" in ran.err
    assert "FAIL" not in ran.err
    assert "max_price: 40" in over.read_text()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_told(over, gpuinfra):
    over.parent.chmod(0o500)
    try:
        ran = gpuinfra("check", over, "--fix", "--yes", *AS_OF)
    finally:
        over.parent.chmod(0o700)
    assert ran.code == 2
    assert "can't be written" in ran.err


def test_a_lock_has_to_be_written_anew(over, gpuinfra):
    assert gpuinfra("lock", over).code == 0
    assert "then gpuinfra lock SOURCE --update" in gpuinfra("check", over, *AS_OF).out

    ran = gpuinfra("check", over, "--fix", "--yes", *AS_OF)

    assert ran.code == RefusedError.exit_code
    assert "gpuinfra.lock will no longer match; write it again: gpuinfra lock " in ran.out
    assert "max_price: 29.92" in over.read_text()
    assert gpuinfra("lock", over, "--update").code == 0
    assert gpuinfra("check", over, *AS_OF).code == 0


def test_what_can_not_be_written_is_to_be_done_by_hand(text, write, gpuinfra):
    ladder = "capacity:\n      - spot # first\n      - on-demand\n    max_price: &most 40"
    path = write(text(OVER, ("capacity: on-demand", ladder)))

    ran = gpuinfra("check", path, "--fix", "--yes", *AS_OF)

    assert ran.code == 2
    assert "edit by hand: training.trainer.max_price: 29.92, now 40" in ran.err
    assert "shared through an anchor" in ran.err


def test_json_stays_json(over, gpuinfra):
    ran = gpuinfra("check", over, "--fix", "--json", *AS_OF)

    fix, *advised = json.loads(ran.out)["fixes"]
    assert fix["settles"] == [["cap-per-hour", "demo"]]
    assert fix["whole"] is True
    assert fix["edits"][0]["path"] == ["training", "trainer", "max_price"]
    assert fix["edits"][0]["after"] == 29.92
    assert fix["effect"]["per_hour"]["before"] > fix["effect"]["per_hour"]["after"]
    assert "+    max_price: 29.92" in ran.err
    assert ["time-limit", "training.trainer"] in advised[0]["settles"]


def test_a_table_of_what_refuses_names_the_fix(over, gpuinfra):
    ran = gpuinfra("check", over, *AS_OF)

    assert "the check passes with training.trainer.max_price: 29.92, now 40" in ran.out
    again = f"gpuinfra check {over} --as-of"
    assert f"  look further for edits, and write them: {again}" in ran.out


def test_yes_alone_is_refused(over, gpuinfra):
    ran = gpuinfra("check", over, "--yes")

    assert ran.code == 2
    assert "--yes requires --fix, to write an edit without" in ran.err


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_at_a_terminal_is_asked(over, gpuinfra, monkeypatch, answer):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(f"{answer}\n"))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    assert gpuinfra("check", over, "--fix", *AS_OF).code == (0 if answer == "y" else 1)
    assert ("max_price: 29.92" in over.read_text()) is (answer == "y")


def test_a_search_that_was_stopped_is_told(text, write, gpuinfra, monkeypatch):
    monkeypatch.setattr("gpuinfra.fixes.trial_budgets.THOROUGH", 90)

    ran = gpuinfra("check", write(text(("per_hour: 120", "per_hour: 100"))), "--fix", *AS_OF)

    assert "the search was stopped after 90 trials: a better fix may exist" in ran.out


def test_the_number_of_tried_edits_is_shown_meanwhile(over, gpuinfra, monkeypatch):
    shown = []
    monkeypatch.setattr(command, "show_waiting", lambda _: nullcontext(shown.append))

    gpuinfra("check", over, "--fix", *AS_OF)

    assert shown[:2] == ["1 tried", "2 tried"]


def test_partial_alone_is_refused(over, gpuinfra):
    ran = gpuinfra("check", over, "--fix", "--partial")

    assert ran.code == 2
    assert "--partial requires --yes, to write an edit after which the check still" in ran.err
