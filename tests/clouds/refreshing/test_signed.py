"""What AWS answers signed requests with, from moto's server and botocore's own stub."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import boto3
import botocore.exceptions
import pytest
from botocore.stub import Stubber
from moto.server import ThreadedMotoServer

from gpuinfra.cli import run
from gpuinfra.clouds.aws import refresh
from gpuinfra.clouds.refreshing import job, user_table_files
from gpuinfra.clouds.refreshing.contract import FetchedData

DAY = datetime.now(UTC).date().isoformat()


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTESTTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-nobody-may-see")


def fetched(endpoint: str, *parts: str, regions: tuple[str, ...], key: Any = None) -> FetchedData:
    plan = job.plan("aws", parts, regions, endpoint, key or (lambda *_: None))
    return job.fetch(plan, lambda _: None)


@pytest.fixture(scope="module")
def result(moto: str, tmp_path_factory: pytest.TempPathFactory) -> FetchedData:
    """The machine types of a region, as moto has them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(user_table_files.HOME_VARIABLE, str(tmp_path_factory.mktemp("catalog")))
        patch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTESTTEST")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-nobody-may-see")
        return fetched(moto, "machines", regions=("us-west-2",))


class TestMachines:
    def test_known_cells_are_the_interface_s(self, result: FetchedData) -> None:
        (p5,) = [machine for machine in result.machines if machine["type"] == "p5.48xlarge"]

        assert {
            name: p5[name]
            for name in ("vcpu", "memory_gib", "fabric_interfaces", "network_cards", "as_of")
        } == {
            "vcpu": 192,
            "memory_gib": "2048",
            "fabric_interfaces": 32,
            "network_cards": 32,
            "as_of": DAY,
        }
        assert p5["source"].startswith("EC2 DescribeInstanceTypes; other cells: moto 5.2.5")
        assert {"us-east-1", "us-west-2"} <= set(p5["regions"])

    def test_cells_that_the_table_settled_are_not_touched(self, result: FetchedData) -> None:
        (trn2,) = [
            machine for machine in result.machines if machine["type"] == "trn2.48xlarge"
        ] or [{}]

        assert "gpu_memory_gib" not in trn2
        assert "network_gbps" not in trn2

    def test_machines_without_gpus_are_not_there(self, result: FetchedData) -> None:
        assert not [
            machine
            for machine in result.machines
            if machine["type"].startswith(("m5", "c5", "t3"))
        ]


def stubbed(monkeypatch: pytest.MonkeyPatch, *answers: tuple[str, Any]) -> None:
    """Put botocore's stub, which checks answers by the service's model, in the client's place."""
    client = boto3.Session().client("ec2", region_name="us-east-1")
    stub = Stubber(client)
    stub.add_response("describe_regions", {"Regions": [{"RegionName": "us-east-1"}]})
    for method, answer in answers:
        if isinstance(answer, dict):
            stub.add_response(method, answer)
        else:
            stub.add_client_error(method, *answer)
    stub.activate()
    monkeypatch.setattr(refresh, "_ec2", lambda *_: client)


def described(**more: Any) -> dict[str, Any]:
    """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html."""
    return {
        "InstanceType": "p5.48xlarge",
        "SupportedUsageClasses": ["on-demand", "spot"],
        "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
        "VCpuInfo": {"DefaultVCpus": 192},
        "MemoryInfo": {"SizeInMiB": 2097152},
        "InstanceStorageInfo": {"TotalSizeInGB": 30400},
        "NetworkInfo": {"MaximumNetworkCards": 32, "EfaInfo": {"MaximumEfaInterfaces": 32}},
        "GpuInfo": {
            "Gpus": [
                {
                    "Name": "Moon",
                    "Manufacturer": "NVIDIA",
                    "Count": 8,
                    "MemoryInfo": {"SizeInMiB": 81920},
                }
            ]
        },
        **more,
    }


