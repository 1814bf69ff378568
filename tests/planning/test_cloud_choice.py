"""`cloud: any`: which cloud each workload takes, by constraints, then by price, and why."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.catalog.rates import rung_rate
from gpuinfra.model import Rung
from gpuinfra.planning import from_stack
from tests.planning.anywhere import (
    CHECKPOINTS,
    POOL,
    REGIONS,
    any_of,
    group,
    path,
    recent_spot,
    refusal,
    refused,
    stack,
)


def test_the_least_price_of_the_first_rung_wins() -> None:
    h100, l4 = group(gpu="H100:8"), group(gpu="L4:1")

    assert (h100.cloud, h100.rung.machine) == ("aws", "p5.48xlarge")
    assert (l4.cloud, l4.rung.machine) == ("gcp", "g2-standard-4")


def test_only_the_first_rung_counts() -> None:
    first_aws = group(gpu="H100:8", capacity=["on-demand", "spot"], **_kept())
    prices = {
        cloud: CATALOG.on_demand(cloud, machine, REGIONS[cloud]).per_unit
        for cloud, machine in (("aws", "p5.48xlarge"), ("gcp", "a3-highgpu-8g"))
    }

    assert first_aws.cloud == min(prices, key=prices.get)
    assert [rung.capacity for rung in first_aws.rungs] == ["on-demand", "spot"]


def _kept() -> dict[str, Any]:
    return {**CHECKPOINTS, "buckets": {"data": {}}}


def test_the_reason_names_the_machine_the_price_and_what_the_others_offer() -> None:
    assert group(gpu="L4:1").cloud_reasons.chosen == (
        "gcp: on-demand g2-standard-4 in us-central1 at $0.7068 an hour; not aws: "
        "on-demand g6.xlarge in us-east-1 at $0.8048 an hour; azure: no machine type "
        "has this GPU"
    )


def test_a_spot_price_is_told_with_its_day() -> None:
    reason = group(gpu="L4:1", capacity=["spot"], **_kept()).cloud_reasons.chosen
    newest = CATALOG.spot("gcp", "g2-standard-4", "us-central1")

    assert newest is not None
    assert f"an hour ({newest.as_of})" in reason


def test_without_a_choice_there_is_no_reason() -> None:
    for where in ({"cloud": "aws", "regions": ["us-east-1"]}, any_of("us-east-1", "us-west-2")):
        assert group(gpu="L4:1", where=where).cloud_reasons.chosen == ""


def test_equal_prices_go_by_the_order_of_the_clouds_not_of_the_file() -> None:
    price = CATALOG.on_demand("aws", "g4dn.xlarge", "us-east-1")
    same = CATALOG.on_demand("azure", "Standard_NC4as_T4_v3", "eastus")
    first = group(gpu="T4:1", where=any_of("us-east-1", "eastus"))
    other = group(gpu="T4:1", where=any_of("eastus", "us-east-1"))

    assert price.per_unit == same.per_unit
    assert (first.cloud, other.cloud) == ("aws", "aws")


def test_a_pool_counts_its_base_on_demand_and_the_rest_on_spot() -> None:
    """Most machines on demand: the cloud with the cheaper list price, not the cheaper spot."""
    works = {
        share: from_stack(
            stack(
                inference={
                    "chat": {
                        "gpu": "H100:8",
                        "replicas": "5..6",
                        "capacity": {"on_demand_base": base, "above": "spot"},
                        **POOL,
                    }
                }
            )
        ).groups[0]
        for share, base in (("base", 4), ("spot", 0))
    }
    cheaper = {
        "base": min(("aws", "gcp"), key=lambda cloud: _pool_price(cloud, 4, 2)),
        "spot": min(("aws", "gcp"), key=lambda cloud: _pool_price(cloud, 0, 6)),
    }

    assert {share: work.cloud for share, work in works.items()} == cheaper
    assert set(cheaper.values()) == {"aws", "gcp"}, "no example of the difference any more"


def _pool_price(cloud: str, base: int, on_spot: int) -> Decimal:
    machine = {"aws": "p5.48xlarge", "gcp": "a3-highgpu-8g"}[cloud]
    most = recent_spot(cloud, machine, REGIONS[cloud])
    return base * CATALOG.on_demand(cloud, machine, REGIONS[cloud]).per_unit + on_spot * most


def test_a_cloud_with_an_unpriced_part_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(book: PriceBook, cloud: str, item: str, region: str, mode: str) -> Any:
        return None if item == "cloud-nat-vm-hour" else listed(book, cloud, item, region, mode)

    listed = PriceBook.list_price
    monkeypatch.setattr(PriceBook, "list_price", lost)
    chosen = group(gpu="L4:1")

    assert chosen.cloud == "aws"
    assert "no price of cloud-nat-vm-hour" in chosen.cloud_reasons.chosen


def test_a_machine_without_a_price_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(book: PriceBook, cloud: str, item: str, region: str, mode: str) -> Any:
        gone = (cloud, mode) == ("gcp", "on-demand")
        return None if gone else listed(book, cloud, item, region, mode)

    listed = PriceBook.list_price
    monkeypatch.setattr(PriceBook, "list_price", lost)
    chosen = group(gpu="L4:1")

    assert chosen.cloud == "aws"
    assert (
        "gcp: on-demand g2-standard-4 in us-central1 price unknown" in chosen.cloud_reasons.chosen
    )


@pytest.mark.parametrize(
    ("work", "cloud", "why"),
    [
        (
            {"gpu": "L4:1", "nodes": 2, "fabric": "required"},
            "aws",
            "gcp: no machine type fits: L4:1",
        ),
        ({"gpu": "T4:2"}, "gcp", "aws: no machine type fits: T4:2"),
        ({"gpu": "A100-PCIe-80GB:1"}, "azure", "gcp: no machine type has this GPU"),
        ({"gpu": "A100-80GB:4"}, "gcp", "aws: no machine type fits"),
        (
            {"gpu": "L4:1", "disk": {"size": "200GB", "iops": 6000}},
            "aws",
            "gcp: the boot disk of this machine",
        ),
        ({"instance": "a3-highgpu-8g"}, "gcp", "aws: unknown machine type"),
    ],
)
def test_a_constraint_excludes_a_cloud_and_the_reason_says_so(
    work: dict[str, Any], cloud: str, why: str
) -> None:
    chosen = group(**work)

    assert chosen.cloud == cloud
    assert why in chosen.cloud_reasons.chosen


def test_a_way_to_buy_that_a_cloud_lacks_excludes_it() -> None:
    """The H200 of A3 Ultra is sold as spot, not on demand."""
    where = any_of("us-east-2", "us-central1")
    chosen = group(gpu="H200:8", where=where)

    assert chosen.cloud == "aws"
    assert "gcp: no machine type fits: H200:8, on-demand" in chosen.cloud_reasons.chosen


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_a_balancer_that_counts_no_requests_excludes_its_cloud(cloud: str) -> None:
    pool = {"gpu": "T4:1", "replicas": "1..3", **POOL, "scale_on": {"requests_per_target": 100}}
    where = any_of("us-east-1", REGIONS[cloud])
    (chat,) = from_stack(stack(where=where, inference={"chat": pool})).groups

    assert chat.cloud == "aws"
    assert f"{cloud}: the requests of chat can't be counted" in chat.cloud_reasons.chosen
    problem = refusal(stack(where=any_of(REGIONS[cloud]), inference={"chat": pool}))
    assert path(problem) == "inference.chat.scale_on"


def test_a_preferred_fabric_wins_over_a_cheaper_cloud_without_one() -> None:
    """As it wins over a cheaper machine of one cloud."""
    preferred = group(gpu="L4:1", nodes=2, fabric="preferred")
    none = group(gpu="L4:1", nodes=2, fabric="none")

    assert (preferred.cloud, preferred.rung.machine) == ("aws", "g6.8xlarge")
    assert preferred.fabric is not None
    assert "an hour, with a fabric; not gcp" in preferred.cloud_reasons.chosen
    assert "in us-central1 at $0.7068 an hour, without a fabric" in preferred.cloud_reasons.chosen
    assert none.cloud == "gcp"
    assert "fabric" not in none.cloud_reasons.chosen


@pytest.mark.parametrize(
    ("image", "cloud"), [({}, "azure"), ({"machine_image": "projects/p/global/images/i"}, "gcp")]
)
def test_a_required_fabric_wins_where_the_default_image_can_use_it(
    image: dict[str, str], cloud: str
) -> None:
    where = any_of("us-central1", "eastus")
    chosen = group(gpu="H100:8", nodes=4, fabric="required", where=where, **image)

    assert chosen.cloud == cloud
    software = "gcp: on-demand a3-highgpu-8g in us-central1 at $88.49 an hour"
    assert software in chosen.cloud_reasons.chosen
    assert ("but not its software" in chosen.cloud_reasons.chosen) is (image == {})


def test_a_maximum_is_refused_where_only_a_cloud_without_one_is_left() -> None:
    work = {"gpu": "L4:1", "capacity": ["spot"], "max_price": 1}
    for where in ({"cloud": "gcp", "regions": ["us-central1"]}, any_of("us-central1")):
        problem = refusal(stack(where=where, training={"trainer": work}))
        assert path(problem) == "training.trainer.max_price"
        assert "on-demand price" in problem.fix


def test_a_maximum_is_refused_at_its_step() -> None:
    step = {"spot": {"region": "us-west1", "max_price": 2}}
    problem = refusal(stack(training={"trainer": {"gpu": "L4:1", "capacity": [step]}}))

    assert path(problem) == "training.trainer.capacity.0.max_price"


def test_a_maximum_is_dropped_where_planning_chose_a_cloud_without_one() -> None:
    chosen = group(gpu="A100-80GB:4", capacity=["spot"], max_price=5)

    assert chosen.cloud == "gcp"
    assert chosen.rung.max_price is None


def test_a_label_names_its_cloud() -> None:
    made = stack(training={"trainer": {"gpu": "H100:8"}, "other": {"gpu": "L4:1"}})
    plan = from_stack(made, rungs={"trainer": "on-demand@eastus"})

    assert [group.cloud for group in plan.groups] == ["azure", "gcp"]
    assert from_stack(made, rungs={"trainer": "on-demand"}).groups[0].cloud == "aws"
    (problem,) = refused(made, rungs={"trainer": "on-demand@westus"})
    assert problem.allowed == "on-demand@us-east-1"


def test_a_spot_price_of_years_ago_decides_nothing() -> None:
    old = CATALOG.spot("azure", "Standard_NC4as_T4_v3", "eastus")
    rung = Rung(capacity="spot", machine="Standard_NC4as_T4_v3", region="eastus", zones=())
    rate = rung_rate("azure", rung, CATALOG)

    assert old is not None
    assert old.as_of == "2024-01-01"
    assert (rate.amount, rate.expected, rate.stale_spot) == (Decimal("0.526"), None, old)
