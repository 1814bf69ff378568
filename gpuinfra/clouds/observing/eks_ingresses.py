"""Load balancers that AWS's controllers make for Ingresses, one for each group of them.

https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/annotations/
(read 2026-11-27; what happens to settings of members that differ is in pkg/ingress of
https://github.com/kubernetes-sigs/aws-load-balancer-controller)
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing import eks_accelerators, eks_actions, ingress_classes
from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ingress_classes import (
    INGRESSES,
    PREFIX,
    LetsIn,
    ObjectContext,
    PartFrontend,
)
from gpuinfra.clouds.observing.ssl_policies import name_refuses_old
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    is_on,
    read_json,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

_WITH_LISTS: Final = INGRESSES | {f"{each}List" for each in INGRESSES}
_FACING: Final = "internet-facing"
_TLS: Final = "HTTPS"
_CERTIFICATE: Final = f"{PREFIX}certificate-arn"
_CREATE_CERTIFICATE_KEY: Final = f"{PREFIX}create-acm-cert"
"""The annotations with which an Ingress listens for HTTPS by default, by the second one only where
a feature of the controller is on, which it is not by default:
https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/certificate_management/"""

_OF_PARAMETERS: Final = ("scheme", "minimum-load-balancer-capacity")
_FILTERS: Final = ("mutual-authentication", "waf-acl-id", "wafv2-acl-arn", "wafv2-acl-name")
"""What one Ingress states for all of its group, and may turn some requests away."""

Port = tuple[str | Unknown, int | Unknown | None]
"""The protocol of a listener, and its port."""


@record
class IngressGroup:
    """An Ingress and those that share its load balancer.

    Attributes:
        served: whether a controller of AWS makes the load balancer.
        own_annotations: the annotations of the Ingress, with those that its class prescribes.
        members: the annotations of every Ingress of the group in the stack, its own first.
        names: what they are called.
        holders: what declares each of them.
        lets_anyone_in: how firewalls are judged that one of them names.
        has_name: whether the group has a name, so that Ingresses of elsewhere may be in it.
    """

    served: Known
    own_annotations: Any
    members: tuple[Any, ...]
    names: tuple[Any, ...]
    holders: tuple[Resource, ...]
    lets_anyone_in: LetsIn
    has_name: bool

    def shared(self, name: str) -> Any:
        """Return the one value of an annotation that holds for the whole group; None without."""
        return _agreed_value(self.members, name)

    def of_port(self, name: str, port: int | Unknown | None) -> Any:
        """Return the value of an annotation that holds for a port of the group."""
        return _agreed_value(self.sharing(port), name)

    def sharing(self, port: int | Unknown | None) -> Iterator[Any]:
        """Yield the annotations of the members that listen on a port."""
        for member in self.members:
            if member is self.own_annotations or any(
                number in (port, UNKNOWN) for _, number in ports(member)
            ):
                yield member


def group_of(ingress: Any, ingress_object: ObjectContext, index: Index) -> IngressGroup:
    """Return the group of an Ingress, which a resource of the stack declares."""
    is_served, own_annotations = _settings(ingress, index)
    name = text(at(own_annotations, f"{PREFIX}group.name"))
    group_members = _named_groups(index).get(name, []) if isinstance(name, str) else []
    provider = _place(ingress_object.resource)
    same_place = [
        (holder, at(part, "metadata", "name"), settings)
        for holder, part, settings in group_members
        if part is not ingress and _place(holder) == provider
    ]
    return IngressGroup(
        served=is_served,
        own_annotations=own_annotations,
        members=(own_annotations, *(settings for _, _, settings in same_place)),
        names=(at(ingress, "metadata", "name"), *(called for _, called, _ in same_place)),
        holders=(ingress_object.resource, *(holder for holder, _, _ in same_place)),
        lets_anyone_in=ingress_object.lets_anyone_in,
        has_name=name is not None,
    )


def is_ingress_or_list(resource: Resource) -> bool:
    """Return whether a resource is an Ingress, or a list of them."""
    return resource.type in _WITH_LISTS


def is_first(ingress: Any, group: IngressGroup, index: Index) -> bool:
    """Return whether an Ingress is the first of its group in the stack."""
    name, holder = text(at(group.own_annotations, f"{PREFIX}group.name")), group.holders[0]
    group_members = _named_groups(index).get(name, []) if isinstance(name, str) else []
    same_place = [
        (member.urn, part) for member, part, _ in group_members if _place(member) == _place(holder)
    ]
    return not same_place or same_place[0] == (holder.urn, ingress)


def frontends(ingress: Any, ingress_object: ObjectContext, index: Index) -> Iterator[PartFrontend]:
    """Yield the listeners of an Ingress in the balancer of its group, internal by default."""
    group = group_of(ingress, ingress_object, index)
    ways = faces_internet(group), _nlb_faces_internet(group)
    fast = {port: _is_accelerated(group, port, index) for _, port in ports(group.own_annotations)}
    if group.served is False or any_of((*ways, *fast.values())) is False:
        return
    redirects = eks_actions.redirect_all(at(ingress, "spec"), group.own_annotations)
    listeners = [
        (_is_reached(group, (*ways, fast[port]), port), *_tls(group, (protocol, port), redirects))
        for protocol, port in ports(group.own_annotations)
    ]
    met = [listener for listener in listeners if listener[0] is not False] or listeners
    encrypted = all_of(listener for _, listener, _ in met)
    versions = [listener for _, _, listener in met if listener is not None]
    modern = None if encrypted is False or not versions else all_of(versions)
    public = all_of((group.served, any_of(listener for listener, _, _ in met)))
    yield _with_group(ingress, group), (public, encrypted, modern)


def _with_group(ingress: Any, group: IngressGroup) -> Any:
    """Return an Ingress with the annotations that its class and its group add to its own."""
    metadata = at(ingress, "metadata")
    is_known = isinstance(ingress, Mapping) and isinstance(group.own_annotations, Mapping)
    if not is_known or not isinstance(metadata, Mapping | None):
        return ingress
    shared = {f"{PREFIX}{each}": group.shared(each) for each in _FILTERS}
    stated = {key: value for key, value in shared.items() if value is not None}
    return {
        **ingress,
        "metadata": {**(metadata or {}), "annotations": {**group.own_annotations, **stated}},
    }


def ports(annotations: Any) -> list[Port]:
    """Return the listeners of an Ingress; one that is not known for a list that is not."""
    listen_ports = at(annotations, f"{PREFIX}listen-ports")
    if listen_ports is None:
        if text(at(annotations, _CERTIFICATE)) is not None:
            return [(_TLS, 443)]
        makes = is_on(at(annotations, _CREATE_CERTIFICATE_KEY))
        return [("HTTP", 80) if makes is False else (UNKNOWN, UNKNOWN)]
    content = read_json(listen_ports) if isinstance(listen_ports, str) else UNKNOWN
    return [
        (str(protocol), whole_number(port))
        for entry in as_list(content)
        for protocol, port in (entry.items() if isinstance(entry, Mapping) else [])
    ] or [(UNKNOWN, UNKNOWN)]


def _settings(ingress: Any, index: Index) -> tuple[Known, Any]:
    """Return whether AWS serves an Ingress, and its annotations; those of its class go first.

    Parameters of elsewhere may state the scheme, and what it costs, for an Ingress without them.
    """
    class_ = ingress_classes.class_of(ingress)
    is_served, prescribed = ingress_classes.eks_class(class_, index)
    annotations = at(ingress, "metadata", "annotations")
    is_unseen = ingress_classes.has_parameters_elsewhere(class_, index)
    if at(annotations, ingress_classes.CLASS) is not None:
        prescribed, is_unseen = {}, False  # the parameters are of a class that the field names
    if isinstance(annotations, Mapping) or annotations is None:
        own_annotations = ingress_classes.read_annotations(annotations or {}, class_, index)
        usual = {f"{PREFIX}{key}": UNKNOWN for key in _OF_PARAMETERS} if is_unseen else {}
        annotations = {**usual, **own_annotations, **prescribed}
    return is_served, annotations


def _named_groups(index: Index) -> Mapping[str, list[tuple[Resource, Any, Any]]]:
    """Return the Ingresses of the stack that AWS serves, by the name of their group."""

    def find() -> dict[str, list[tuple[Resource, Any, Any]]]:
        groups: dict[str, list[tuple[Resource, Any, Any]]] = {}
        for resource in index:
            if is_ingress_or_list(resource):
                for part in as_list(resource.inputs.get("items")) or (resource.inputs,):
                    is_served, settings = _settings(part, index)
                    name = text(at(settings, f"{PREFIX}group.name"))
                    if is_served is not False and isinstance(name, str):
                        groups.setdefault(name, []).append((resource, part, settings))
        return groups

    return index.memo("groups of ingresses", find)


def _place(resource: Resource) -> str | None:
    return resource.provider.urn if resource.provider else None


def _agreed_value(members: Any, name: str) -> Any:
    """Return what members state; UNKNOWN for values that differ, for which nothing is made.

    Lists differ by what is in them, in any order.
    """
    values = [text(at(member, f"{PREFIX}{name}")) for member in members]
    values_by_content = {
        frozenset(ingress_classes.annotation_parts(member)): member
        for member in values
        if isinstance(member, str)
    }
    if len(values_by_content) == 1:
        return values_by_content.popitem()[1]
    return UNKNOWN if values_by_content or UNKNOWN in values else None


def faces_internet(group: IngressGroup) -> Known:
    """Return whether a group's balancer is public; another stack's member may say so."""
    scheme = group.shared("scheme")
    if scheme is None:
        return UNKNOWN if group.has_name else False
    return equals(scheme, _FACING)


def _nlb_faces_internet(group: IngressGroup) -> Known:
    """Return whether a public network balancer passes connections on to a group's own."""
    scheme = equals(group.shared("frontend-nlb-scheme"), _FACING)
    return all_of((is_on(group.shared("enable-frontend-nlb")), scheme))


