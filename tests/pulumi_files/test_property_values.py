"""Property values: what stands for the unknown, for secrets, for files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pulumi_policy import proxy

from gpuinfra.model import UNKNOWN, NotJudged
from gpuinfra.pulumi_files.file_faults import FileError
from gpuinfra.pulumi_files.property_values import DEEPEST, Values
from gpuinfra.pulumi_files.secret_redaction import hide
from gpuinfra.pulumi_special_values import SENTINELS, SIGNATURE


def plain(value):
    return Values(preview=True).plain_value(value)


def test_the_sentinels_are_those_of_the_sdk():
    theirs = {value for name, value in vars(proxy).items() if name.startswith("UNKNOWN_")}
    assert theirs == SENTINELS


@pytest.mark.parametrize("sentinel", sorted(SENTINELS))
def test_what_only_an_update_knows_is_unknown_wherever_it_stands(sentinel):
    assert plain({"a": [sentinel, {"b": sentinel}]}) == {"a": [UNKNOWN, {"b": UNKNOWN}]}


def test_an_asset_is_told_by_where_it_comes_from():
    asset = {SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "path": "a.sh", "hash": "1"}
    assert plain(asset) == {"path": "a.sh", "hash": "1"}


def test_a_reference_to_a_resource_keeps_its_urn():
    reference = {SIGNATURE: "5cf8f73096256a8f31e491e813e4eb8e", "urn": "urn:x", "id": "i"}
    assert plain(reference) == {"urn": "urn:x", "id": "i"}


@pytest.mark.parametrize(
    ("output", "value"),
    [({"value": "abcd"}, "abcd"), ({}, UNKNOWN), ({"value": "abcd", "secret": True}, "abcd")],
)
def test_an_output_value(output, value):
    values = Values(preview=False)
    marked = {SIGNATURE: "d0e6a833031e9bbcd3f4e8bde6ca49a4", **output}
    assert values.plain_value(marked) == value
    assert values.secrets == ({"abcd"} if output.get("secret") else set())


@pytest.mark.parametrize("mark", ["another", 3, None, []])
def test_a_special_value_of_an_unknown_kind_is_unknown(mark):
    assert plain({SIGNATURE: mark, "value": 1}) is UNKNOWN


def test_half_characters_are_replaced_as_pulumi_does():
    assert plain("a\ud800b") == "a\ufffdb"


def test_depth_has_an_end():
    deep: object = 1
    for _ in range(DEEPEST + 2):
        deep = [deep]
    with pytest.raises(FileError):
        plain(deep)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@given(JSON)
def test_what_is_not_special_stays_as_it_is(value):
    def kept(item):
        if isinstance(item, dict):
            return {key: kept(inner) for key, inner in item.items() if not key.startswith("__")}
        return [kept(inner) for inner in item] if isinstance(item, list) else item

    assert plain(value) == kept(value)


def test_secrets_are_taken_out_of_everything_that_is_shown():
    row = NotJudged(subject="db hunter22", type="a", reason="hunter22extra")
    hidden = hide((row, {"hunter22": "x"}), {"hunter22", "hunter22extra"})
    assert hidden == (
        NotJudged(subject="db [secret]", type="a", reason="[secret]"),
        {"[secret]": "x"},
    )
