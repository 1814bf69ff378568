"""What the firewalls of a VPC know machines by."""

from typing import Any

from gpuinfra.clouds.gcp.observe import kinds
from gpuinfra.clouds.gcp.observe.index import Index, spelled
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import any_of, at, listed
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record


@record(kw_only=False)
class FirewallTargets:
    """What firewalls know machines by: their network tags and their service account."""

    tags: Any
    account: Targets
    email: Any

    @property
    def key(self) -> str:
        """What tells them from others: no firewall tells apart machines of the same key."""
        account = (self.account.certain, self.account.possible)
        certain, possible = ([resource.urn for resource in some] for some in account)
        return repr((self.tags, self.email, certain, possible, self.account.complete))

    def tagged(self, wanted: Any) -> Known:
        """Say whether a machine has one of the tags."""
        if isinstance(wanted, Unknown) or isinstance(self.tags, Unknown):
            return UNKNOWN
        return any_of(
            UNKNOWN if UNKNOWN in (one, own) else one == own
            for one in listed(wanted)
            for own in listed(self.tags)
        )

    def runs_as(self, holder: Resource, prop: str, index: Index) -> Known:
        """Say whether the accounts that a firewall or a key names are the machines' own."""
        wanted = listed(holder.inputs.get(prop))
        known = [self._is_own(holder, prop, one, index) for one in wanted if one is not UNKNOWN]
        hidden = [one for one in wanted if one is UNKNOWN]
        if not hidden:
            return any_of(known)
        own = {resource.urn for resource in self.account.certain}
        named = index.targets(holder, prop, kinds.ACCOUNT, hidden)
        match = named.some(lambda one: one.urn in own)
        return any_of((*known, match if self.account.exact or match is True else UNKNOWN))

    def _is_own(self, holder: Resource, prop: str, wanted: Any, index: Index) -> Known:
        if isinstance(wanted, str) and isinstance(self.email, str):
            one, other = spelled(wanted), spelled(self.email)
            return one == other if "@" in one and "@" in other else one == other or UNKNOWN
        named = index.targets(holder, prop, kinds.ACCOUNT, [wanted])
        own = {resource.urn for resource in self.account.certain}
        return named.some(lambda one: one.urn in own) if self.account.exact else UNKNOWN


def marks_of(launch: Layers, index: Index) -> FirewallTargets:
    """Return what firewalls know a machine by."""
    email = at(launch.get("serviceAccount"), "email")
    named = launch.targets(index, "serviceAccount", kinds.ACCOUNT, "email")
    return FirewallTargets(launch.get("tags"), Targets() if named is None else named, email)
