"""AWS's own policies give what `wildcard-policy` says of the same text of one's own."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import botocore.session
import pytest
from moto.iam.aws_managed_policies import aws_managed_policies_data

from gpuinfra.clouds.aws.observe.rights import permissions, wide_rights
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.aws.tables import TABLES

FILE: Final = Path("gpuinfra/clouds/aws/data/managed_policies.json")
LINKED: Final = "aws-service-role/"
"""Where policies are that only AWS's own roles hold."""
OF_SERVICES: Final = "service-role/"
OF_MACHINES: Final = frozenset(
    {"AmazonEC2RoleforDataPipelineRole", "AmazonEC2RoleforSSM", "AmazonElasticMapReduceforEC2Role"}
)
"""Those among them that machines hold: what runs on one chooses what to do with them."""
FULL: Final = "FullAccess"
SDK: Final = botocore.session.get_session()
OF_SERVICE: Final = re.compile(r"allows ([\w-]+):\S* on all resources")
MOST: Final = 0.8
"""The share of a service's actions, each by its name, that counts as nearly all."""


def documents() -> Iterator[tuple[str, Any]]:
    """Each of AWS's own policies that an identity of one's own may hold, by path and name."""
    for name, policy in json.loads(aws_managed_policies_data).items():
        path = f"{policy['Path']}{name}".removeprefix("/")
        of_service = path.startswith(OF_SERVICES) and name not in OF_MACHINES
        if not path.startswith(LINKED) and (not of_service or name.endswith(FULL)):
            yield path, policy["Document"]


@cache
def given() -> Mapping[str, str]:
    """What each policy gives too widely, in words; empty: nothing."""
    return {
        path: words(document) or (path.endswith(FULL) and nearly(document)) or ""
        for path, document in documents()
    }


def words(document: Any) -> str:
    faults = [fault for fault in wide_rights.document_faults(document) if isinstance(fault, str)]
    services = [match[1] for fault in faults if (match := OF_SERVICE.fullmatch(fault))]
    if services:
        few, more = ", ".join(dict.fromkeys(services[:3])), len(services) - 3
        return f"all actions of {few}{f' and {more} more' * (more > 0)} on all resources"
    return faults[0].removeprefix("allows ") if faults else ""


def nearly(document: Any) -> str:
    """Of which services a policy names nearly all actions."""
    most = [service for service in named_in(document) if has_most(document, service)]
    return f"nearly all actions of {', '.join(most)} on all resources" if most else ""


def named_in(document: Any) -> list[str]:
    """The services that a policy names and the SDK calls by the same name."""
    named = re.findall(r'"([\w-]+):\w', json.dumps(document))
    return sorted(set(named) & set(SDK.get_available_services()))


@cache
def operations(service: str) -> tuple[str, ...]:
    return tuple(SDK.get_service_model(service).operation_names)


def has_most(document: Any, service: str) -> bool:
    names = operations(service)
    allowed = [
        each
        for each in statements_of(document)
        if permissions.is_allowed(each) and permissions.is_everywhere(each, service) is True
    ]
    held = [
        name
        for name in names
        if any(permissions.grants(each, f"{service}:{name}") is True for each in allowed)
    ]
    return len(held) >= MOST * len(names)


def test_the_policies_of_aws_are_listed_with_what_they_give() -> None:
    table = TABLES.table("managed_policies")
    spared = table["spared"]
    wide = {path: gives for path, gives in given().items() if gives and path not in spared}
    rows = [[path, wide[path], 0] for path in sorted(wide, key=str.lower)]
    narrow = " ".join(
        sorted(path for path, gives in given().items() if path.endswith(FULL) and not gives)
    )
    if os.environ.get("GPUINFRA_GOLDEN") == "update":
        head = {key: part for key, part in table.items() if key != "rows"}
        lines = [
            f" {json.dumps(key)}: {json.dumps(part)},"
            for key, part in {**head, "narrow": narrow}.items()
        ]
        cells = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        FILE.write_text("\n".join(["{", *lines, ' "rows": [', cells, " ]", "}", ""]), "utf-8")
        return

    assert table["rows"] == rows
    assert table["narrow"] == narrow


def test_a_policy_that_is_spared_would_be_refused_as_ones_own() -> None:
    spared = TABLES.table("managed_policies")["spared"]

    assert [path for path in spared if not given()[path]] == []
    assert all("https://" in reason for reason in spared.values())


@pytest.mark.parametrize(
    "name",
    [
        *("AmazonSSMManagedInstanceCore", "AmazonEC2ContainerRegistryReadOnly"),
        *("CloudWatchAgentServerPolicy", "AmazonS3ReadOnlyAccess", "AmazonEKSWorkerNodePolicy"),
        *("AmazonEKS_CNI_Policy", "AmazonEKSClusterPolicy", "AmazonEKSVPCResourceController"),
        "AmazonElasticFileSystemClientFullAccess",
        "service-role/AmazonEBSCSIDriverPolicy",
        "service-role/AmazonEC2ContainerServiceforEC2Role",
        "service-role/AmazonECSTaskExecutionRolePolicy",
        "service-role/AWSLambdaBasicExecutionRole",
        "service-role/AWSBackupServiceRolePolicyForBackup",
    ],
)
def test_what_machines_and_services_usually_hold_is_not_refused(name: str) -> None:
    assert list(wide_rights.managed_policy_faults(f"arn:aws:iam::aws:policy/{name}")) == []


@pytest.mark.parametrize("name", TABLES.table("managed_policies")["people"])
def test_people_may_hold_what_machines_may_not(name: str) -> None:
    arn = f"arn:aws:iam::aws:policy/{name}"

    assert list(wide_rights.managed_policy_faults(arn))
    assert list(wide_rights.managed_policy_faults(arn, people=True)) == []


@pytest.mark.parametrize(
    ("name", "gives"),
    [
        ("ReadOnlyAccess", "ec2:GetPasswordData"),
        ("AWSSecretsManagerClientReadOnlyAccess", "it can read every secret"),
        ("AWSRoboMakerServiceRolePolicy", "it can use any role"),
        ("service-role/AmazonElasticMapReduceforEC2Role", "all actions of"),
        ("service-role/AmazonEC2RoleforSSM", "it can read every parameter"),
        ("AmazonSageMakerFullAccess", "all actions of sagemaker"),
        ("AmazonFSxFullAccess", "nearly all actions of fsx"),
        ("AmazonOfSomedayFullAccess", "all actions of a service"),
    ],
)
def test_what_gives_too_much_is_refused_with_what_it_gives(name: str, gives: str) -> None:
    (fault,) = wide_rights.managed_policy_faults(f"arn:aws-us-gov:iam::aws:policy/{name}")

    assert str(fault).startswith(f"grants {name.rpartition('/')[2]}: ")
    assert gives in str(fault)
