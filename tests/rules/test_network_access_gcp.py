"""Machines of raw resources on Google Cloud reach what they use, and clients reach them."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_pool import CHECKS, Pool
from tests.rules.cases.gcp_pool import pool as pool  # noqa: PLC0414
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment


@both
def test_a_pool_reaches_what_it_uses_and_is_reached(pool: Pool, moment: Moment) -> None:
    outcome, message = pool.told(moment)

    assert outcome == "fine", message
    for words in (
        "the internet through the NAT nat",
        "Google APIs through Private Google Access",
        "storage.objectViewer on all of models",
        "TCP 8000 from health checks",
        "requests to TCP 8000",
        "healthy where HTTP /ready answers on TCP 8000",
    ):
        assert words in message


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (("nat", "router"), "the subnet inner has no outbound route"),
        (("checks",), "no firewall allows health in on TCP 8000 from 35.191.0.0/16 and 130"),
        (
            ("clients", "checks"),
            "no firewall allows inbound TCP 8000, which front forwards; no firewall",
        ),
        (("clients",), "no firewall allows inbound TCP 8000, which front forwards"),
        (("reads",), "its script uses the bucket models, and who has no role on it"),
        (("front",), "no forwarding rule leads to the backend service service"),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(value),
)
def test_what_is_missing_is_told(pool: Pool, gone: tuple[str, ...], words: str) -> None:
    outcome, message = pool.without(*gone).told("preview")

    assert outcome == "violated"
    assert words in message


@pytest.mark.parametrize(
    ("part", "inputs", "words"),
    [
        (
            "net",
            {"autoCreateSubnetworks": True},
            "automatically in 10.128.0.0/9, which overlaps inner",
        ),
        ("inner", {"ipCidrRange": None}, "the subnet inner has no address range"),
        ("inner", {"region": "us-east1"}, "servers in us-central1 refers to inner in us-east1"),
        (
            "nat",
            {"natIpAllocateOption": "AUTO_ONLY"},
            "names addresses, which Google Cloud accepts only with MANUAL_ONLY",
        ),
        ("nat", {"natIps": None}, "uses manual addresses, and names none"),
        ("address", {"addressType": "INTERNAL"}, "has the address address, which is internal"),
        ("clients", {"sourceRanges": None}, "the firewall clients names no source"),
        ("checks", {"sourceRanges": CHECKS[:1]}, "in on TCP 8000 from 130.211.0.0/22"),
        ("checks", {"allows": [{"protocol": "udp"}]}, "no firewall allows health in on TCP 8000"),
        (
            "how",
            {"metadata": {"ssh-keys": "me:ssh-rsa AAAA"}},
            "no firewall of net allows SSH in (TCP 22",
        ),
        ("how", {"serviceAccount": None}, "models, and it has no service account"),
        ("health", {"httpHealthCheck": {"port": 80}}, "no firewall allows health in on TCP 80 "),
        ("health", {"httpHealthCheck": None}, "has 0 kinds of probe: it must have exactly one"),
        ("health", {"timeoutSec": 20}, "(20 s) is longer than its interval (5 s)"),
        ("service", {"healthChecks": None}, "has no health check, which it requires"),
        ("service", {"protocol": "HTTP"}, "uses HTTP instead of TCP or UDP"),
        ("front", {"ports": None}, "forwards no ports"),
        ("front", {"subnetwork": None}, "names no subnet of net"),
    ],
)
def test_what_is_broken_is_told(pool: Pool, part: str, inputs: dict[str, Any], words: str) -> None:
    outcome, message = pool.changed(part, **inputs).told("preview")

    assert outcome == "violated", message
    assert words in message


@both
@pytest.mark.parametrize(
    ("role", "outcome"),
    [
        ("roles/compute.osLogin", "violated"),
        ("roles/iap.tunnelResourceAccessor", "violated"),
        ("roles/compute.viewer", "fine"),
    ],
)
def test_a_login_is_missed_where_the_stack_grants_one(
    pool: Pool, role: str, outcome: str, moment: Moment
) -> None:
    pool.changed("how", metadata={"enable-oslogin": "TRUE"})
    pool.program.add("projects/iAMMember:IAMMember", "in", role=role, member="group:a@example.com")

    judged, message = pool.told(moment)

    assert judged == outcome
    assert "no login: no firewall of net allows SSH in" in message


def test_a_backend_of_another_balancing_mode_is_told(pool: Pool) -> None:
    backend = {"group": pool["servers"].out("instanceGroup"), "balancingMode": "RATE"}

    assert (
        "balances by RATE: use CONNECTION" in pool.changed("service", backends=[backend]).told()[1]
    )


@pytest.mark.parametrize(
    "opened",
    [
        {"sourceRanges": ["35.235.240.0/20"], "allows": [{"protocol": "tcp", "ports": ["22"]}]},
        {"sourceTags": ["bastion"], "allows": [{"protocol": "all"}]},
        {"sourceRanges": [UNKNOWN], "allows": [{"protocol": "tcp", "ports": ["1-1024"]}]},
    ],
    ids=["the proxy", "a bastion", "a range that is not known"],
)
def test_a_login_that_a_firewall_may_let_in_is_no_fault(
    pool: Pool, opened: dict[str, Any]
) -> None:
    pool.changed("how", metadata={"enable-oslogin": "TRUE"})
    pool.program.add("compute/firewall:Firewall", "in", network=pool["net"].link, **opened)

    outcome, message = pool.told()
    assert outcome == "fine"
    by_tags = "machines with the firewall's source tags or service accounts"
    assert (by_tags in message) is ("sourceTags" in opened)


def test_a_login_at_the_console_needs_no_firewall(pool: Pool) -> None:
    metadata = {"enable-oslogin": "TRUE", "serial-port-enable": "TRUE"}

    assert pool.changed("how", metadata=metadata).told()[0] == "fine"


@pytest.mark.parametrize(
    ("gone", "added"),
    [
        (("reads",), ("storage/bucketIAMBinding:BucketIAMBinding", {"members": UNKNOWN})),
        (("reads",), ("storage/bucketIAMPolicy:BucketIAMPolicy", {"policyData": "{}"})),
        (("checks",), ("compute/firewall:Firewall", {"network": UNKNOWN})),
        (("front",), ("compute/forwardingRule:ForwardingRule", {"backendService": UNKNOWN})),
        (("nat",), ("compute/routerNat:RouterNat", {"router": UNKNOWN})),
    ],
    ids=["a binding", "a policy", "a firewall", "a rule", "a NAT"],
)
def test_what_may_be_open_in_another_way_is_no_fault(
    pool: Pool, gone: tuple[str, ...], added: tuple[str, dict[str, Any]]
) -> None:
    token, inputs = added
    more = {"bucket": pool["models"].out("name")} if token.startswith("storage") else {}
    pool.program.add(token, "other", role="roles/storage.admin", **inputs, **more)

    outcome, message = pool.without(*gone).told("preview")
    assert outcome == "fine", message


def test_a_network_of_another_stack_is_not_judged(pool: Pool) -> None:
    pool.changed("how", networkInterfaces=[{"network": "default"}], metadata=None)
    pool.without("checks", "clients", "nat", "router")

    assert "no firewall" not in pool.told()[1]
    assert "way out" not in pool.told()[1]


def test_zones_of_one_region_are_one_place(pool: Pool) -> None:
    pool.program.add(
        "compute/instance:Instance",
        "apart",
        zone="us-central1-f",
        machineType="g2-standard-8",
        networkInterfaces=[{"subnetwork": pool["inner"].link}],
    )

    assert "refers to" not in pool.told()[1]
