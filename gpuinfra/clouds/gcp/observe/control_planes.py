"""The API servers of GKE clusters, and who reaches them."""

from typing import Any

from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, flag, is_on, opposite
from gpuinfra.model import UNKNOWN, ControlPlane, Known, Resource, Unknown


def control_plane(resource: Resource) -> ControlPlane:
    """Return the API server of a cluster; by default it has a public address for everyone.

    Where external traffic is allowed, its name in the DNS is reached from the internet, too, and
    no authorized network filters it:
    https://docs.cloud.google.com/kubernetes-engine/docs/concepts/network-isolation
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/authorized-networks
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster
    (*unverified*: the pages were not read again)
    """
    inputs = resource.inputs
    endpoints = inputs.get("controlPlaneEndpointsConfig")
    addresses = flag(at(endpoints, "ipEndpointsConfig", "enabled"))
    private = is_on(at(inputs.get("privateClusterConfig"), "enablePrivateEndpoint"))
    by_address = all_of(
        (
            True if addresses is None else addresses,
            opposite(private),
            _admits_everyone(inputs.get("masterAuthorizedNetworksConfig")),
        )
    )
    by_name = is_on(at(endpoints, "dnsEndpointConfig", "allowExternalTraffic"))
    issued = at(inputs.get("masterAuth"), "clientCertificateConfig", "issueClientCertificate")
    return ControlPlane(
        name=resource.name,
        subject=resource.urn,
        cloud="gcp",
        open=any_of((by_address, by_name)),
        local_accounts=is_on(issued),
    )


def _admits_everyone(networks: Any) -> Known:
    """Return whether authorized networks are the whole internet; without any, nothing filters.

    Anyone may rent an address of Google Cloud, all of which the networks may include:
    https://docs.cloud.google.com/kubernetes-engine/docs/reference/rest/v1/MasterAuthorizedNetworksConfig
    (as the SDKs say it: "accessible via Google Compute Engine Public IP addresses")
    """
    if networks is None:
        return True
    blocks = at(networks, "cidrBlocks")
    if isinstance(blocks, Unknown):
        return UNKNOWN
    listed = reaches_world(at(block, "cidrBlock") for block in as_list(blocks))
    return any_of((listed, is_on(at(networks, "gcpPublicCidrsAccessEnabled"))))
