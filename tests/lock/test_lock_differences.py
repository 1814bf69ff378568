import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra import lock, source
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.cost import estimate
from gpuinfra.cost.compare import compare
from gpuinfra.errors import RefusedError
from tests.lock.conftest import DAY, Stack, locked, refusal, times


def test_what_changed_is_told_by_workload_bucket_and_setting_and_in_money(stack: Stack) -> None:
    locked(stack())
    path = stack(
        ("nodes: 2", "nodes: 4"),
        ("500GB", "1TB"),
        ("per_hour: 8", "per_hour: 20"),
        ("disk: 200GB", "disk: 300GB"),
    )

    told = refusal(path).splitlines()

    assert told[0] == f"{path} no longer matches its gpuinfra.lock"
    for line in (
        "  budget.per_hour: 8 -> 20",
        "  training.trainer.nodes: 2 -> 4",
        "  training.trainer.disk.size: 200GB -> 300GB",
        "  buckets.data.size: 500GB -> 1TB",
        "  data: $0.01/h -> $0.03/h",
    ):
        assert line in told
    assert any(line.startswith("  trainer: $3.09/h -> ") for line in told)
    assert told[-3].startswith("  total at most $6.68/h -> ")
    assert told[-2] == f"    compare the cost: gpuinfra cost {path} --diff"
    assert told[-1] == f"    accept the changes: gpuinfra lock {path} --update"


def test_a_move_to_another_cloud_and_machine_is_told(stack: Stack) -> None:
    text = (
        "version: 1\nname: demo\nowner: ml\nbudget: {per_hour: 9}\n"
        "where: {cloud: any, regions: [us-central1, us-east-1]}\n"
        "training:\n  tune: {gpu: L4:1, duration: 1h}\n"
    )
    path = stack()
    path.write_text(text)
    locked(path)
    path.write_text(text.replace("L4:1", "T4:1"))

    assert (
        "  tune: gcp g2-standard-4 on-demand@us-central1 -> aws g4dn.xlarge on-demand@us-east-1"
        in refusal(path).splitlines()
    )


def test_what_has_no_price_is_no_saving(stack: Stack) -> None:
    locked(stack())

    iops = ("disk: 200GB", "disk: {size: 200GB, iops: 6000}")
    told = refusal(stack(("regions: [us-east-1]", "regions: [eu-south-2]"), iops)).splitlines()

    assert any(
        re.fullmatch(r"  trainer: \$[\d.]+/h -> at least \$[\d.]+/h", line) for line in told
    )
    assert re.fullmatch(
        r"  total at most \$6.68/h -> at least \$[\d.]+/h, \d parts? without a price", told[-3]
    )


def test_a_rung_that_is_struck_explains_a_lower_ceiling(stack: Stack) -> None:
    cap = ("per_hour: 8, per_run: 20", "per_hour: 80, per_run: 20")
    held = locked(stack(cap))

    told = refusal(stack(cap, ("nodes: 2", "nodes: 3"))).splitlines()

    assert lock.read_lock(lock.lock_path(stack(cap))) == held
    assert set(held.skip_reasons.values()) == {None}
    assert (
        "  trainer: on-demand@us-east-1 is excluded: $24.42 a run, above the cap of $20.00" in told
    )


def test_a_machine_that_would_be_another_is_named(stack: Stack) -> None:
    locked(stack())

    told = refusal(stack(("instance: g6.8xlarge", "instance: g6.12xlarge")))

    assert "training.trainer.instance: g6.8xlarge -> g6.12xlarge" in told
    assert "trainer on spot@us-east-1: g6.8xlarge -> g6.12xlarge" in told


def test_a_workload_that_came_or_went_is_one_line(stack: Stack) -> None:
    locked(stack())

    told = refusal(stack(("  chat:", "  talk:"))).splitlines()

    assert "  inference.chat: there -> –" in told
    assert "  inference.talk: – -> new" in told


PRICES = """version: 1
prices:
  - {cloud: aws, machine: g6.xlarge, region: us-east-1, per_hour: 0.50, until: 2099-12-31}
"""


