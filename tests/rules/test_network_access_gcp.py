"""Machines of raw resources on Google Cloud reach what they use, and clients reach them."""

from dataclasses import dataclass
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpHandle, GcpProgram
from tests.rules.cases.gcp_stacks import DISK
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.program import Moment

RULE = "network-access"
REGION = "us-central1"
CHECKS = ["35.191.0.0/16", "130.211.0.0/22"]


@dataclass
class Pool:
    """Servers behind an internal load balancer, in a private subnet with a NAT."""

    program: GcpProgram
    parts: dict[str, GcpHandle]

    def __getitem__(self, name: str) -> GcpHandle:
        return self.parts[name]

    def without(self, *names: str) -> "Pool":
        for name in names:
            self.program.drop(self[name])
        return self

    def changed(self, name: str, **inputs: Any) -> "Pool":
        self.program.change(self[name], **inputs)
        return self

    def told(self, moment: Moment = "created") -> tuple[str, str]:
        judged = findings(of_resources(self.program.resources(moment)), RULE)
        (finding,) = (each for each in judged if each.subject == self["servers"].urn)
        return finding.outcome, finding.message


@pytest.fixture
def pool() -> Pool:
    program = GcpProgram()
    parts: dict[str, GcpHandle] = {}

    def add(kind: str, name: str, **inputs: Any) -> GcpHandle:
        parts[name] = program.add(kind, name, **inputs)
        return parts[name]

    net = add("compute/network:Network", "net", autoCreateSubnetworks=False)
    place = {"network": net.link, "region": REGION}
    subnet = add("compute/subnetwork:Subnetwork", "inner", ipCidrRange="10.130.0.0/20", **place)
    router = add("compute/router:Router", "router", **place)
    address = add("compute/address:Address", "address", region=REGION)
    add(
        "compute/routerNat:RouterNat",
        "nat",
        router=router.out("name"),
        region=REGION,
        natIpAllocateOption="MANUAL_ONLY",
        natIps=[address.link],
        sourceSubnetworkIpRangesToNat="ALL_SUBNETWORKS_ALL_IP_RANGES",
    )
    web = [{"protocol": "tcp", "ports": ["8000"]}]
    for name, sources in (("clients", ["10.130.0.0/20"]), ("checks", CHECKS)):
        add("compute/firewall:Firewall", name, network=net.link, sourceRanges=sources, allows=web)
    account = add("serviceaccount/account:Account", "who", accountId="who")
    bucket = add("storage/bucket:Bucket", "models", location="US-CENTRAL1")
    add(
        "storage/bucketIAMMember:BucketIAMMember",
        "reads",
        bucket=bucket.out("name"),
        role="roles/storage.objectViewer",
        member=account.out("member"),
    )
    template = add(
        "compute/instanceTemplate:InstanceTemplate",
        "how",
        machineType="g2-standard-8",
        disks=[DISK],
        networkInterfaces=[{"subnetwork": subnet.link}],
        serviceAccount={"email": account.out("email"), "scopes": ["cloud-platform"]},
        metadata={"bucket": bucket.out("name")},
    )
    health = add(
        "compute/regionHealthCheck:RegionHealthCheck",
        "health",
        region=REGION,
        httpHealthCheck={"port": 8000, "requestPath": "/ready"},
    )
    group = add(
        "compute/regionInstanceGroupManager:RegionInstanceGroupManager",
        "servers",
        region=REGION,
        baseInstanceName="servers",
        versions=[{"instanceTemplate": template.link}],
        targetSize=2,
        autoHealingPolicies={"healthCheck": health.id, "initialDelaySec": 300},
    )
    service = add(
        "compute/regionBackendService:RegionBackendService",
        "service",
        region=REGION,
        loadBalancingScheme="INTERNAL",
        protocol="TCP",
        healthChecks=health.id,
        backends=[{"group": group.out("instanceGroup"), "balancingMode": "CONNECTION"}],
    )
    add(
        "compute/forwardingRule:ForwardingRule",
        "front",
        region=REGION,
        loadBalancingScheme="INTERNAL",
        backendService=service.id,
        ports=["8000"],
        network=net.link,
        subnetwork=subnet.link,
    )
    return Pool(program, parts)