def _is_accelerated(group: IngressGroup, port: int | Unknown | None, index: Index) -> Known:
    """Return whether an accelerator before any member leads to a port of the balancer of all."""
    return any_of(eks_accelerators.reaches("Ingress", name, port, index) for name in group.names)


def _is_reached(
    group: IngressGroup, ways: tuple[Known, Known, Known], port: int | Unknown | None
) -> Known:
    """Return whether the internet reaches a port, by the balancer or by what stands before it."""
    direct, passed_on, accelerated = ways
    is_guarded = group.shared("frontend-nlb-security-groups") is not None
    mapped = any_of(_is_mapped(member, port) for member in group.sharing(port))
    balancer_checks = all_of((passed_on, mapped, UNKNOWN if is_guarded else True))
    return all_of((_lets_anyone_in(group, port), any_of((direct, balancer_checks, accelerated))))


def _is_mapped(annotations: Any, port: int | Unknown | None) -> Known:
    """Return whether one member has the network balancer listen for a port, as by default."""
    mapping = text(at(annotations, f"{PREFIX}frontend-nlb-listener-port-mapping"))
    if not isinstance(mapping, str):
        return UNKNOWN if isinstance(mapping, Unknown) else True
    mapped = [whole_number(pair.partition("=")[2].strip()) for pair in mapping.split(",")]
    return UNKNOWN if isinstance(port, Unknown) else port in mapped


