import errno
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import lock, source
from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import tables
from tests.cli.conftest import Run
from tests.cli.documents import documented
from tests.lock.forging import forge, set_price

Stack = Callable[..., Path]
READERS = ["check", "plan", "cost"]


def test_a_first_lock_is_written_and_shown(gpuinfra: Run, stack: Stack) -> None:
    path = stack()

    ran = gpuinfra("lock", path)

    assert ran.code == 0
    assert f"wrote {lock.lock_path(path)}" in ran.out
    assert "g6.8xlarge" in ran.out
    assert "at most $6.68 an hour" in ran.out
    assert "--resolve-images" in ran.err


def test_a_lock_that_is_there_is_left_as_it_is(gpuinfra: Run, locked: Path) -> None:
    before = lock.lock_path(locked).read_bytes()

    ran = gpuinfra("lock", locked)

    assert ran.code == 0
    assert ran.out.startswith("unchanged: ")
    assert lock.lock_path(locked).read_bytes() == before


@pytest.mark.parametrize("verb", READERS)
def test_a_matching_lock_changes_no_answer(gpuinfra: Run, stack: Stack, verb: str) -> None:
    path = stack()
    whole = ["-v"] if verb == "check" else []
    before = gpuinfra(verb, path, *whole)

    gpuinfra("lock", path)
    after = gpuinfra(verb, path, *whole)

    assert after.code == before.code
    by_lock = "  machines, prices and images are those of gpuinfra.lock"
    growth = "✓ cost-growth: quickstart: at most 10% more than its lock"
    rest = [line for line in after.out.splitlines() if line not in {by_lock, growth}]
    assert rest == before.out.splitlines()
    assert (by_lock in after.out, growth in after.out) == (verb == "check", verb == "check")


def test_a_stack_that_fails_is_locked_and_its_rules_are_named(gpuinfra: Run, stack: Stack) -> None:
    ran = gpuinfra("lock", stack(("per_hour: 8", "per_hour: 0.10"), ("per_run: 20", "per_run: 1")))

    assert ran.code == 0
    assert ran.err.splitlines()[-1] == "check fails: cap-per-hour, cap-per-run"


@pytest.mark.parametrize("verb", ["plan", "cost", "report"])
def test_what_only_reads_shows_a_stack_that_moved_on_with_a_note(
    gpuinfra: Run, locked: Path, stack: Stack, tmp_path: Path, verb: str
) -> None:
    path = stack(("nodes: 2", "nodes: 3"))
    more = ["--output", tmp_path / "page.html"] if verb == "report" else []

    ran = gpuinfra(verb, path, *more)
    told = " ".join(ran.err.split())

    assert "gpuinfra.lock is stale and does not count here" in told
    assert f"gpuinfra lock {path} --update; what changed: gpuinfra cost {path} --diff" in told
    assert gpuinfra("check", path).code == 1


@pytest.mark.parametrize("verb", ["check", "lock", "preview", "up"])
def test_a_stack_that_moved_on_is_refused_with_what_changed(
    gpuinfra: Run, locked: Path, stack: Stack, verb: str
) -> None:
    path = stack(("nodes: 2", "nodes: 3"))
    before = lock.lock_path(locked).read_bytes()

    ran = gpuinfra(verb, path, *(["--target", "sandbox"] if verb in {"preview", "up"} else []))

    assert ran.code == 1
    assert "training.trainer.nodes: 2 -> 3" in ran.err
    assert f"gpuinfra lock {path} --update" in ran.err
    assert ran.err.endswith("\nFAIL, 1 error\n") == (verb == "check")
    assert ran.out == ""
    assert lock.lock_path(locked).read_bytes() == before


def test_the_lines_of_a_refusal_are_one_item_of_markdown(
    gpuinfra: Run, locked: Path, stack: Stack
) -> None:
    out = gpuinfra("check", stack(("nodes: 2", "nodes: 3")), "--format", "markdown").out

    assert "no longer matches its gpuinfra.lock; training.trainer.nodes: 2 -&#62; 3; " in out
    assert "&#92;n" not in out


def test_an_update_shows_the_drift_before_it_writes(
    gpuinfra: Run, locked: Path, stack: Stack
) -> None:
    path = stack(("nodes: 2", "nodes: 3"))

    ran = gpuinfra("lock", path, "--update")

    assert ran.code == 0
    assert ran.out.startswith("quickstart: maximum cost changes by +")
    assert ran.out.rstrip().endswith(f"wrote {lock.lock_path(path)}")
    assert gpuinfra("check", path).err == ""


