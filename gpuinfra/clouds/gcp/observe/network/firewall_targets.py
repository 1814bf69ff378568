"""The tags and accounts by which a VPC's firewalls select machines."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index, normalize_reference
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import any_of, as_list, at
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

_ACCOUNTS: Final = "targetServiceAccounts"


@record(kw_only=False)
class FirewallTargets:
    """The network tags and the service account by which firewalls select machines."""

    tags: Any
    account: Targets
    email: Any

    @property
    def key(self) -> str:
        """The identity for firewalls, which treat machines of the same key alike."""
        account = (self.account.certain, self.account.possible)
        certain, possible = ([resource.urn for resource in some] for some in account)
        return repr((self.tags, self.email, certain, possible, self.account.complete))

    def has_any_tag(self, tags: Any) -> Known:
        """Return whether a machine has one of the tags."""
        if isinstance(tags, Unknown) or isinstance(self.tags, Unknown):
            return UNKNOWN
        return any_of(
            UNKNOWN if UNKNOWN in (tag, target_tag) else tag == target_tag
            for tag in as_list(tags)
            for target_tag in as_list(self.tags)
        )

    def runs_as(self, holder: Resource, prop: str, index: Index) -> Known:
        """Return whether the accounts that a firewall or a key names are the machines' own."""
        accounts = as_list(holder.inputs.get(prop))
        account_checks = [
            self._is_own(holder, prop, account, index)
            for account in accounts
            if account is not UNKNOWN
        ]
        unknown_accounts = [account for account in accounts if account is UNKNOWN]
        if not unknown_accounts:
            return any_of(account_checks)
        account_urns = {resource.urn for resource in self.account.certain}
        holder_accounts = index.targets(holder, prop, resource_types.ACCOUNT, unknown_accounts)
        match = holder_accounts.any_target(lambda account: account.urn in account_urns)
        return any_of((*account_checks, match if self.account.exact or match is True else UNKNOWN))

    def _is_own(self, holder: Resource, prop: str, account: Any, index: Index) -> Known:
        if isinstance(account, str) and isinstance(self.email, str):
            account_name, own_name = normalize_reference(account), normalize_reference(self.email)
            return (
                account_name == own_name
                if "@" in account_name and "@" in own_name
                else account_name == own_name or UNKNOWN
            )
        accounts = index.targets(holder, prop, resource_types.ACCOUNT, [account])
        account_urns = {resource.urn for resource in self.account.certain}
        return (
            accounts.any_target(lambda resource: resource.urn in account_urns)
            if self.account.exact
            else UNKNOWN
        )


def firewall_targets_of(launch: LaunchSources, index: Index) -> FirewallTargets:
    """Return the tags and the account by which firewalls select a machine."""
    email = at(launch.get("serviceAccount"), "email")
    accounts = launch.targets(index, "serviceAccount", resource_types.ACCOUNT, "email")
    return FirewallTargets(launch.get("tags"), Targets() if accounts is None else accounts, email)


def targets_of_firewall(firewall: Resource, index: Index) -> Iterator[FirewallTargets]:
    """Yield what a firewall selects: machines with one of its tags, or with one of its accounts.

    A machine with one tag of several is let in, even where another tag is denied.
    """
    tags, accounts = (firewall.inputs.get(key) for key in ("targetTags", _ACCOUNTS))
    for tag in as_list(tags):
        yield FirewallTargets(tags=[tag], account=Targets(), email=None)
    for account in as_list(accounts):
        targeted = index.targets(firewall, _ACCOUNTS, resource_types.ACCOUNT, [account])
        email = account if isinstance(account, str) else None
        yield FirewallTargets(tags=None, account=targeted, email=email)
    if not as_list(tags) and not as_list(accounts):
        targeted = index.targets(firewall, _ACCOUNTS, resource_types.ACCOUNT)
        yield FirewallTargets(tags=tags, account=targeted, email=None)
