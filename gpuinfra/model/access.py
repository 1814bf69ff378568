"""The access to a stack: listeners, firewalls, policies and keys."""

from gpuinfra.model.faults import Fault
from gpuinfra.model.unknown import UNKNOWN, Known, Unknown
from gpuinfra.records import record


@record
class Listener:
    """A listener of a load balancer, or a forwarding rule.

    `public` says whether the internet reaches it, `encrypted` whether it speaks TLS only (a mere
    redirect to TLS counts), `modern` whether it refuses TLS below 1.2; None where it speaks none.
    `protocol` is what it speaks without TLS.
    """

    name: str
    subject: str
    cloud: str
    public: Known = UNKNOWN
    encrypted: Known = UNKNOWN
    modern: Known | None = UNKNOWN
    protocol: str = "HTTP"


@record
class OpenPorts:
    """A firewall, or a rule of one, that belongs to no machines of the plan.

    `open` says whether it lets anyone on the internet log in, or reach another such port; `ports`
    say in words which, as far as that is sure.
    """

    name: str
    subject: str
    cloud: str
    open: Known = UNKNOWN
    ports: tuple[str, ...] = ()


@record
class ControlPlane:
    """The API server of a Kubernetes cluster.

    `open` says whether anyone can reach it from the internet, and `local_accounts` whether it
    takes certificates that no directory manages; None where the cloud has no such setting.
    """

    name: str
    subject: str
    cloud: str
    open: Known = UNKNOWN
    local_accounts: Known | None = None


@record
class Grant:
    """A policy or a role that is granted; `faults` has the permissions that are too wide."""

    name: str
    subject: str
    cloud: str
    faults: tuple[Fault, ...] = ()


@record
class Credential:
    """A key that the stack creates; `description` describes it.

    `expiry` is the day on which it ends, or the hours until then (240h), None where it doesn't end
    by itself.
    """

    name: str
    subject: str
    cloud: str
    description: str
    expiry: str | Unknown | None = None


@record
class Exposure:
    """A place with more readers than necessary: the stack's outputs, or an environment.

    `secrets` say in words which passwords and keys it contains, and where; never the secret.
    `unknown_variables` are the names of variables whose values are secret, or not known yet.
    """

    subject: str
    secrets: tuple[str, ...] | Unknown = UNKNOWN
    unknown_variables: tuple[str, ...] = ()
