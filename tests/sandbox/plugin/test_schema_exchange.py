"""The schema by which a program in YAML is resolved."""

import json

import pytest

from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.schema_exchange import EMPTY_SCHEMA, schema_of, schema_of_tables

BUCKETS = {
    "aws": "aws:s3/bucket:Bucket",
    "gcp": "gcp:storage/bucket:Bucket",
    "azure-native": "azure-native:storage:BlobContainer",
}


@pytest.mark.parametrize("package", BUCKETS)
def test_the_tables_tell_every_type_and_the_provider_s_settings(package):
    tables = schema.load(package)

    told = json.loads(schema_of_tables(package, tables, {"region", "urn"}))

    assert told["name"] == package
    assert set(told["provider"]["inputProperties"]) == {"region"}
    assert set(told["resources"]) == set(tables.tokens)
    bucket, kind = told["resources"][BUCKETS[package]], tables.type(BUCKETS[package])
    assert set(bucket["inputProperties"]) == set(kind.inputs)
    assert set(bucket["requiredInputs"]) == kind.required
    assert set(bucket["properties"]) >= {*kind.inputs, *kind.computed} - {"urn"}


def test_a_throwaway_sandbox_is_told_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUINFRA_SANDBOX_HOME", str(tmp_path))
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "aws.json").write_text('{"name": "aws"}')

    assert schema_of("aws") == '{"name": "aws"}'
    assert schema_of("gcp") == EMPTY_SCHEMA
