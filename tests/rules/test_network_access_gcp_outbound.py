"""Machines of raw resources on Google Cloud reach Google APIs and, for packages, the internet."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_pool import Pool
from tests.rules.cases.gcp_pool import pool as pool  # noqa: PLC0414


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
        ("cat >/etc/motd <<EOF\npip install torch\nEOF\n", "fine"),
        ("cat <<EOF | psql -h db\npip install torch\n  EOF\n", "fine"),
        ("cat <<'EOF' >/opt/run.sh\npip install torch\nEOF\necho done", "fine"),
        ("cat <<-EOF >/etc/motd\nhello\n\tEOF\npip install torch", "violated"),
        ("cat <<A >a\nhello\nA\npip install torch\ncat <<A >a\nhello\nA\n", "violated"),
        ("bash <<EOF\npip install torch\nEOF\n", "violated"),
        ("cat <<EOF | sudo sh -e\npip install torch\nEOF\n", "violated"),
        ("cat <<EOF >a\npip install torch\n", "violated"),
        ("cat <<<EOF >a\npip install torch\nEOF", "violated"),
        ("cat <<'EOF' >/opt/run.sh\npip install torch\nEOF\nsudo bash -x /opt/run.sh", "violated"),
        ("sudo tee /a <<E\npip install torch\nE\nchmod +x /a && /a\n", "violated"),
        ("cat <<EOF >/opt/run.sh\npip install torch\nEOF\ncp /opt/run.sh /home/a/", "fine"),
        ("cat <<EOF >/opt/run.sh\npip install torch\nEOF\nbash /opt/run.sh.d/x", "fine"),
        ("sudo -u me -i <<EOF\npip install torch\nEOF\n", "violated"),
        ("su - me <<EOF\npip install torch\nEOF\n", "violated"),
        ("# cat <<A\npip install torch\ncat <<A >a\nhello\nA\n", "violated"),
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
