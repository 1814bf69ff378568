"""Actions that start machines are actions of the SDK; AWS's policies that allow one are listed."""

import json
import os
from functools import cache
from pathlib import Path

import botocore.session
from moto.iam.aws_managed_policies import aws_managed_policies_data

from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.aws.observe.starts import role_starts
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.name_patterns import matches_pattern

FILE = Path("gpuinfra/clouds/aws/data/may_start.json")
ROWS = TABLES.table("may_start")["actions"]
SDK = {
    "elasticmapreduce": ("emr",),
    "states": ("stepfunctions",),
    "airflow": ("mwaa",),
    "es": ("es", "opensearch"),
    "cloudformation": ("cloudformation", "cloudcontrol"),
    "aoss": ("opensearchserverless",),
    "kinesisanalytics": ("kinesisanalyticsv2",),
    "cloudhsm": ("cloudhsmv2",),
    "launchwizard": ("launch-wizard",),
    "cleanrooms-ml": ("cleanroomsml",),
}
"""Services that the SDK calls by other names than IAM does."""
LINKED = "/aws-service-role/"
"""Where policies are that only AWS's own roles hold."""


def test_the_actions_are_those_of_the_sdk() -> None:
    session = botocore.session.get_session()
    for row in ROWS:
        services = SDK.get(row["service"], (row["service"],))
        models = [session.get_service_model(service) for service in services]
        names = {name for model in models for name in model.operation_names}

        assert sorted(set(row["names"].split()) - names) == [], row["service"]


@cache
def allowing() -> tuple[str, ...]:
    """The names of AWS's policies that allow an action of the table."""
    return tuple(
        name
        for name, policy in json.loads(aws_managed_policies_data).items()
        if policy["Path"] != LINKED
        and any(
            statement["Effect"] == "Allow" and any(role_starts.covered_start_actions(statement))
            for statement in statements_of(policy["Document"])
        )
    )


def test_the_policies_of_aws_that_start_machines_are_listed() -> None:
    names = sorted(allowing())
    if os.environ.get("GPUINFRA_GOLDEN") == "update":
        lines = FILE.read_text(encoding="utf-8").splitlines()
        line = f' "managed": {json.dumps(" ".join(names))}'
        lines = [line if each.startswith(' "managed"') else each for each in lines]
        FILE.write_text("\n".join([*lines, ""]), encoding="utf-8")
        return

    assert TABLES.table("may_start")["managed"].split() == names


def test_the_policies_of_aws_that_leave_nothing_as_a_boundary_allow_no_action() -> None:
    patterns = TABLES.table("may_start")["starts_none"].split()
    named = [
        name
        for name in json.loads(aws_managed_policies_data)
        if any(matches_pattern(pattern, name) for pattern in patterns)
    ]

    assert len(named) > 100
    assert sorted(set(named) & set(allowing())) == []


def test_actions_are_found_however_they_are_spelt() -> None:
    for action in ("ec2:*", "EC2:runinstances", "*", "e*:Run*", "ec?:RunInstance?"):
        assert "ec2:RunInstances" in role_starts.covered_start_actions({"Action": [action]})
    assert "ec2:RunInstances" in role_starts.covered_start_actions({"NotAction": "iam:*"})
    assert [*role_starts.covered_start_actions({"Action": ["ec2:StopInstances", "ecs:Run*"]})] == [
        "ecs:RunTask"
    ]


def test_what_is_judged_where_it_stands_is_an_action_of_the_table() -> None:
    table = TABLES.table("may_start")

    assert set(table["judged_at"]) <= set(role_starts.actions())
    assert table["unless_conditioned"] not in role_starts.actions()
