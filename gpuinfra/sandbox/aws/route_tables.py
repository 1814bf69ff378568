"""Route tables, routes and their associations."""

import zlib
from typing import Any

from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments
from gpuinfra.sandbox.aws.spelling import is_same_value
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError
from gpuinfra.sandbox.plugin.facts import facts

_DESTINATIONS = facts("aws", "attributes")["aws:ec2/route:Route destinations"]
_TARGETS = facts("aws", "attributes")["aws:ec2/route:Route targets"]
_INLINE = _TARGETS | {
    "cidrBlock": "DestinationCidrBlock",
    "ipv6CidrBlock": "DestinationIpv6CidrBlock",
    "destinationPrefixListId": "DestinationPrefixListId",
}


class RouteTable(ResourceHandler):
    """``aws:ec2/routeTable:RouteTable``, with inline routes if the program has them."""

    inline = frozenset({"routes"})

    def create(self, call: Call) -> str:
        response = call.client("ec2").create_route_table(
            VpcId=call.inputs["vpcId"], **ec2.tag_specifications(call, "route-table")
        )
        table_id: str = response["RouteTable"]["RouteTableId"]
        self._route(call, table_id)
        return table_id

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        table = _table(call, resource_id)
        if table is None:
            return None
        routes = [_renamed_route(route, _INLINE) for route in _own_routes(table)]
        return {
            "vpcId": table["VpcId"],
            "routes": _sort_routes(routes, call.inputs.get("routes") or []),
            "arn": ec2.arn(call, table["OwnerId"], "route-table", resource_id),
            "ownerId": table["OwnerId"],
            **tags.tag_outputs(call, tags.mapping(table.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        if "routes" in call.inputs or "routes" in old:
            self._route(call, resource_id)
        ec2.retag(call, resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ec2")
        for association in (_table(call, resource_id) or {}).get("Associations", []):
            client.disassociate_route_table(AssociationId=association["RouteTableAssociationId"])
        client.delete_route_table(RouteTableId=resource_id)

    def _route(self, call: Call, table_id: str) -> None:
        client = call.client("ec2")
        for route in _own_routes(_table(call, table_id) or {}):
            client.delete_route(RouteTableId=table_id, **_destination(route))
        for route in call.inputs.get("routes") or []:
            request = {_INLINE[key]: value for key, value in route.items() if value}
            client.create_route(RouteTableId=table_id, **request)


class Route(ResourceHandler):
    """``aws:ec2/route:Route``."""

    def create(self, call: Call) -> str:
        request = {
            aws: call.inputs[key]
            for key, aws in (_DESTINATIONS | _TARGETS).items()
            if call.inputs.get(key)
        }
        destination = next(
            (request[aws] for aws in _DESTINATIONS.values() if aws in request), None
        )
        if destination is None:
            raise CloudRefusalError("MissingParameter", "a route needs a destination")
        table_id = call.inputs["routeTableId"]
        call.client("ec2").create_route(RouteTableId=table_id, **request)
        return _route_id(table_id, destination)

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        match = self._find(call, resource_id)
        if match is None:
            return None
        table_id, route = match
        names = _DESTINATIONS | _TARGETS
        return {
            "routeTableId": table_id,
            **dict.fromkeys(names),
            **_renamed_route(route, names),
            "origin": route["Origin"],
            "state": route["State"],
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        request = {
            aws: call.inputs[key]
            for key, aws in (_DESTINATIONS | _TARGETS).items()
            if call.inputs.get(key)
        }
        call.client("ec2").replace_route(RouteTableId=call.inputs["routeTableId"], **request)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        match = self._find(call, resource_id)
        if match is not None:
            table_id, route = match
            call.client("ec2").delete_route(RouteTableId=table_id, **_destination(route))

    def _find(self, call: Call, resource_id: str) -> tuple[str, dict[str, Any]] | None:
        """Return the table's id and the route by its id or import form ``rtb-…_<destination>``."""
        table_id = resource_id.removeprefix("r-")[: len("rtb-") + 17].split("_")[0]
        for route in _own_routes(_table(call, table_id) or {}):
            (destination,) = _destination(route).values()
            if resource_id in {_route_id(table_id, destination), f"{table_id}_{destination}"}:
                return table_id, route
        return None


class RouteTableAssociation(ResourceHandler):
    """``aws:ec2/routeTableAssociation:RouteTableAssociation``."""

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        request = arguments(client, "AssociateRouteTable", call.inputs)
        return str(client.associate_route_table(**request)["AssociationId"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        filters = [{"Name": "association.route-table-association-id", "Values": [resource_id]}]
        table = ec2.describe_one(call, "describe_route_tables", "RouteTables", Filters=filters)
        for association in (table or {}).get("Associations", []):
            if association["RouteTableAssociationId"] == resource_id:
                return {
                    "routeTableId": association["RouteTableId"],
                    "subnetId": association.get("SubnetId"),
                    "gatewayId": association.get("GatewayId"),
                }
        return None

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ec2")
        client.replace_route_table_association(
            AssociationId=resource_id, RouteTableId=call.inputs["routeTableId"]
        )


def _table(call: Call, table_id: str) -> dict[str, Any] | None:
    return ec2.describe_one(call, "describe_route_tables", "RouteTables", RouteTableIds=[table_id])


def _own_routes(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the added routes, without the local one and those of gateway endpoints."""
    return [
        route
        for route in table.get("Routes", [])
        if route.get("Origin") == "CreateRoute"
        and not str(route.get("GatewayId", "")).startswith("vpce-")
    ]


def _destination(route: dict[str, Any]) -> dict[str, str]:
    return {aws: route[aws] for aws in _DESTINATIONS.values() if route.get(aws)}


def _renamed_route(route: dict[str, Any], names: dict[str, str]) -> Properties:
    return {property_name: route[aws] for property_name, aws in names.items() if route.get(aws)}


def _route_id(table_id: str, destination: str) -> str:
    """Return a route's id, as routeCreateID of terraform-provider-aws builds it."""
    return f"r-{table_id}{zlib.crc32(destination.encode())}"


def _sort_routes(routes: list[Properties], known: list[Properties]) -> list[Properties]:
    """Return the routes in the known order; routes are a set."""
    first = [
        route for known_route in known for route in routes if is_same_value(route, known_route)
    ]
    return first + [route for route in routes if route not in first]
