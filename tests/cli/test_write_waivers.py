"""`gpuinfra check --write-waivers`: adopting the rules on a stack that is there."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.api.check_settings import WAIVER_FILE
from gpuinfra.cli.commands import check_waive
from gpuinfra.pulumi_files import waivers as file
from gpuinfra.stackfile import read_stack_file
from tests.cli.conftest import Run
from tests.pulumi_files.files import SECRET, SIGNATURE, digest, entry, put, state, step

DAY = ("--as-of", "2026-11-21")
WRITE = ("--write-waivers", "--reason", "it was there before", *DAY)
SETTINGS = "budget: {per_hour: 100}\nprices: {accept_outdated: true}\n"

Stack = Callable[..., Path]


def machine(name: str = "gpu", **inputs: object) -> dict:
    given = {"instanceType": "g6.xlarge", "associatePublicIpAddress": True, **inputs}
    return entry(name, inputs=given)


def preview(folder: Path, *entries: dict) -> tuple[object, ...]:
    """A preview of machines with public addresses and what they may cost, as arguments."""
    path = put(folder, digest(*(step(newState=entry, urn=entry["urn"]) for entry in entries)))
    settings = put(folder, SETTINGS, "settings.yaml")
    return ("check", path, "--settings", settings)


def refusing(out: str) -> set[tuple[str, str]]:
    findings = json.loads(out)["findings"]
    return {
        (finding["rule"], finding["subject"])
        for finding in findings
        if finding["level"] == "mandatory" and finding["outcome"] in {"violated", "not-knowable"}
    }


def test_afterwards_the_check_of_a_preview_is_fine(gpuinfra: Run, tmp_path: Path) -> None:
    arguments = preview(tmp_path, machine())
    before = refusing(gpuinfra(*arguments, "--json", *DAY).out)
    assert len(before) > 1

    ran = gpuinfra(*arguments, *WRITE, "--owner", "ml")

    assert ran.code == 0
    place = tmp_path / WAIVER_FILE
    assert f"wrote {len(before)} waivers to {place}" in ran.err
    assert f", {len(before)} waived" in ran.out
    written = file.read_waivers(place).form.waivers
    assert {waiver.rule for waiver in written} == {rule for rule, _ in before}
    assert "gpu" in {waiver.resource for waiver in written}
    assert {(waiver.reason, waiver.owner, str(waiver.until)) for waiver in written} == {
        ("it was there before", "ml", "2027-02-19")
    }
    assert gpuinfra(*arguments, *DAY).code == 0


def test_it_is_written_once(gpuinfra: Run, tmp_path: Path) -> None:
    arguments = preview(tmp_path, machine())
    assert gpuinfra(*arguments, *WRITE, "--owner", "ml").code == 0
    first = (tmp_path / WAIVER_FILE).read_bytes()

    ran = gpuinfra(*arguments, *WRITE, "--owner", "other")

    assert (tmp_path / WAIVER_FILE).read_bytes() == first
    assert "no waiver was written" in ran.err


def test_what_is_there_stays_and_what_is_new_comes_after_it(gpuinfra: Run, tmp_path: Path) -> None:
    old = (
        "# ours\nversion: 1\nwaivers:\n  # agreed on Monday\n"
        "  - {rule: public-address, resource: 'g*', reason: old, owner: a, until: 2026-12-31}"
        "\n# the end\n"
    )
    place = put(tmp_path, old, WAIVER_FILE)
    place.chmod(0o640)
    link = tmp_path / "linked.yaml"
    link.symlink_to(place)

    ran = gpuinfra(*preview(tmp_path, machine()), *WRITE, "--owner", "b", "--waivers", link)

    assert ran.code == 0
    text = place.read_text()
    head, end = old[: old.index("\n# the end")], "\n# the end\n"
    assert text.startswith(head)
    assert text.endswith(end)
    rules = [waiver.rule for waiver in file.read_waivers(place).form.waivers]
    assert rules[0] == "public-address"
    assert len(rules) == len(set(rules))
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    assert link.is_symlink()


def test_a_stack_file_is_edited_in_place(gpuinfra: Run, stack: Stack) -> None:
    path = stack(("spot-share: {minimum: 40%}", "spot-share: {minimum: 100%}"))
    before = path.read_text()

    ran = gpuinfra("check", path, *WRITE)

    assert ran.code == 0
    assert path.read_text().startswith(before)
    (waiver,) = read_stack_file(path).stack.waivers
    assert (waiver.rule, waiver.resource, waiver.owner) == (
        "spot-share",
        "quickstart",
        "ml-platform",
    )
    assert "# 4 of 5 GPUs on spot, below the minimum of 100%" in path.read_text()


def test_a_lock_that_no_longer_matches_is_told(gpuinfra: Run, stack: Stack) -> None:
    path = stack(("spot-share: {minimum: 40%}", "spot-share: {minimum: 100%}"))
    assert gpuinfra("lock", path).code == 0

    ran = gpuinfra("check", path, *WRITE)

    assert ran.code == 0
    assert "gpuinfra.lock no longer matches; write it again: gpuinfra lock " in ran.err
    assert gpuinfra("lock", path, "--update").code == 0
    assert gpuinfra("check", path, *DAY).code == 0


def test_what_can_not_be_waived_is_said_and_refuses_still(gpuinfra: Run, stack: Stack) -> None:
    path = stack(("per_hour: 8", "per_hour: 1"))
    before = path.read_text()

    ran = gpuinfra("check", path, *WRITE)

    assert ran.code == 1
    assert "not waived: 1 × cap-per-hour: can't be waived, fix it" in ran.err
    assert path.read_text() == before


def test_a_wrong_waiver_is_left_to_somebody(gpuinfra: Run, tmp_path: Path) -> None:
    ended = "{rule: public-address, resource: gpu, reason: r, owner: a, until: 2026-01-01}"
    put(tmp_path, f"waivers: [{ended}]\n", WAIVER_FILE)

    ran = gpuinfra(*preview(tmp_path, machine()), "-v", *WRITE, "--owner", "b")

    assert ran.code == 1
    assert "not waived: 1 × waiver: an invalid waiver" in ran.err
    assert "ended on 2026-01-01" in ran.out
    assert "~ public-address" in ran.out


def test_a_name_that_several_have_is_written_in_full(gpuinfra: Run, tmp_path: Path) -> None:
    twins = [machine("gpu"), machine("gpu")]
    twins[1]["urn"] = twins[1]["urn"].replace("aws:ec2", "parent$aws:ec2")
    arguments = preview(tmp_path, *twins, machine("other"))

    assert gpuinfra(*arguments, *WRITE, "--owner", "ml").code == 0

    written = file.read_waivers(tmp_path / WAIVER_FILE).form.waivers
    named = {waiver.resource for waiver in written if waiver.rule == "public-address"}
    assert named == {twins[0]["urn"], twins[1]["urn"], "other"}


@pytest.mark.parametrize(
    "name", ["a*b", "a[1]", "?", "a: #b", 'it\'s "so"', "\u00fc\u4e2d", "- x", "{y}", "%", "&a"]
)
def test_any_name_is_waived_as_it_is_and_no_other(
    gpuinfra: Run, tmp_path: Path, name: str
) -> None:
    assert gpuinfra(*preview(tmp_path, machine(name)), *WRITE, "--owner", "ml").code == 0

    other = gpuinfra(*preview(tmp_path, machine(f"{name}x"), machine("axb"), machine("a1")), *DAY)
    assert "~ " not in other.out


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", "x" * 600, " "])
def test_a_name_that_no_pattern_holds_is_told(gpuinfra: Run, tmp_path: Path, name: str) -> None:
    ran = gpuinfra(*preview(tmp_path, machine(name), machine("gpu")), *WRITE, "--owner", "ml")

    assert ran.code == 1
    assert "no pattern can match its name" in ran.err
    assert "\x1b" not in ran.err
    assert {
        waiver.resource for waiver in file.read_waivers(tmp_path / WAIVER_FILE).form.waivers
    } == {"gpu"}


def test_a_secret_in_a_name_is_not_written(gpuinfra: Run, tmp_path: Path) -> None:
    gpu = machine("gpu-hunter22", id="i-1")
    gpu["inputs"]["keyName"] = {SIGNATURE: SECRET, "plaintext": json.dumps("hunter22")}
    path = put(tmp_path, state({**gpu, "id": "i-1"}), "state.json")
    settings = put(tmp_path, f"{SETTINGS}region: us-east-1\n", "settings.yaml")

    ran = gpuinfra("check", path, "--settings", settings, *WRITE, "--owner", "ml")

    text = (tmp_path / WAIVER_FILE).read_text()
    assert "hunter22" not in text + ran.out + ran.err
    assert "resource: gpu-*" in text or 'resource: "gpu-*"' in text
    assert ran.code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--write-waivers"], "--reason is missing"),
        (["--reason", "x", "--owner", "y"], "--owner and --reason without --write-waivers"),
        (["--write-waivers", "--reason", "x"], "--owner is missing"),
        (["--write-waivers", "--reason", "x", "--owner", "a|b"], "owner"),
        (["--write-waivers", "--reason", "x\ny", "--owner", "a"], "reason"),
        (
            ["--write-waivers", "--reason", "x", "--owner", "a", "--until", "2027-05-21"],
            "from 2026-11-21 to 2027-05-20: at most 180 days ahead",
        ),
        (
            ["--write-waivers", "--reason", "x", "--owner", "a", "--until", "2026-11-20"],
            "--until is not an allowed date",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_bad_input(
    gpuinfra: Run, tmp_path: Path, options: list[str], words: str
) -> None:
    ran = gpuinfra(*preview(tmp_path, machine()), *DAY, *options)

    assert ran.code == 2
    assert words in ran.err
    assert ran.out == ""
    assert not (tmp_path / WAIVER_FILE).exists()


def test_the_last_day_is_given_or_as_far_as_it_may_be(gpuinfra: Run, tmp_path: Path) -> None:
    text = f"{SETTINGS}rules: {{waiver: {{most_days: 20}}}}\n"
    arguments = preview(tmp_path, machine())
    put(tmp_path, text, "settings.yaml")
    new = tmp_path / "new.yaml"

    assert gpuinfra(*arguments, *WRITE, "--owner", "ml").code == 0
    given = ("--owner", "ml", "--until", "2026-12-01", "--waivers", new)
    assert gpuinfra(*arguments, *WRITE, *given).code == 0

    days = [
        {str(waiver.until) for waiver in file.read_waivers(path).form.waivers}
        for path in (tmp_path / WAIVER_FILE, new)
    ]
    assert days == [{"2026-12-11"}, {"2026-12-01"}]


def test_a_folder_that_may_not_be_written_is_told(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = Path("missing", "w.yaml")

    ran = gpuinfra(*preview(tmp_path, machine()), *WRITE, "--owner", "a", "--waivers", named)

    assert ran.code == 2
    assert "the waivers can't be written" in ran.err
    assert str(named) in ran.err


def test_json_on_the_way_out_stays_json(gpuinfra: Run, tmp_path: Path) -> None:
    ran = gpuinfra(*preview(tmp_path, machine()), *WRITE, "--owner", "ml", "--json")

    assert json.loads(ran.out)["ok"] is True


def test_more_than_anybody_looks_through_is_refused(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = preview(tmp_path, *(machine(f"gpu-{n}") for n in range(9)))
    monkeypatch.setattr(check_waive, "MAX_NEW_WAIVERS", 8)

    ran = gpuinfra(*arguments, *WRITE, "--owner", "ml")

    assert ran.code == 2
    assert "waivers at once are too many to review" in ran.err
    assert "9 × public-address" in ran.err
    assert not (tmp_path / WAIVER_FILE).exists()


def test_the_last_day_there_is_is_late_enough(gpuinfra: Run, tmp_path: Path) -> None:
    late = ("--as-of", "9999-12-01", "--write-waivers", "--reason", "x", "--owner", "ml")

    assert gpuinfra(*preview(tmp_path, machine()), *late).code in {0, 1}
    days = {str(waiver.until) for waiver in file.read_waivers(tmp_path / WAIVER_FILE).form.waivers}
    assert days == {"9999-12-31"}
