"""A locked stack on the real engine: it goes up, stays, holds its prices, and refuses edits."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra import lock, sandbox
from gpuinfra.catalog import PriceBook
from gpuinfra.cli import run
from gpuinfra.engine import lifecycle
from tests.e2e.lives import edit, request_of
from tests.lock.conftest import made

pytestmark = pytest.mark.e2e
STACK = Path(__file__).parents[2] / "stacks" / "quickstart" / "stack.yaml"
NO_MAXIMUM = ("    max_price: 1.50 # USD per machine-hour a spot request may cost\n", "")

Stack = Callable[..., Path]


@pytest.fixture
def stack(tmp_path: Path, sandbox_home: Path) -> Stack:
    """Writes the quickstart's stack file, changed, and its lock at so many times the prices."""

    def write(*replaced: tuple[str, str], factor: str = "1") -> Path:
        path = tmp_path / "stack.yaml"
        path.write_text(STACK.read_text())
        edit(path, *replaced)
        times = Decimal(factor)
        book = PriceBook(change=lambda row: replace(row, per_unit=row.per_unit * times))
        ceiling = (
            replace(row, mode="spot-ceiling")
            for machine in ("g6.8xlarge", "g6.xlarge")
            for row in book.rows("aws", machine, "us-east-1", "on-demand")
        )
        locked = made(path, prices=book.overridden_by(ceiling))
        if factor != "1":  # other prices than today's: by other tables, or they would be forged
            locked = replace(locked, catalog="sha256:of other tables")
        lock.write(locked, lock.lock_path(path))
        return path

    return write


def test_a_locked_stack_goes_up_stays_and_refuses_an_edit(
    stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stack()
    up = ("up", str(path), "--target", "sandbox", "--skip-preview")

    assert run(up) == 0
    before = {record.urn: record.id for record in sandbox.existing_resources()}
    again = lifecycle.preview(request_of(path))
    edit(path, ("nodes: 2", "nodes: 3"))
    capsys.readouterr()
    refused = run(up)

    assert before
    assert set(again.changes) == {"same"}
    assert refused == 1
    assert "training.trainer.nodes: 2 -> 3" in capsys.readouterr().err
    assert {record.urn: record.id for record in sandbox.existing_resources()} == before
    assert run(("status", str(path), "--target", "sandbox")) == 0


@pytest.mark.parametrize(
    ("factor", "cap", "code"),
    [("0.5", "per_hour: 4", 0), ("2", "per_hour: 8", 1)],
    ids=["cheaper than the catalog", "dearer than the catalog"],
)
def test_the_packs_say_what_check_says_at_the_locked_prices(
    stack: Stack, factor: str, cap: str, code: int
) -> None:
    wide = ("per_run: 20, per_month: 6000", "per_run: 200, per_month: 12000")
    # What today's prices have grown by is `check`'s alone: a pack is given no lock.
    growth = ("rules:\n", "rules:\n  cost-growth: {level: advisory}\n")
    path = stack(NO_MAXIMUM, ("per_hour: 8", cap), wide, growth, factor=factor)

    checked = run(("check", str(path)))
    seen = lifecycle.preview(request_of(path))

    assert checked == code
    assert seen.exit_code == code, (seen.reason, seen.diagnostics, seen.findings)
    over = {finding.policy for finding in seen.findings if finding.level == "mandatory"}
    assert over == ({"cap-per-hour"} if code else set())


def test_without_the_lock_the_catalog_would_say_otherwise(stack: Stack) -> None:
    wide = ("per_run: 20, per_month: 6000", "per_run: 200, per_month: 12000")
    path = stack(NO_MAXIMUM, ("per_hour: 8", "per_hour: 4"), wide, factor="0.5")
    lock.lock_path(path).unlink()

    assert run(("check", str(path))) == 1
