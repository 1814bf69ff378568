"""What Azure refuses of inputs alone, beyond the tables, over the wire: needs and ranges."""

from typing import Any

import pytest

from tests.sandbox.plugin.azure import machine_demands, other_demands

pytestmark = pytest.mark.usefixtures("town")


@pytest.mark.parametrize(
    ("token", "inputs", "path", "message"), [*machine_demands.REFUSED, *other_demands.REFUSED]
)
def test_a_demand_is_refused_at_the_check_with_its_source(
    token: str, inputs: dict[str, Any], path: str, message: str, azure: Any
) -> None:
    _, failures = azure.check(token, inputs)

    assert message in failures[path]
    assert " [" in failures[path]
    assert failures[path].endswith("] (sandbox)")


@pytest.mark.parametrize(("token", "inputs"), [*machine_demands.TAKEN, *other_demands.TAKEN])
def test_what_azure_takes_passes_the_check(token: str, inputs: dict[str, Any], azure: Any) -> None:
    _, failures = azure.check(token, inputs)

    assert failures == {}