def _lets_anyone_in(group: IngressGroup, port: int | Unknown | None) -> Known:
    """Return whether the balancer's security group lets everyone in to a port, as by default.

    Named groups take the place of addresses; so do lists of addresses, of the default ones.
    """
    for holder, settings in zip(group.holders, group.members, strict=True):
        groups = at(settings, f"{PREFIX}security-groups")
        if groups is not None:
            names = ingress_classes.annotation_parts(groups) if isinstance(groups, str) else groups
            return group.lets_anyone_in(holder, names, port) if isinstance(port, int) else UNKNOWN
    ranges = group.of_port("inbound-cidrs", port)
    lists = group.of_port("security-group-prefix-lists", port)
    if ranges is None:
        return True if lists is None else UNKNOWN
    range_texts = ingress_classes.annotation_parts(ranges) if isinstance(ranges, str) else [ranges]
    by_lists: Known = False if lists is None else UNKNOWN
    return any_of((reaches_world(range_texts), by_lists))


def _tls(group: IngressGroup, listener: Port, redirects: Known) -> tuple[Known, Known | None]:
    """Return whether a listener speaks TLS or redirects to it, and takes only 1.2 or newer."""
    protocol, port = listener
    modern = name_refuses_old(group.of_port("ssl-policy", port))
    if isinstance(protocol, Unknown) or protocol == _TLS:
        return UNKNOWN if isinstance(protocol, Unknown) else True, modern
    if group.shared("ssl-redirect") is not None:
        return True, None
    return redirects, None
