from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from gpuinfra import lock, source
from gpuinfra.catalog import PriceBook
from gpuinfra.errors import RefusedError
from gpuinfra.model import Price

STACKS = Path(__file__).parents[2] / "stacks"
DAY = date(2026, 11, 21)

Stack = Callable[..., Path]


def made(
    path: Path, before: lock.Lock | None = None, prices: PriceBook | None = None
) -> lock.Lock:
    """The lock of a stack file, by the tables or by other prices."""
    stack_source, plan = source.read(path, {}, lock="ignore")
    if prices is not None:
        stack_source = source.Source(document=stack_source.document, prices=prices)
        plan = source.plan(stack_source, {})
    terms = stack_source.terms(DAY)
    return lock.make(
        stack_source.stack,
        plan,
        terms,
        file=stack_source.document.path.name,
        prices=stack_source.prices_digest,
        old_lock=before,
    )


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    """Writes the quickstart's stack file with some of its text replaced."""

    def write(*replaced: tuple[str, str], name: str = "stack.yaml") -> Path:
        text = (STACKS / "quickstart" / "stack.yaml").read_text()
        for old, new in replaced:
            assert old in text, old
            text = text.replace(old, new, 1)
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def locked(path: Path) -> lock.Lock:
    """Lock a stack file, and give the lock."""
    whole = made(path)
    lock.write(whole, lock.lock_path(path))
    return whole


def refusal(path: Path) -> str:
    with pytest.raises(RefusedError) as caught:
        source.read(path, {})
    assert caught.value.exit_code == 1
    return str(caught.value)


def times(price: Price, by: int) -> Price:
    return replace(price, per_unit=price.per_unit * by)
