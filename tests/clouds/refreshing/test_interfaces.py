"""What each interface says, in the form of its documentation, as prices and machines."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.refreshing import job
from gpuinfra.clouds.refreshing.contract import FetchedData
from gpuinfra.errors import NotYetError
from gpuinfra.model import Price
from tests.clouds.refreshing.conftest import Interface, Page

TODAY = datetime.now(UTC).date().isoformat()


def fetched(cloud: str, endpoint: str, *parts: str, regions: tuple[str, ...] = ()) -> FetchedData:
    return job.fetch(job.plan(cloud, parts, regions, endpoint, lambda *_: None), lambda _: None)


def by_key(prices: tuple[Price, ...]) -> dict[tuple[str, str, str], Price]:
    rows = {(price.item, price.region, price.mode): price for price in prices}
    assert len(rows) == len(prices)
    assert {price.origin for price in prices} <= {"refreshed"}
    return rows


class TestAzure:
    @pytest.fixture
    def prices(self, interface: Interface, page: Page) -> dict[tuple[str, str, str], Price]:
        first, second = page("azure_1.json"), page("azure_2.json")
        empty = {**second, "Items": [], "Count": 0}
        h100 = "Standard_ND96isr_H100_v5"
        interface.says({"/api/retail/prices": empty})
        others = interface.answers

        def answers(path: str, count: int) -> Any:
            if h100 in path or "skip" in path:
                interface.says({"/api/retail/prices": second if "skip" in path else first})
                return interface.answers(path, count)
            return others(path, count)

        def steady(path: str, count: int) -> Any:
            answer = answers(path, count)
            interface.answers = steady
            return answer

        interface.answers = steady
        return by_key(fetched("azure", interface.endpoint, regions=("eastus",)).prices)

    def test_each_mode_is_told_from_the_others(
        self, prices: dict[tuple[str, str, str], Price]
    ) -> None:
        figures = {
            (region, mode): price.per_unit
            for (item, region, mode), price in prices.items()
            if item == "Standard_ND96isr_H100_v5"
        }
        assert figures == {
            ("eastus", "on-demand"): Decimal("98.32"),
            ("eastus", "savings-1y"): Decimal("78.6"),
            ("eastus", "savings-3y"): Decimal("55.1"),
            ("eastus", "spot"): Decimal("19.664"),
            ("eastus", "reserved-1y"): Decimal("62.924772"),
            ("eastus", "reserved-3y"): Decimal("43.162481"),
        }

    def test_the_day_is_that_of_the_fetch_and_the_source_is_the_address(
        self, prices: dict[tuple[str, str, str], Price], interface: Interface
    ) -> None:
        price = prices["Standard_ND96isr_H100_v5", "eastus", "on-demand"]
        assert price.as_of == TODAY
        assert price.notes == "since 2023-11-01"
        assert price.source.startswith(f"{interface.endpoint}/api/retail/prices?")
        assert "Standard_ND96isr_H100_v5" in price.source

    def test_the_next_page_is_asked_of_the_same_host(
        self, prices: dict[tuple[str, str, str], Price], interface: Interface
    ) -> None:
        assert "/api/retail/prices?api-version=2023-01-01-preview&$skip=4" in interface.requested

    def test_machines_are_not_in_the_interface(self) -> None:
        with pytest.raises(
            NotYetError,
            match="not supported yet: refreshing machines of azure; supported: prices, spot",
        ):
            job.plan("azure", ("machines",), (), "", lambda *_: None)


class TestGoogle:
    @pytest.fixture
    def result(
        self, interface: Interface, page: Page, monkeypatch: pytest.MonkeyPatch
    ) -> FetchedData:
        monkeypatch.setenv("GOOGLE_API_KEY", "a-key-kept-secret")
        path = "/v1/services/6F81-5844-456A/skus"
        interface.says(
            {
                f"{path}?currencyCode=USD&pageSize=5000": page("gcp_1.json"),
                f"{path}?currencyCode=USD&pageSize=5000&pageToken=AEp-x/1%3D": page("gcp_2.json"),
                f"{path}?currencyCode=USD&pageSize=5000&pageToken=AEp-x%2F1%3D": page(
                    "gcp_2.json"
                ),
            }
        )
        return fetched("gcp", interface.endpoint, regions=("us-central1",))

    def test_a_machine_is_the_sum_of_its_skus(self, result: FetchedData) -> None:
        prices = by_key(result.prices)
        # 12 vCPUs, 85 GiB, one GPU, no local SSD
        assert prices["a2-highgpu-1g", "us-central1", "on-demand"].per_unit == Decimal("3.673385")
        assert prices["a2-highgpu-1g", "us-central1", "spot"].per_unit == Decimal("1.371710")
        assert prices["a2-highgpu-1g", "us-central1", "committed-1y"].per_unit == Decimal(
            "2.313845"
        )

    def test_local_ssd_that_comes_with_it_is_paid_by_the_month(self, result: FetchedData) -> None:
        # + 375 GiB × 0.08 / 730
        price = by_key(result.prices)["a2-ultragpu-1g", "us-central1", "on-demand"]
        assert price.per_unit == Decimal("5.069718")

    def test_a_slice_of_a4_has_the_host_in_it(self, result: FetchedData) -> None:
        price = by_key(result.prices)["a4-highgpu-8g", "us-central1", "on-demand"]
        assert price.per_unit == Decimal("128.88")

    def test_calendar_mode_and_defined_duration_are_not_on_demand(
        self, result: FetchedData
    ) -> None:
        assert not [price for price in result.prices if price.item.startswith("a3-megagpu")]

    def test_a_sum_that_lacks_a_part_is_left_out_by_name(self, result: FetchedData) -> None:
        assert not [price for price in result.prices if price.item.startswith("g2-")]
        omitted = "g2-standard-4 on-demand in us-central1: G2 Instance Core has no price"
        assert omitted in result.left_out

    def test_the_day_is_the_catalog_s_own(self, result: FetchedData) -> None:
        assert {price.as_of for price in result.prices} == {"2026-11-20"}

    def test_the_key_is_in_a_header_and_nowhere_else(
        self, result: FetchedData, interface: Interface, home: Any
    ) -> None:
        assert {header["X-Goog-Api-Key"] for header in interface.headers} == {"a-key-kept-secret"}
        assert not [path for path in interface.requested if "a-key" in path]
        kept = [path.read_text() for path in home.rglob("*") if path.is_file()]
        assert len(kept) == 2
        assert not [text for text in kept if "a-key-kept-secret" in text]


class TestLambda:
    @pytest.fixture
    def result(
        self, interface: Interface, page: Page, monkeypatch: pytest.MonkeyPatch
    ) -> FetchedData:
        monkeypatch.setenv("LAMBDA_API_KEY", "secret_lambda_1")
        interface.says({"/api/v1/instance-types": page("lambda.json")})
        return fetched("lambda", interface.endpoint, regions=("us-east-1", "us-south-1"))

    def test_cents_are_dollars_and_hold_in_every_region(self, result: FetchedData) -> None:
        prices = by_key(result.prices)
        assert prices["gpu_8x_h100_sxm5", "us-east-1", "on-demand"].per_unit == Decimal(24)
        assert prices["gpu_1x_a10", "us-south-1", "on-demand"].per_unit == Decimal("1.29")
        assert {price.as_of for price in result.prices} == {TODAY}

    def test_the_key_is_a_bearer_s(self, result: FetchedData, interface: Interface) -> None:
        assert interface.headers[0]["Authorization"] == "Bearer secret_lambda_1"

    def test_an_unknown_machine_is_left_out_by_name(self, result: FetchedData) -> None:
        assert result.left_out == ("gpu_8x_moon: not in the machine table",)

    def test_machines_have_the_cells_that_the_interface_has(self, result: FetchedData) -> None:
        (h100,) = [machine for machine in result.machines if machine["type"] == "gpu_8x_h100_sxm5"]
        assert (h100["vcpu"], h100["memory_gib"], h100["local_storage_gb"]) == (
            208,
            "1800",
            "24189",
        )
        assert h100["as_of"] == TODAY
        assert "gpu_count" not in h100


class TestAwsPriceList:
    LIST = "/offers/v1.0/aws/AmazonEC2/20261120225308/us-east-1/index.csv"

    @pytest.fixture
    def result(self, interface: Interface, page: Page) -> FetchedData:
        interface.says(
            {
                "/offers/v1.0/aws/AmazonEC2/current/region_index.json": page(
                    "aws_region_index.json"
                ),
                self.LIST: page("aws_us-east-1.csv"),
            }
        )
        return fetched("aws", interface.endpoint, "prices", regions=("us-east-1", "eu-west-1"))

    def test_plain_linux_on_shared_hardware_alone_counts(self, result: FetchedData) -> None:
        assert {key: price.per_unit for key, price in by_key(result.prices).items()} == {
            ("p5.48xlarge", "us-east-1", "on-demand"): Decimal("55.04"),
            ("p5.48xlarge", "us-east-1", "reserved-1y"): Decimal("41.235"),
            ("p5.48xlarge", "us-east-1", "reserved-3y"): Decimal(30),
            ("g5.xlarge", "us-east-1", "on-demand"): Decimal("1.006"),
        }

    def test_the_way_a_reservation_is_paid_stands_beside_it(self, result: FetchedData) -> None:
        prices = by_key(result.prices)
        assert prices["p5.48xlarge", "us-east-1", "reserved-1y"].notes == "standard, no upfront"
        assert prices["p5.48xlarge", "us-east-1", "reserved-3y"].notes == (
            "standard, all upfront; the upfront fee spread over the hours of the term"
        )

    def test_the_day_is_that_of_publication(
        self, result: FetchedData, interface: Interface
    ) -> None:
        assert {price.as_of for price in result.prices} == {"2026-11-20"}
        assert {price.source for price in result.prices} == {interface.endpoint + self.LIST}

    def test_what_the_catalog_lacks_is_left_out_by_name(self, result: FetchedData) -> None:
        assert result.left_out == (
            "eu-west-1: missing in the price list's index",
            "moon9.48xlarge: not in the machine table",
        )
