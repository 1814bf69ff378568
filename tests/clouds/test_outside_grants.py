"""What packages that are no cloud's let others do."""

import pytest

from gpuinfra.clouds import machineless_types
from gpuinfra.clouds.digests import table
from gpuinfra.clouds.outside_grants import TABLE
from gpuinfra.clouds.tables import rows_of
from gpuinfra.cost import estimate
from gpuinfra.crossguard.resource_index import ResourceIndex
from gpuinfra.model import UNKNOWN, Resource, Usage
from tests.rules.cases.grants import judged
from tests.rules.cases.judging import of_resources
from tests.rules.cases.verdicts import verdicts

ROWS = list(rows_of(table(TABLE)))
PERMISSIONS = "github:index/workflowRepositoryPermissions:WorkflowRepositoryPermissions"
KEY = "defaultWorkflowPermissions"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["type"])
@pytest.mark.parametrize(
    ("value", "outcome"),
    [("", []), ("read", []), (None, []), (UNKNOWN, ["not-knowable"])],
)
def test_another_value_of_a_setting_lets_nothing_be_done(row, value, outcome):
    assert judged(row["type"], **{row["key"]: row["value"]}) == [("violated", row["words"])]
    found = [each for each, _ in judged(row["type"], **{row["key"]: value})]
    assert [each for each in found if each != "not-applicable"] == outcome


def test_it_is_told_once_beside_several_clouds():
    kinds = (PERMISSIONS, "aws:sqs/queue:Queue", "gcp:storage/bucket:Bucket")
    resources = [
        Resource(urn=f"urn:{kind}", type=kind, name=kind, inputs={KEY: "write"}) for kind in kinds
    ]
    found = verdicts(of_resources(resources), "wildcard-policy")
    assert [outcome for outcome, _ in found] == ["violated"]


def test_a_pack_sees_it_too():
    index = ResourceIndex(Usage(), estimate)
    permissions = Resource(urn="u", type=PERMISSIONS, name="p", inputs={KEY: "write"})
    (grant,) = index.plan(permissions).grants
    assert grant.subject == "u"


def test_a_type_of_the_table_holds_no_machine():
    assert all(machineless_types.reason(row["type"]) for row in ROWS)