def test_an_update_without_drift_says_so_and_writes_nothing(gpuinfra: Run, locked: Path) -> None:
    before = lock.lock_path(locked).stat().st_mtime_ns

    ran = gpuinfra("lock", locked, "--update")

    assert ran.code == 0
    assert "unchanged: " in ran.out
    assert lock.lock_path(locked).stat().st_mtime_ns == before


def test_check_says_one_where_there_is_no_lock(gpuinfra: Run, stack: Stack) -> None:
    path = stack()

    ran = gpuinfra("lock", path, "--check")

    assert ran.code == 1
    assert " ".join(ran.err.split()) == (
        f"error: there is no {lock.lock_path(path)} of this stack file"
        f" fix: `gpuinfra lock {path}` writes it"
    )
    assert not lock.lock_path(path).exists()


def test_check_does_not_depend_on_the_prices_of_the_machine(
    gpuinfra: Run, locked: Path, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "digest", lambda: "of other tables")
    cheap = PriceBook(change=lambda price: replace(price, per_unit=price.per_unit / 3))
    monkeypatch.setattr(source, "CATALOG", cheap)

    ran = gpuinfra("lock", locked, "--check")

    assert (ran.code, ran.out.split()[0]) == (0, "✓")
    assert ran.err == (
        f"{lock.lock_path(locked)} was made from other tables: its prices were not compared "
        "with the current ones\n"
    )
    assert gpuinfra("lock", stack(("nodes: 2", "nodes: 3")), "--check", "--json").code == 1


def test_check_refuses_a_price_that_the_tables_do_not_have(gpuinfra: Run, locked: Path) -> None:
    forge(lock.lock_path(locked), set_price("g6.8xlarge", per_unit="0.01"))

    ran = gpuinfra("lock", locked, "--check")
    answer = gpuinfra("lock", locked, "--check", "--json")

    assert ran.code == answer.code == 1
    assert "the price of g6.8xlarge (on-demand) in us-east-1: $0.01 of " in ran.err
    assert "ceiling per hour: $6.68 -> " in ran.err
    assert f"gpuinfra lock {locked} --update" in ran.err
    report = json.loads(answer.out)
    assert report["matches"] is False
    assert report["changes"]


@pytest.mark.parametrize("verb", [*READERS, "up"])
def test_a_price_that_its_own_tables_do_not_have_is_refused(
    gpuinfra: Run, locked: Path, verb: str
) -> None:
    forge(lock.lock_path(locked), set_price("g6.xlarge", per_unit="0.01"))

    ran = gpuinfra(verb, locked, *(["--target", "cloud"] if verb == "up" else []))

    assert ran.code == 1
    assert "the price of g6.xlarge (on-demand) in us-east-1: $0.01 of 2026-" in ran.err
    assert f"gpuinfra lock {locked} --update" in ran.err