def with_prices(path: Path, text: str = PRICES) -> Path:
    (path.parent / "prices.yaml").write_text(text)
    return path


def test_own_prices_are_locked_as_theirs(stack: Stack) -> None:
    whole = locked(with_prices(stack()))

    (own,) = {row for row in whole.rows if row.origin == "user"}
    assert (own.item, own.per_unit) == ("g6.xlarge", Decimal("0.5"))
    assert source.read(stack(), {})[0].valid_lock == whole


def test_how_prices_are_written_is_no_change(stack: Stack) -> None:
    whole = locked(with_prices(stack()))
    rows = PRICES.replace("version: 1\n", "# a comment\n").replace(", ", ",   ")

    with_prices(stack(), f"{rows}version: 1\n")

    assert source.read(stack(), {})[0].valid_lock == whole


@pytest.mark.parametrize(
    ("now", "price"),
    [
        (PRICES.replace("0.50", "0.60"), "$0.60"),
        (
            PRICES.replace("0.50", "0.50, tiers: [{after: 720h, per_hour: 0.4}]"),
            "$0.50, $0.40 after",
        ),
        (None, "–"),
    ],
)
def test_other_prices_are_told(stack: Stack, now: str | None, price: str) -> None:
    path = with_prices(stack())
    locked(path)
    if now is None:
        (path.parent / "prices.yaml").unlink()
    else:
        with_prices(path, now)

    told = refusal(path)
    assert f"  prices.yaml: on-demand g6.xlarge in us-east-1: $0.50 -> {price}" in told
    assert "sha256:" not in told


def test_prices_that_came_after_the_lock_are_told(stack: Stack) -> None:
    path = stack()
    locked(path)

    told = refusal(with_prices(path))
    assert (
        "  prices.yaml: on-demand g6.xlarge in us-east-1: $0.8048 of the catalog -> $0.50" in told
    )


def test_prices_of_what_the_stack_does_not_have_are_told_by_their_digest(stack: Stack) -> None:
    path = stack()
    locked(path)

    told = refusal(with_prices(path, PRICES.replace("g6.xlarge", "p5.48xlarge")))
    assert "  prices.yaml: – -> sha256:" in told


def test_another_discount_is_told_by_what_it_makes(stack: Stack) -> None:
    text = "version: 1\ndiscounts: [{cloud: aws, off: 10%}]\n"
    path = with_prices(stack(), text)
    locked(path)

    told = refusal(with_prices(path, text.replace("10%", "20%")))
    assert "  prices.yaml: on-demand g6.xlarge in us-east-1: $0.7243 -> $0.6438" in told


def test_a_discount_off_a_price_that_moved_since_is_no_change(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_prices(stack(), "version: 1\ndiscounts: [{cloud: aws, off: 10%}]\n")
    whole = locked(path)
    prices = priced_cloud_of("aws").prices
    shipped = prices.rows
    monkeypatch.setattr(
        prices, "rows", lambda *key: tuple(times(price, 3) for price in shipped(*key))
    )

    assert source.read(path, {})[0].valid_lock == whole


def test_an_offer_that_ended_no_longer_holds_by_the_lock(stack: Stack) -> None:
    path = with_prices(stack())
    locked(path)

    with pytest.raises(RefusedError) as caught:
        source.read(path, {}, day=date(2100, 1, 1))

    assert "prices.yaml: on-demand g6.xlarge in us-east-1: $0.50 -> ended" in str(caught.value)


def test_every_row_that_a_quote_uses_is_locked(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stack(("    max_price: 1.50 # USD per machine-hour a spot request may cost\n", ""))
    whole = locked(path)

    stack_source, plan = source.read(path, {})
    for cloud in ("aws", "gcp", "azure"):
        monkeypatch.setattr(priced_cloud_of(cloud).prices, "rows", lambda *_: ())
    asked_anew = replace(stack_source, prices=stack_source.prices.overridden_by(()))

    assert compare(whole, estimate(plan, asked_anew.terms(DAY))).is_unchanged