@pytest.mark.parametrize("moment", ["preview", "created"])
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
            {"metadata": {"enable-oslogin": "TRUE"}},
            "no login: no firewall of net allows SSH in",
        ),
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


AGENT = "curl -fsS https://x/add-google-cloud-ops-agent-repo.sh | bash; # google-cloud-ops-agent"
WRITERS = ("roles/logging.logWriter", "roles/monitoring.metricWriter")


def with_roles(pool: Pool, *roles: str, script: str = AGENT, **more: Any) -> Pool:
    for role in roles:
        member = pool["who"].out("member")
        pool.program.add("projects/iAMMember:IAMMember", role, role=role, member=member, **more)
    return pool.changed("how", metadataStartupScript=script)


@pytest.mark.parametrize("left", WRITERS)
def test_an_agent_without_a_role_is_told(pool: Pool, left: str) -> None:
    outcome, message = with_roles(pool, *(writer for writer in WRITERS if writer != left)).told(
        "preview"
    )

    assert outcome == "violated"
    assert f"starts the Ops Agent, and who has no role for it: grant it {left}" in message


@pytest.mark.parametrize(
    "roles", [WRITERS, ("roles/editor",), ("roles/container.nodeServiceAccount",), (UNKNOWN,)]
)
def test_an_agent_that_may_have_its_roles_is_no_fault(pool: Pool, roles: tuple[Any, ...]) -> None:
    assert with_roles(pool, *roles).told("preview")[0] == "fine"


def test_an_agent_whose_account_is_written_out_is_no_fault(pool: Pool) -> None:
    for role in WRITERS:
        member = "serviceAccount:who@p.iam.gserviceaccount.com"
        pool.program.add("projects/iAMMember:IAMMember", role, role=role, member=member)

    assert with_roles(pool).told("preview")[0] == "fine"


def test_an_agent_with_an_identity_of_its_own_is_no_fault(pool: Pool) -> None:
    script = f"export GOOGLE_APPLICATION_CREDENTIALS=/run/who.json\n{AGENT}"

    assert with_roles(pool, script=script).told()[0] == "fine"


def test_an_agent_without_a_service_account_is_told(pool: Pool) -> None:
    pool.changed("how", serviceAccount=None, metadata=None, metadataStartupScript=AGENT)

    assert "starts the Ops Agent, and it has no service account" in pool.told()[1]


def test_a_role_of_another_account_is_none(pool: Pool) -> None:
    other = pool.program.add("serviceaccount/account:Account", "other", accountId="other")
    for role in WRITERS:
        pool.program.add(
            "projects/iAMMember:IAMMember", role, role=role, member=other.out("member")
        )

    assert "who has no role for it" in with_roles(pool).told("preview")[1]


@pytest.mark.parametrize(
    ("permissions", "outcome"),
    [
        (["monitoring.timeSeries.create"], "fine"),
        (["monitoring.timeSeries.list"], "violated"),
        ([UNKNOWN], "fine"),
        (UNKNOWN, "fine"),
    ],
)
def test_a_custom_role_counts_for_its_permissions(
    pool: Pool, permissions: Any, outcome: str
) -> None:
    role = pool.program.add(
        "projects/iAMCustomRole:IAMCustomRole", "r", roleId="r", permissions=permissions
    )
    pool.program.add(
        "projects/iAMMember:IAMMember",
        "m",
        role=role.out("name"),
        member=pool["who"].out("member"),
    )

    assert with_roles(pool, WRITERS[0]).told("preview")[0] == outcome


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


def test_a_denial_of_https_out_is_told(pool: Pool) -> None:
    pool.program.add(
        "compute/firewall:Firewall",
        "closed",
        network=pool["net"].link,
        direction="EGRESS",
        destinationRanges=["0.0.0.0/0"],
        denies=[{"protocol": "all"}],
    )

    assert "allows outbound HTTPS (TCP 443)" in pool.told()[1]


def test_a_denial_with_an_exception_is_no_fault(pool: Pool) -> None:
    for name, rules, where, priority in (
        ("closed", "denies", "0.0.0.0/0", 1000),
        ("google", "allows", "199.36.153.8/30", 900),
    ):
        pool.program.add(
            "compute/firewall:Firewall",
            name,
            network=pool["net"].link,
            direction="EGRESS",
            priority=priority,
            destinationRanges=[where],
            **{rules: [{"protocol": "tcp"}]},
        )

    assert pool.told()[0] == "fine"


