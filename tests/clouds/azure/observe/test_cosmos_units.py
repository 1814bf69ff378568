"""What accounts and tables of Cosmos DB cost where they are small."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram

EAST, WEST = {"locationName": "eastus"}, {"locationName": "westus"}
SERVERLESS = {"capabilities": [{"name": "EnableServerless"}]}


def of_cosmos(service: str, account: dict[str, Any], *parts: tuple[str, Any]) -> list[Any]:
    """What the last of some parts of an account costs as one that is small; None where none is."""
    program = AzureProgram()
    given = {"accountName": "mine", "databaseAccountOfferType": "Standard", **account}
    program.add(f"azure-native:{service}:DatabaseAccount", "account", **given)
    for kind, options in parts:
        token = f"azure-native:{service}:{kind}"
        program.add(token, kind, accountName="mine", databaseName="db", options=options)
    rows = [row for row in observe(program.resources()).not_judged if row.type == token]
    return [None if row.may_start_machines else row.hourly_maximum for row in rows]


@pytest.mark.parametrize("service", ["cosmosdb", "documentdb"])
@pytest.mark.parametrize(
    ("account", "throughput", "small"),
    [
        ({}, 400, "0.032"),
        ({"locations": [EAST]}, 400, "0.032"),
        ({"locations": [EAST, WEST]}, 400, "0.064"),
        ({"locations": [EAST, WEST], "enableMultipleWriteLocations": True}, 400, "0.128"),
        ({"locations": [EAST] * 10}, 1200, None),
        ({"locations": UNKNOWN}, 400, None),
        ({"enableMultipleWriteLocations": UNKNOWN}, 400, None),
        ({"accountName": "another"}, 400, None),
    ],
)
def test_request_units_are_paid_in_each_region(service, account, throughput, small):
    part = ("SqlResourceSqlDatabase", {"throughput": throughput})
    assert of_cosmos(service, account, part) == [None if small is None else Decimal(small)]


@pytest.mark.parametrize(
    ("account", "kind", "options", "shared", "small"),
    [
        ({}, "SqlResourceSqlContainer", None, None, "0.032"),
        ({}, "MongoDBResourceMongoDBCollection", {}, None, "0.032"),
        ({}, "TableResourceTable", None, None, "0.032"),
        ({}, "SqlResourceSqlContainer", {"throughput": 500}, None, "0.04"),
        ({}, "SqlResourceSqlContainer", UNKNOWN, None, None),
        ({}, "SqlResourceSqlContainer", None, {"throughput": 1000}, "0"),
        ({}, "SqlResourceSqlContainer", None, UNKNOWN, "0"),
        (SERVERLESS, "SqlResourceSqlContainer", None, None, "0"),
        ({"accountName": "another"}, "SqlResourceSqlContainer", None, None, None),
        ({}, "GremlinResourceGremlinDatabase", None, None, "0"),
    ],
)
def test_a_table_without_units_has_the_fewest_unless_its_database_shares(
    account, kind, options, shared, small
):
    parts = (("SqlResourceSqlDatabase", shared), (kind, options))
    expected = None if small is None else Decimal(small)
    assert of_cosmos("documentdb", account, *parts) == [expected]
