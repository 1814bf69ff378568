"""What of a stack file is looked at, and that one answer's faults end no other check."""

from functools import partial
from pathlib import Path

import pytest

from gpuinfra.clouds.account_check import AccountQuery
from gpuinfra.clouds.aws.account import all_checks
from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from gpuinfra.clouds.aws.account.quota_requests import requests
from gpuinfra.clouds.aws.account.workload_needs import DeclaredResources, stack_needs
from gpuinfra.clouds.aws.declare import launch_template
from gpuinfra.model import Plan
from gpuinfra.planning.observed_plan import workload_rows
from gpuinfra.source import read
from gpuinfra.specs.schema import Stack
from tests.clouds.aws.account.conftest import REGION

Planned = tuple[Plan, Stack, DeclaredResources]
CERTIFICATE = f"arn:aws:acm:{REGION}:123456789012:certificate/0b8e9c1e"
KEY = f"arn:aws:kms:{REGION}:123456789012:key/0b8e9c1e-0000-4000-8000-000000000000"
SUBNET = "subnet-0123456789abcdef0"
CLOSED = "port: 8000\n    network: {nat: false}"
STACK = f"""
version: 1
name: demo
owner: ml
budget: {{per_hour: 5000, per_month: 900000}}
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [{REGION}]}}
training:
  trainer:
    instance: p5.48xlarge
    nodes: 2
    efa_layout: classic
    capacity:
      - reserved: {{reservation: cr-0123456789abcdef0}}
      - on-demand: {{reserve: true}}
    network: {{vpc: vpc-0123456789abcdef0, subnets: [{SUBNET}]}}
    checkpoints: {{bucket: data}}
    duration: 4h
inference:
  chat:
    instance: g6.xlarge
    mixed: [g5.2xlarge]
    replicas: 1..3
    scale_on: {{gpu_utilization: 70%}}
    capacity: {{on_demand_base: 1, above: spot}}
    certificate: {CERTIFICATE}
    image: 123456789012.dkr.ecr.{REGION}.amazonaws.com/serve:v1
    port: 8000
buckets:
  data: {{encryption: "{KEY}"}}
"""


@pytest.fixture
def planned(tmp_path: Path) -> Planned:
    path = tmp_path / "stack.yaml"
    path.write_text(STACK)
    document, plan = read(path, {})
    return plan, document.stack, partial(workload_rows, document.stack)


def test_a_stack_file_says_what_it_needs(planned: Planned):
    trainer, again, chat = stack_needs(*planned, all_rungs=True)

    assert (trainer.workload, trainer.rung.reservation) == ("trainer", "cr-0123456789abcdef0")
    assert (trainer.on_demand, trainer.spot, trainer.count, trainer.one_zone) == (0, 0, 2, True)
    assert (again.on_demand, again.rung.reserve) == (2, True)
    assert (trainer.interfaces, trainer.has_several_interfaces, chat.has_several_interfaces) == (
        32,
        True,
        False,
    )
    assert (trainer.allowed_zones, chat.allowed_zones, chat.reaches_internet) == ((), (), True)
    assert (trainer.network, trainer.subnets) == ("vpc-0123456789abcdef0", (SUBNET,))
    assert (chat.on_demand, chat.spot, chat.interfaces, chat.subnets) == (1, 2, 1, None)
    assert chat.types[0] == "g6.xlarge"
    assert set(chat.types) == {"g6.xlarge", "g5.2xlarge"}
    assert chat.zones == ("us-east-1a", "us-east-1b")
    assert chat.certificate == CERTIFICATE
    assert "ecr.dkr" in chat.services
    assert "ecr.dkr" not in trainer.services
    assert trainer.image is not None
    assert trainer.image.name.startswith("/aws/service/deeplearning/ami/x86_64/")


def test_the_file_s_zones_and_a_network_without_a_way_out_are_known(tmp_path: Path):
    path = tmp_path / "stack.yaml"
    zones = f"[{REGION}], zones: [{REGION}b]"
    path.write_text(STACK.replace(f"[{REGION}]", zones, 1).replace("port: 8000", CLOSED))
    document, plan = read(path, {})

    trainer, chat = stack_needs(
        plan, document.stack, partial(workload_rows, document.stack), all_rungs=False
    )

    assert (trainer.allowed_zones, trainer.reaches_internet) == ((f"{REGION}b",), True)
    assert (chat.allowed_zones, chat.reaches_internet) == ((f"{REGION}b",), False)


def test_what_is_needed_is_read_from_what_is_declared(planned: Planned, monkeypatch):
    monkeypatch.setattr(
        launch_template, "interface", lambda *_, **__: {"interfaceType": "efa-only"}
    )

    trainer, chat = stack_needs(*planned, all_rungs=False)

    assert trainer.has_several_interfaces
    assert (trainer.interfaces, chat.interfaces) == (1, 1)


def test_only_the_rung_that_stands_unless_all_are_asked_for(planned: Planned):
    assert [need.workload for need in stack_needs(*planned, all_rungs=False)] == [
        "trainer",
        "chat",
    ]


def test_the_quota_s_request_is_written_offline(planned: Planned):
    on_demand, spot = requests(*planned, "chat")

    assert "--quota-code L-DB2E81BA --desired-value 8 --region us-east-1" in on_demand
    assert "--quota-code L-3819A6DF --desired-value 16 --region us-east-1" in spot
    assert list(requests(*planned, "trainer")) == []


def test_all_that_a_file_names_is_looked_at(planned: Planned, moto):
    seen = all_checks.look(*planned, AccountQuery(timeout_seconds=60))

    states = {check.check: check.state for check in seen.checks}
    assert states == {
        "caller": "ok",
        "quota": "unknown",
        "network quota": "unknown",
        "subnet": "problem",
        "reservation": "unknown",
        "offered": "ok",
        "image": "problem",
        "container": "problem",
        "certificate": "problem",
        "key": "problem",
        "right": "unknown",
    }
    assert len(set(seen.checks)) == len(seen.checks)
    assert seen.count("ok") + seen.count("problem") + seen.count("unknown") == len(seen.checks)


def test_answers_that_say_nothing_end_no_other_check(planned: Planned, monkeypatch, stubbed):
    """Every answer is empty where something has to be: each check says so, none raises."""
    answer = {"Account": "1", "Arn": "arn:aws:iam::1:user/ada"}

    def empty(caller, service, region, operation, **arguments):
        return answer if operation == "get_caller_identity" else {}

    monkeypatch.setattr(AccountClient, "ask", empty)
    monkeypatch.setattr(AccountClient, "all_rows", lambda *_, **__: [{}])

    seen = all_checks.look(*planned, AccountQuery(timeout_seconds=60))

    assert {check.state for check in seen.checks} == {"ok", "unknown"}
    assert seen.count("ok") == 1


@pytest.mark.parametrize("kind", ["denied", "throttled", "unreachable", "not implemented", "late"])
def test_without_an_answer_nothing_is_fine_and_nothing_a_problem(
    planned: Planned, monkeypatch, kind
):
    none = NoAnswer(kind=kind, why="because", fix="wait")
    monkeypatch.setattr(AccountClient, "ask", lambda *_, **__: none)
    monkeypatch.setattr(AccountClient, "all_rows", lambda *_, **__: none)

    seen = all_checks.look(*planned, AccountQuery(timeout_seconds=60))

    assert (seen.account, seen.count("unknown")) == (None, len(seen.checks))
