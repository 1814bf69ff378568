"""Machines behind an external load balancer of Google Cloud."""

from tests.rules.cases.gcp_program import GcpProgram


def fronted(
    group=None, service=None, scheme="EXTERNAL_MANAGED", proxy=None, routes=None, program=None
):
    """Unmanaged machines with Jupyter behind a load balancer, and its service."""
    program = program or GcpProgram()
    ports = {"namedPorts": [{"name": "desk", "port": 8888}, {"name": "web", "port": 8000}]}
    group = group or program.add("compute/instanceGroup:InstanceGroup", "desks", **ports)
    backends = [{"group": group.out("id")}]
    stated = {"backends": backends, "portName": "desk", **(service or {})}
    backend = program.add("compute/backendService:BackendService", "service", **stated)
    led = routes(backend) if routes else {"defaultService": backend.out("id")}
    ways = program.add("compute/uRLMap:URLMap", "ways", **led)
    https = program.add(
        "compute/targetHttpsProxy:TargetHttpsProxy",
        "p",
        **{"urlMap": ways.out("id"), **(proxy or {})},
    )
    program.add(
        "compute/globalForwardingRule:GlobalForwardingRule",
        "front",
        target=https.out("id"),
        **({"loadBalancingScheme": scheme} if scheme else {}),
    )
    return program, backend
