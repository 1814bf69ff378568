"""What goes wrong on AWS, one after the other: each is an answer, and the next up goes on."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra import sandbox
from gpuinfra.cli import run
from gpuinfra.engine import lifecycle
from gpuinfra.sandbox.faults import InjectedFault
from tests.e2e.lives import changed, fine, left, request_of, standing, up

pytestmark = pytest.mark.e2e

STACK = """
version: 1
name: refused
owner: ml
budget: {per_hour: 20}
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  trainer:
    instance: g4dn.xlarge
    capacity: [spot, on-demand]
    max_price: 0.4
    duration: 4h
    checkpoints: {bucket: data}
buckets: {data: {}}
"""
GROUP = "aws:autoscaling/group:Group"
Refused = Callable[..., str]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, module_sandbox_home: Path) -> Path:
    file = tmp_path_factory.mktemp("refused") / "stack.yaml"
    file.write_text(STACK)
    return file


@pytest.fixture
def refused(path: Path, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Runs an up that a fault refuses; gives what it says."""

    def go(fault: InjectedFault, *options: str) -> str:
        sandbox.faults.add(fault)
        code = run(["up", str(path), "--target", "sandbox", "--skip-preview", *options])
        sandbox.faults.clear()
        captured = capsys.readouterr()
        assert code == 3, captured.out + captured.err
        assert "Traceback" not in captured.err
        return captured.err

    return go


def test_a_right_that_is_missing_is_named(refused: Refused) -> None:
    message = refused(InjectedFault(kind="unauthorized", type="aws:iam/role:Role"))

    assert "allow iam:CreateRole to " in message
    assert "Retry " not in message


def test_a_crash_in_the_middle_says_that_the_next_up_goes_on(refused: Refused) -> None:
    message = refused(InjectedFault(kind="crash", after=2))

    assert "the provider's process ended during" in message
    assert "Retry " not in message


def test_no_capacity_in_any_zone_names_the_next_rung(refused: Refused, path: Path) -> None:
    message = refused(InjectedFault(kind="no-capacity", capacity="spot"))

    assert "(InsufficientInstanceCapacity: There is no Spot capacity" in message
    assert "No spot machines for trainer. Retry on demand (up to $" in message
    assert f"gpuinfra up {path} --target sandbox --rung trainer=on-demand@us-east-1" in message
    assert "trainer-group" not in standing()


def test_a_quota_is_told_apart_from_capacity(refused: Refused) -> None:
    message = refused(InjectedFault(kind="quota", capacity="spot"))

    assert "the account's quota of spot vCPUs" in message
    assert "No spot machines for trainer. Retry on demand (up to $" in message


def test_a_spot_price_above_the_maximum_is_told(refused: Refused) -> None:
    message = refused(InjectedFault(kind="spot-price"))

    assert "the spot price is now above the maximum" in message
    assert "No spot machines for trainer. Retry on demand (up to $" in message


def test_a_group_that_stands_without_machines_is_an_answer_and_no_hang(
    refused: Refused,
) -> None:
    message = refused(InjectedFault(kind="launches-fail"), "--rung", "trainer=on-demand@us-east-1")

    assert "the group itself exists, and keeps trying" in message
    assert "trainer has no further rung" in message
    assert standing()["trainer-group"].unfinished is False


def test_the_next_up_goes_on_with_what_stands_and_then_nothing_is_left_to_do(path: Path) -> None:
    before = standing()["trainer-group"].id
    rung = "trainer=on-demand@us-east-1"

    again = up(path, rung, judged=False)

    assert not {"replace", "delete"} & {operation for operation, _ in changed(again).values()}
    assert standing()["trainer-group"].id == before
    assert changed(up(path, rung, judged=False)) == {}


def test_destroy_leaves_nothing(path: Path) -> None:
    fine(lifecycle.destroy(request_of(path, judged=False)))

    assert left() == []
