"""A table that is copied to another region is paid for there too."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from tests.rules.cases.program import Program


@pytest.mark.parametrize("moment", ["created", "preview"])
@pytest.mark.parametrize(
    ("table", "known"),
    [({"billingMode": "PAY_PER_REQUEST"}, True), ({"readCapacity": 5}, False), (None, False)],
)
def test_a_replica_costs_nothing_fixed_where_its_table_is_paid_by_request(table, known, moment):
    program = Program()
    arn = "arn:aws:dynamodb:us-west-2:1:table/elsewhere"
    if table is not None:
        arn = program.add("aws:dynamodb/table:Table", "t", hashKey="a", **table).arn
    program.add("aws:dynamodb/tableReplica:TableReplica", "r", globalTableArn=arn)
    rows = observe(program.resources(moment)).not_judged

    (replica,) = (row for row in rows if row.type.endswith("TableReplica"))
    assert replica.may_start_machines is not known
