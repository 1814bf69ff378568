"""An AWS that answers what a test says (botocore's stubs), or moto behind a loopback port."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.workload_needs import WorkloadNeed
from gpuinfra.clouds.image_name import ImageName
from gpuinfra.model import Rung

REGION = "us-east-1"
FAR = time.monotonic() + 86_400
Stubbed = Callable[..., AccountClient]

NEED = WorkloadNeed(
    workload="trainer",
    rung=Rung(capacity="on-demand", machine="p5.48xlarge", region=REGION, zones=()),
    types=("p5.48xlarge",),
    count=2,
    on_demand=2,
    spot=0,
    interfaces=1,
    image=ImageName(found_by="ssm-parameter", name="/team/ami"),
    zones=("us-east-1a",),
    one_zone=True,
    services=("s3", "ssm"),
)


def need(**changed: Any) -> WorkloadNeed:
    """Two p5.48xlarge on demand, with something changed; `rung` takes only what differs."""
    rung = replace(NEED.rung, **changed.pop("rung", {}))
    return replace(NEED, rung=rung, **changed)


@pytest.fixture(autouse=True)
def _somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that nobody has, and no wait for a machine's own metadata."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nobody")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(scope="session")
def session() -> boto3.Session:
    """One for all tests: it reads botocore's models once."""
    return boto3.Session(aws_access_key_id="nobody", aws_secret_access_key="nobody")


@pytest.fixture
def stubbed(session: boto3.Session) -> Iterator[Stubbed]:
    """Gives a caller whose answers come in this order: (service, operation, answer or code).

    botocore's own model judges the answers, so that no test invents a field.
    """
    stubs: list[Stubber] = []

    def make(*answers: tuple[str, str, Any]) -> AccountClient:
        caller = AccountClient(deadline=FAR)
        clients: dict[str, Stubber] = {}
        for service, operation, answer in answers:
            if service not in clients:
                client = session.client(service, region_name=REGION)
                clients[service] = Stubber(client)
                caller._clients[service, REGION] = client
            if isinstance(answer, str):
                clients[service].add_client_error(operation, answer, "said by the test")
            else:
                clients[service].add_response(operation, answer)
        for stub in clients.values():
            stub.activate()
        stubs.extend(clients.values())
        return caller

    yield make
    for stub in stubs:
        stub.assert_no_pending_responses()


@pytest.fixture(scope="session")
def moto_address() -> Iterator[str]:
    """A moto server in this process."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"  # noqa: S104
    server.stop()


@pytest.fixture
def moto(moto_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """moto, empty, as the AWS of this test; gives its address."""
    from moto.moto_api._internal.models import moto_api_backend

    moto_api_backend.reset()
    monkeypatch.setenv("AWS_ENDPOINT_URL", moto_address)
    return moto_address


@pytest.fixture
def caller(moto: str, session: boto3.Session) -> AccountClient:
    return AccountClient(deadline=FAR, _session=session)


@pytest.fixture
def aws(moto: str, session: boto3.Session) -> Callable[[str], Any]:
    """boto3 clients of moto."""
    return lambda service: session.client(service, region_name=REGION)