@pytest.mark.parametrize("verb", [*READERS, "up"])
def test_a_price_below_that_of_today_is_told(
    gpuinfra: Run, locked: Path, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the tables were cannot be known once they are others."""
    forge(lock.lock_path(locked), set_price("g6.xlarge", per_unit="0.01"))
    monkeypatch.setattr(tables, "digest", lambda: "of other tables")

    # Up stops at the next gate, so that it starts no engine.
    ran = gpuinfra(verb, locked, *(["--target", "cloud"] if verb == "up" else []))

    assert "locked g6.xlarge in us-east-1 $0.01, today $0.8048 (20" in ran.err
    assert f"to use it: gpuinfra lock {locked} --update" in ran.err
    assert ran.err.count("locked g6.xlarge") == 1
    assert "was made from other tables: its prices are unchecked" in ran.err


def test_check_says_in_json_what_changed_in_money(
    gpuinfra: Run, locked: Path, stack: Stack
) -> None:
    answer = gpuinfra("lock", stack(("nodes: 2", "nodes: 3")), "--check", "--json")

    assert json.loads(answer.out)["comparison"]["totals"][0]["ceiling"] > 0


@pytest.mark.parametrize("target", ["gpuinfra.lock", "/nowhere/at-all"])
def test_a_link_that_leads_nowhere_is_no_missing_lock(
    gpuinfra: Run, stack: Stack, target: str
) -> None:
    path = stack()
    lock.lock_path(path).symlink_to(target)

    checked, written = gpuinfra("check", path), gpuinfra("lock", path)

    assert checked.code == written.code == 2
    assert "gpuinfra.lock can't be read" in checked.err
    assert lock.lock_path(path).is_symlink()


def test_a_lock_of_another_file_and_a_misnamed_prices_file_are_told(
    gpuinfra: Run, locked: Path
) -> None:
    other = locked.with_name("other.yaml")
    other.write_text(locked.read_text())
    locked.with_name("prices.yml").write_text("version: 1\n")

    ran = gpuinfra("check", other)

    assert f"{lock.lock_path(locked)} is ignored: it is the lock of stack.yaml" in ran.err
    assert "prices.yml is ignored: own prices must be in prices.yaml" in ran.err


def test_a_full_disk_is_told_with_the_file(
    gpuinfra: Run, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stack()
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(full))

    ran = gpuinfra("lock", path)

    assert f"No space left on device: {lock.lock_path(path)}" in ran.err


def test_check_writes_nothing(gpuinfra: Run, locked: Path, stack: Stack) -> None:
    before = lock.lock_path(locked).read_bytes()

    assert gpuinfra("lock", stack(("nodes: 2", "nodes: 3")), "--check").code == 1
    assert lock.lock_path(locked).read_bytes() == before


@pytest.mark.parametrize("verb", [*READERS, "lock"])
def test_a_conflict_is_an_error_with_its_line_and_the_way_out(
    gpuinfra: Run, locked: Path, verb: str
) -> None:
    place = lock.lock_path(locked)
    lines = place.read_text().splitlines()
    place.write_text("\n".join([lines[0], "<<<<<<< HEAD", *lines[1:]]))

    ran = gpuinfra(verb, locked)

    assert ran.code == 2
    assert f"{place}:2:1: the lock has a merge conflict" in ran.err
    assert f"gpuinfra lock {locked.parent} --update" in ran.err
    assert "Traceback" not in ran.err

    assert gpuinfra("lock", locked, "--update").code == 0
    assert gpuinfra("check", locked).code == 0


def test_one_folder_holds_the_lock_of_one_stack_file(gpuinfra: Run, locked: Path) -> None:
    other = locked.with_name("other.yaml")
    other.write_text(locked.read_text())

    assert gpuinfra("check", other).code == 0
    ran = gpuinfra("lock", other, "--update")

    assert ran.code == 2
    assert "is the lock of stack.yaml" in ran.err


def test_options_that_exclude_each_other_are_named(gpuinfra: Run, locked: Path) -> None:
    assert gpuinfra("lock", locked, "--update", "--check").code == 2
    assert gpuinfra("lock", locked, "--output", locked.parent).code == 2


@pytest.mark.parametrize("options", [(), ("--check",), ("--update",)], ids=str)
def test_the_documented_keys_are_the_real_ones(
    gpuinfra: Run, stack: Stack, options: tuple[str, ...]
) -> None:
    path = stack()
    if options:
        gpuinfra("lock", path)

    answer = json.loads(gpuinfra("lock", path, *options, "--json").out)

    assert set(answer) == documented()["lock"]
    assert answer["matches"] is True
    assert answer["written"] is (not options)


def test_locked_prices_that_are_too_old_name_the_lock_as_the_way_out(
    gpuinfra: Run, stack: Stack
) -> None:
    path = stack()
    gpuinfra("lock", path)

    ran = gpuinfra("check", path, "--as-of", "2029-01-01")

    assert ran.code == 1
    assert "✗ price-outdated" in ran.out
    fix = " ".join(ran.out.split())
    assert "run `gpuinfra catalog refresh --cloud aws --region " in fix
    assert f"then `gpuinfra lock {path} --update`, or set prices: " in fix


@pytest.mark.parametrize(
    "changed", [(), (("per_hour: 8", "per_hour: 1"),)], ids=["unresolved images", "over the cap"]
)
def test_what_no_rung_can_save_is_refused_before_an_engine_is_sought(
    gpuinfra: Run, stack: Stack, monkeypatch: pytest.MonkeyPatch, changed: tuple[Any, ...]
) -> None:
    from gpuinfra.engine import lifecycle

    def opened(*_: object) -> None:
        raise AssertionError("the engine was opened")

    for verb in ("current_status", "unlock", "preview", "up"):
        monkeypatch.setattr(lifecycle, verb, opened)
    path = stack(*changed)
    if not changed:
        gpuinfra("lock", path)

    ran = gpuinfra("up", path, "--target", "cloud", "--yes", "--unlock")

    assert ran.code == 1, ran.err
    assert "--resolve-images` fills them" in ran.err if not changed else "cap-per-hour" in ran.out


def test_what_another_rung_may_save_asks_the_engine_where_it_stands(
    gpuinfra: Run, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gpuinfra.engine import lifecycle
    from gpuinfra.errors import EngineError

    def opened(*_: object) -> None:
        raise EngineError("Machine types have NVLink where it is required")

    monkeypatch.setattr(lifecycle, "current_status", opened)
    path = stack(("minimum: 40%", "minimum: 100%"))

    ran = gpuinfra("up", path, "--target", "sandbox")

    assert ran.code == 3