def test_a_new_machine_of_an_unknown_gpu_is_left_out_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    new = described(InstanceType="p5.4xlarge")
    stubbed(monkeypatch, ("describe_instance_types", {"InstanceTypes": [described(), new]}))
    plan = job.plan("aws", ("machines",), ("us-east-1",), "", lambda *_: None)
    machines = {name: row for name, row in plan.request.machines.items() if name != "p5.4xlarge"}
    less = replace(plan, request=replace(plan.request, machines=machines))

    result = job.fetch(less, lambda _: None)

    assert [machine["type"] for machine in result.machines] == ["p5.48xlarge"]
    assert result.left_out == ("p5.4xlarge: unknown GPU 'Moon' of 81920 MiB",)


def test_a_new_machine_of_a_known_gpu_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    new = described(InstanceType="p5.4xlarge")
    stubbed(monkeypatch, ("describe_instance_types", {"InstanceTypes": [new]}))
    plan = job.plan("aws", ("machines",), ("us-east-1",), "", lambda *_: "H100-SXM-80GB")
    less = replace(plan, request=replace(plan.request, machines={}))

    (row,) = job.fetch(less, lambda _: None).machines

    assert (row["gpu"], row["gpu_count"], row["gpu_memory_gib"]) == ("H100-SXM-80GB", "8", "80")
    assert (row["regions"], row["fabric"]) == (["us-east-1"], "efa")


def spot(zone: str, price: str, hour: int, **more: str) -> dict[str, Any]:
    """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_SpotPrice.html."""
    return {
        "AvailabilityZone": zone,
        "InstanceType": "p5.48xlarge",
        "ProductDescription": "Linux/UNIX",
        "SpotPrice": price,
        "Timestamp": datetime(2026, 11, 20, hour, tzinfo=UTC),
        **more,
    }


def test_of_each_zone_the_newest_spot_price_over_all_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    method = "describe_spot_price_history"
    first = [spot("us-east-1a", "20.1", 3), spot("us-east-1b", "21", 5)]
    second = [spot("us-east-1a", "22.5", 9), spot("us-east-1c", "0", 9)]
    stubbed(
        monkeypatch,
        (method, {"SpotPriceHistory": first, "NextToken": "more"}),
        (method, {"SpotPriceHistory": second, "NextToken": ""}),
    )

    result = fetched("", "spot", regions=("us-east-1",))

    assert {price.zone: price.per_unit for price in result.prices} == {
        "us-east-1a": Decimal("22.5"),
        "us-east-1b": Decimal(21),
    }
    assert {(price.as_of, price.mode, price.origin) for price in result.prices} == {
        (DAY, "spot", "refreshed")
    }
    assert result.left_out == ("p5.48xlarge spot in us-east-1c: its price is 0",)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (("UnauthorizedOperation", "You are not allowed"), "was refused: UnauthorizedOperation"),
        (("RequestLimitExceeded", "Request limit exceeded."), "RequestLimitExceeded"),
        ({"SpotPriceHistory": []}, "the price API lists no machine of aws"),
        (
            {"SpotPriceHistory": [spot("a", "cheap", 3)]},
            "sent a response that its documentation doesn't describe",
        ),
        (
            {"SpotPriceHistory": [{"InstanceType": "p5.48xlarge"}]},
            "sent a response that its documentation doesn't describe",
        ),
    ],
)
def test_a_refusal_or_nonsense_is_told(
    answer: Any, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stubbed(monkeypatch, ("describe_spot_price_history", answer))

    code = run(["catalog", "refresh", "--cloud", "aws", "--only", "spot"])

    shown = capsys.readouterr().err
    assert code == 3
    assert words in shown
    assert "no changes, no file was written" in shown
    assert not user_table_files.path("aws").exists()


def test_no_connection_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreachable(*_: object) -> Any:
        raise botocore.exceptions.EndpointConnectionError(endpoint_url="https://ec2")

    monkeypatch.setattr(refresh, "_ec2", unreachable)

    assert run(["catalog", "refresh", "--cloud", "aws", "--only", "spot"]) == 3
    told = " ".join(capsys.readouterr().err.split())
    assert "error: AWS (DescribeRegions) can't be reached: it refuses the connection" in told
    assert "fix: check the network and the proxy (HTTPS_PROXY), then run the command again" in told
