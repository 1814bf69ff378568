import importlib
import inspect
import pkgutil
import re

import pytest

from gpuinfra.clouds import CLOUDS, provider_of, without_machines

SETS_MACHINES = re.compile(
    r"(?:machine|instance|node)_?(?:type|class|size|count)|accelerator|gpu|(?:^|_)worker|vcpu|"
    r"^cpu|node_pool|requires_compatib",
    re.IGNORECASE,
)
"""Inputs by which a resource may be or start machines."""

TYPES = [token for row in without_machines.rows() for token in row["types"]]


def inputs_by_type(package, module):
    """The inputs of each resource type of a module in an installed SDK."""
    try:
        found = importlib.import_module(f"pulumi_{package}.{module}")
    except ModuleNotFoundError:
        return
    for entry in pkgutil.iter_modules(found.__path__):
        if entry.name.startswith("_") or entry.name.startswith("get_"):
            continue
        content = importlib.import_module(f"{found.__name__}.{entry.name}")
        token = re.search(r"__init__\(\s*'([^']+)'", inspect.getsource(content))
        if token:
            arguments = next(
                value
                for key, value in vars(content).items()
                if key.endswith("Args") and value.__module__ == content.__name__
            )
            yield token[1], set(inspect.signature(arguments).parameters)


@pytest.mark.parametrize(
    "token", [one for one in TYPES if one.startswith(("aws:", "gcp:")) and "/" in one]
)
def test_no_input_of_a_listed_type_sets_machines(token):
    package, module, name = re.split("[:/]", token)[:3]
    module = re.sub("[^a-z0-9]", "", module.lower()).replace("lambda", "lambda_")
    listed = {
        found: inputs
        for found, inputs in inputs_by_type(package, module)
        if name == "*" or found == token
    }

    assert name == "*" or listed
    assert {
        (found, one)
        for found, inputs in listed.items()
        for one in inputs
        if SETS_MACHINES.search(one)
    } == set()


def test_no_listed_type_is_known_to_start_machines():
    reasons = {
        token
        for cloud in CLOUDS
        for token in importlib.import_module(f"gpuinfra.clouds.{cloud}.observe.unseen").REASONS
    }

    assert {token for token in reasons if without_machines.reason(token)} == set()


def test_a_type_stands_once_and_names_its_source():
    assert len(TYPES) == len(set(TYPES))
    for row in without_machines.rows():
        assert "https://" in row["source"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["as_of"])
    free = [provider_of(cloud).prices.free(token) for cloud in CLOUDS for token in TYPES]
    assert not any(free)


@pytest.mark.parametrize(
    ("token", "listed"),
    [
        ("aws:s3/bucketObject:BucketObject", True),
        ("random:index/randomPassword:RandomPassword", True),
        ("azure-native:storage:Blob", True),
        ("tls:index:PrivateKey", True),
        ("kubernetes:rbac.authorization.k8s.io/v1:Role", True),
        ("aws:eks/accessEntry:AccessEntry", True),
        ("aws:ssoadmin/permissionSet:PermissionSet", True),
        ("aws:ssoadmin/permissionSetInlinePolicy:PermissionSetInlinePolicy", False),
        ("gcp:compute/networkFirewallPolicy:NetworkFirewallPolicy", True),
        ("azure-native:network:VirtualNetworkPeering", True),
        ("kubernetes:apps/v1:Deployment", False),
        ("aws:s3outposts/endpoint:Endpoint", False),
        ("aws:appsync/apiCache:ApiCache", False),
        ("aws:rds/instance:Instance", False),
        ("runpod:index:Pod", False),
        ("", False),
    ],
)
def test_a_type_is_found_by_its_name_or_its_family(token, listed):
    assert bool(without_machines.reason(token)) is listed
