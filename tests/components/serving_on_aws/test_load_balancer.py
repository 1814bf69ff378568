"""Pools that answer by HTTPS: what stands before them, and how machines come and leave."""

import json

import pytest

from tests.components.serving_on_aws.stacks import CERTIFICATE, WEB, Builds, changed, script


def test_it_answers_by_https_and_nothing_else(builds: Builds) -> None:
    seen = builds(WEB)
    listener, ingress = (seen.of(f"web-{part}").inputs for part in ("listener", "clients-ingress"))

    assert (listener["port"], listener["protocol"]) == (443, "HTTPS")
    assert listener["certificateArn"] == CERTIFICATE
    assert listener["sslPolicy"].startswith("ELBSecurityPolicy-TLS13-1-2")
    assert (ingress["fromPort"], ingress["toPort"]) == (443, 443)
    assert (
        len(
            [
                resource
                for resource in seen.resources
                if resource.type == "aws:lb/listener:Listener"
            ]
        )
        == 1
    )


def test_machines_start_once_requests_reach_them(builds: Builds) -> None:
    seen = builds(WEB)

    assert "web-listener" in seen.of("web-group").after
    assert "web-group" in seen.of("web-tracking").after


def test_spot_machines_leave_the_load_balancer_before_they_are_interrupted(
    builds: Builds,
) -> None:
    plain = builds(WEB)
    spot = "replicas: 1..4\n    capacity: {on_demand_base: 1, above: spot}"
    seen = builds(changed(WEB, ("replicas: 1..4", spot)))
    targets = "arn:aws:mock:web-target-group"
    (statement,) = json.loads(seen.of("web-leaving").inputs["policy"])["Statement"]

    assert f"TARGETS={targets}\n" in script(seen, "web")
    assert "gpuinfra-leave.service" in script(seen, "web")
    assert statement["Action"] == ["elasticloadbalancing:DeregisterTargets"]
    assert statement["Resource"] == targets
    assert "gpuinfra-leave" not in script(plain, "web")
    assert "web-leaving" not in {resource.name for resource in plain.resources}


@pytest.mark.parametrize(
    ("pool", "leaves"),
    [
        ("1..4\n    capacity: spot", False),
        ("2..4\n    capacity: spot", True),
        ("1..4\n    capacity: {on_demand_base: 1, above: spot}", True),
    ],
)
def test_a_machine_that_may_be_the_only_one_serves_until_it_is_gone(
    builds: Builds, pool: str, leaves: bool
) -> None:
    seen = builds(changed(WEB, ("replicas: 1..4", f"replicas: {pool}")))

    assert ("gpuinfra-leave" in script(seen, "web")) is leaves


def test_a_machine_that_leaves_finishes_its_requests(builds: Builds) -> None:
    assert builds(WEB).of("web-target-group").inputs["deregistrationDelay"] == 300


def test_long_answers_are_waited_for(builds: Builds) -> None:
    seen = builds(f"{WEB}    idle_timeout: 20m\n")

    assert seen.of("web-load-balancer").inputs["idleTimeout"] == 1200
    assert seen.of("web-target-group").inputs["deregistrationDelay"] == 1200


def test_a_pool_behind_an_address_keeps_its_container_from_the_role(builds: Builds) -> None:
    template = builds(WEB).of("web-launch-template").inputs

    assert template["metadataOptions"]["httpPutResponseHopLimit"] == 1
