"""Load balancers that GKE makes for Ingresses, of one cluster and of several."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.observing import gke_classes, ingress_classes, ssl_policies
from gpuinfra.clouds.observing.cluster_services import CLUSTERS
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ingress_classes import PartFrontend
from gpuinfra.clouds.observing.values import all_of, at, flag
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_FRONTEND: Final = "kubernetes:networking.gke.io/v1beta1:FrontendConfig"
_FRONTEND_CONFIG_KEYS: Final = (
    "networking.gke.io/v1beta1.FrontendConfig",
    "networking.gke.io/frontend-config",
)
"""The annotations that name a FrontendConfig, the second on a MultiClusterIngress (*unverified*:
https://docs.cloud.google.com/kubernetes-engine/docs/how-to/multi-cluster-ingress)"""


def frontends(ingress: Any, _: object, index: Index) -> Iterator[PartFrontend]:
    """Yield the external balancer that GKE makes for an Ingress of a class of its own."""
    class_ = gke_classes.of_ingress(ingress, index)
    if isinstance(class_, Unknown):
        yield ingress, (UNKNOWN, *_tls(ingress, index))
    elif class_ is not None and class_.external and class_.served is not False:
        yield ingress, (class_.served, *_tls(ingress, index))


def of_several_clusters(ingress: Any, _: object, index: Index) -> Iterator[PartFrontend]:
    """Yield the balancer of a MultiClusterIngress, which is always an external one.

    https://docs.cloud.google.com/kubernetes-engine/docs/concepts/multi-cluster-ingress
    """
    yield ingress, (True, *_tls(ingress, index))


def _tls(ingress: Any, index: Index) -> tuple[Known, Known | None]:
    """Return whether a balancer speaks TLS alone, and only 1.2 or newer.

    It serves HTTP as well unless that is switched off, or redirected by a FrontendConfig.
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/ingress-configuration
    """
    annotations = at(ingress, "metadata", "annotations")
    frontend = _frontend_config_of((at(annotations, key) for key in _FRONTEND_CONFIG_KEYS), index)
    config = frontend.inputs.get("spec") if isinstance(frontend, Resource) else frontend
    encrypted = _encrypts(flag(at(annotations, ingress_classes.ALLOWS_HTTP)), config)
    modern: Known | None = None if encrypted is False else UNKNOWN
    if encrypted is True and not isinstance(frontend, Unknown):
        modern = refuses_old(frontend, at(config, "sslPolicy"), index)
    return encrypted, modern


def refuses_old(holder: Resource | None, policy: Any, index: Index) -> Known:
    """Return whether the SSL policy that an object names refuses old TLS, as none does by default.

    It is in the project of its cluster. Of several that may be, each has to say so.
    """
    if holder is None or policy is None:
        return False
    placed_holders = [
        replace(holder, account=cluster.account, credentials=cluster.credentials)
        for cluster in index.of_kind(CLUSTERS["gcp"])
    ]
    return all_of(
        index.targets(cluster, "spec", ssl_policies.POLICY, policy).any_target(
            ssl_policies.refuses_old
        )
        for cluster in placed_holders or (holder,)
    )


def _encrypts(allows: bool | Unknown | None, config: Any) -> Known:
    if allows is False:
        return True
    redirects = flag(at(config, "redirectToHttps", "enabled"))
    if redirects is True or isinstance(allows, Unknown):
        return redirects is True or UNKNOWN
    return UNKNOWN if isinstance(redirects, Unknown) else False


def _frontend_config_of(names: Iterable[Any], index: Index) -> Resource | Unknown | None:
    """Return the FrontendConfig that an Ingress names; UNKNOWN for one of elsewhere."""
    name = next((frontend for frontend in names if frontend is not None), None)
    if name is None:
        return None
    frontend_configs = (
        frontend
        for frontend in index.of_kind(_FRONTEND)
        if at(frontend.inputs, "metadata", "name") == name
    )
    return next(frontend_configs, UNKNOWN)
