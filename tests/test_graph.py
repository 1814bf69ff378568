"""Values that exist only later are joined, never formatted."""

import pytest

from gpuinfra.graph import Given, Ref, concat


@pytest.mark.parametrize("value", [Ref("data/bucket", "arn"), Given("network.vpc_id")], ids=repr)
def test_what_exists_only_later_stands_in_no_f_string(value):
    with pytest.raises(TypeError, match="concat"):
        f"{value}/*"

    assert str(value).startswith("${")
    assert concat(value, "/*") != f"{value!s}/*"
