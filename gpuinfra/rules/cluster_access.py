"""API servers of Kubernetes clusters are closed to the internet, without local accounts."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.model import UNKNOWN, ControlPlane, Known
from gpuinfra.rules.rule import Finding, Rule, each_row, fine, not_knowable, violated

_OPEN: Final = "anyone can reach its API server from the internet"
_LOCAL: Final = "it takes certificates of local accounts, which no directory manages"
_DOUBT: Final = {
    _OPEN: "it is unknown whether anyone can reach its API server from the internet",
    _LOCAL: "it is unknown whether it takes certificates of local accounts",
}


def _control_plane(plane: ControlPlane) -> Finding:
    facts = {_OPEN: plane.open, _LOCAL: plane.local_accounts}
    bad = list(_that_are(facts, True))
    if bad:
        return violated(plane.subject, "; ".join(bad))
    unknown = [_DOUBT[fact_text] for fact_text in _that_are(facts, UNKNOWN)]
    if unknown:
        return not_knowable(plane.subject, "; ".join(unknown))
    return fine(plane.subject, "its API server is closed to the internet")


def _that_are(facts: dict[str, Known | None], value: Known) -> Iterator[str]:
    return (fact_text for fact_text, fact in facts.items() if fact is value)


RULE = Rule(
    id="cluster-access",
    family="security",
    title="API servers of Kubernetes clusters are closed to the internet and to local accounts",
    why="A stolen token or certificate works from any address, and a flaw of the API server can "
    "be used from everywhere. A local account stays valid after its user has left.",
    fix="limit the addresses that reach the API server, and disable local accounts where the "
    "cloud has them",
    fix_by_cloud={
        "aws": "set vpcConfig.publicAccessCidrs, or endpointPublicAccess: false",
        "gcp": "set masterAuthorizedNetworksConfig without gcpPublicCidrsAccessEnabled, or "
        "privateClusterConfig.enablePrivateEndpoint: true; remove "
        "dnsEndpointConfig.allowExternalTraffic and "
        "masterAuth.clientCertificateConfig.issueClientCertificate",
        "azure": "set apiServerAccessProfile.authorizedIPRanges, or enablePrivateCluster: true; "
        "and set disableLocalAccounts: true with an aadProfile",
    },
    source="https://learn.microsoft.com/azure/aks/api-server-authorized-ip-ranges",
    check=lambda judged, _: each_row(
        judged, judged.plan.control_planes, "no Kubernetes cluster", _control_plane
    ),
    level="advisory",
    alone=True,
)
