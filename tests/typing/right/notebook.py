"""What docs/api.md shows, as a type checker sees it."""

from decimal import Decimal
from typing import assert_type

from gpuinfra import api

result = api.check("stacks/quickstart")
assert_type(result.ok, bool)
assert_type(result.quote.per_hour.ceiling, Decimal)
assert_type([finding.rule for finding in result.findings if finding.refuses], list[str])
winner = api.choose("L4:1", clouds=["aws"]).winner
assert_type(winner.machine.type, str)