def test_private_google_access_is_a_way_out(pool: Pool) -> None:
    pool.without("nat", "router").changed("inner", privateIpGoogleAccess=True)

    assert pool.told()[0] == "fine"


INSTALLS = "#!/bin/bash\nset -e\napt-get -qq -y install docker.io\n"


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        (INSTALLS, "violated"),
        ("pip3 install --quiet torch", "violated"),
        ("dnf -y update && true", "violated"),
        ("# apt-get install docker.io", "fine"),
        ("echo 'install apt packages into the image'", "fine"),
        (f"export https_proxy=http://10.0.0.2:3128\n{INSTALLS}", "fine"),
        (UNKNOWN, "fine"),
        ("pip install --no-index --find-links=/opt/wheels torch", "fine"),
        ("pip install --no-index --find-links=/opt/wheels torch\npip install jax", "violated"),
        ("pip install --no-deps -e /opt/app", "fine"),
        ("pip install -r /opt/requirements.txt", "violated"),
        ("apt-get install -y '/opt/x.deb' >/dev/null 2>&1", "fine"),
        ("pip install torch>=2 >/dev/null", "violated"),
        ("apt-get install -y /opt/x.deb && apt-get install -y jq", "violated"),
        ("apt-get install -y \\\n  /opt/x.deb \\\n  jq", "violated"),
        ("conda install --offline -y pytorch", "fine"),
        ("yum --disablerepo=* --enablerepo=own install -y jq", "fine"),
        ("yum --disablerepo=epel install -y jq", "violated"),
        ("apt-get -o Dir::Etc::sourcelist=/opt/own.list update", "fine"),
        (f"echo 'deb ar+https://x-apt.pkg.dev/projects/p r main' > /etc/a\n{INSTALLS}", "fine"),
        ('echo "run pip install torch; then start"', "fine"),
        ("printf hello && pip install torch", "violated"),
    ],
    ids=str,
)
@pytest.mark.parametrize("key", ["metadataStartupScript", "metadata"])
def test_packages_need_a_way_to_the_internet(
    pool: Pool, key: str, script: Any, outcome: str
) -> None:
    value = script if key == "metadataStartupScript" else {"startup-script": script}
    pool.changed("how", **{key: value})
    assert pool.told()[0] == "fine"

    pool.without("nat", "router").changed("inner", privateIpGoogleAccess=True)

    told, message = pool.told("preview")
    assert told == pool.told("created")[0]
    assert told == outcome
    expected = "its start-up script installs packages, and inner has no NAT to the internet"
    assert (expected in message) == (outcome == "violated")


def test_a_private_nat_leads_to_other_networks_alone(pool: Pool) -> None:
    pool.changed("how", metadataStartupScript=INSTALLS)
    pool.changed("nat", type="PRIVATE").changed("inner", privateIpGoogleAccess=True)

    assert "inner has no NAT to the internet" in pool.told()[1]


@pytest.mark.parametrize(
    ("kind", "inputs", "outcome"),
    [
        ("compute/route:Route", {"nextHopInstance": "proxy"}, "fine"),
        ("compute/route:Route", {"nextHopGateway": "default-internet-gateway"}, "violated"),
        ("compute/networkPeering:NetworkPeering", {}, "fine"),
        ("compute/vPNTunnel:VPNTunnel", {}, "fine"),
        ("compute/interconnectAttachment:InterconnectAttachment", {}, "fine"),
        ("networkconnectivity/spoke:Spoke", {}, "fine"),
        ("networkservices/gateway:Gateway", {}, "fine"),
    ],
    ids=str,
)
def test_a_network_may_lead_out_in_another_way(
    pool: Pool, kind: str, inputs: dict[str, Any], outcome: str
) -> None:
    pool.without("nat", "router").changed("inner", privateIpGoogleAccess=True)
    pool.changed("how", metadataStartupScript=INSTALLS)
    pool.program.add(kind, "other", **inputs)

    assert pool.told()[0] == outcome


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
