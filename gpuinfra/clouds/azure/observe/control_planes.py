"""The API servers of AKS clusters, and who reaches them."""

from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.values import all_of, as_list, at, equals, is_on, opposite, text
from gpuinfra.model import ControlPlane, Known, Resource


def control_plane(resource: Resource) -> ControlPlane:
    """Return the API server of a cluster: public, for everyone and local accounts, by default.

    https://learn.microsoft.com/azure/aks/api-server-authorized-ip-ranges
    https://learn.microsoft.com/azure/aks/manage-local-accounts-managed-azure-ad
    """
    inputs = resource.inputs
    profile = inputs.get("apiServerAccessProfile")
    closed = equals(text(inputs.get("publicNetworkAccess")), "Disabled")
    public = opposite(is_on(at(profile, "enablePrivateCluster")))
    ranges = at(profile, "authorizedIPRanges")
    admitted = as_list(ranges)
    everyone: Known = reaches_world(admitted) if admitted else True
    return ControlPlane(
        name=resource.name,
        subject=resource.urn,
        cloud="azure",
        open=all_of((opposite(closed), public, everyone)),
        local_accounts=opposite(is_on(inputs.get("disableLocalAccounts"))),
    )
