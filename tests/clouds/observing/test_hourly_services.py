"""Services that are billed by the hour of what they state, by the table of their cloud."""

from decimal import Decimal

import pytest

from gpuinfra.clouds import provider_of
from gpuinfra.model import UNKNOWN, Usage
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.program import Program

CLUSTER = "aws:redshift/cluster:Cluster"
CACHE = "aws:elasticache/cluster:Cluster"
CACHES = "aws:elasticache/replicationGroup:ReplicationGroup"
POSTGRESQL = "azure-native:dbforpostgresql:Server"
MYSQL = "azure-native:dbformysql:Server"
REDIS = "azure-native:redis:Redis"
SQL = "azure-native:sql:Database"
SYNAPSE = "azure-native:synapse:SqlPool"
CLOUD_SQL = "gcp:sql/databaseInstance:DatabaseInstance"
MEMORYSTORE = "gcp:redis/instance:Instance"
RUN = "gcp:cloudrunv2/service:Service"
FORMER_RUN = "gcp:cloudrun/service:Service"

B1MS = {"sku": {"name": "Standard_B1ms"}, "storage": {"storageSizeGB": 32}, "version": "16"}
MICRO = {"databaseVersion": "POSTGRES_16", "settings": {"tier": "db-f1-micro"}}
CUSTOM = {"tier": "db-custom-4-15360", "diskSize": 100, "availabilityType": "REGIONAL"}
LIMITS = {"resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}}
L4 = {
    "containers": [{}],
    "scaling": {"maxInstanceCount": 1},
    "nodeSelector": {"accelerator": "nvidia-l4"},
}
HYPERSCALE = {"name": "HS_Gen5_2", "tier": "Hyperscale"}
PROGRAMS = {"aws": Program, "azure": AzureProgram, "gcp": GcpProgram}


def rows(token, **inputs):
    cloud = token.partition(":")[0].partition("-")[0]
    program = PROGRAMS[cloud]()
    program.add(token, "it", **inputs)
    return provider_of(cloud).observe.observe(program.resources(), Usage())


def paid(token, **inputs):
    seen = rows(token, **inputs)
    return [(row.item, row.unit, row.quantity) for row in seen.items]


def hours(token, **inputs):
    return {item: number for item, unit, number in paid(token, **inputs) if unit == "hour"}


def reasons(token, **inputs):
    return [row.reason for row in rows(token, **inputs).not_judged if row.may_start_machines]


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (CLUSTER, {"nodeType": "ra3.xlplus", "numberOfNodes": 2}, {"redshift-ra3.xlplus": 2}),
        (CLUSTER, {"nodeType": "dc2.large"}, {"redshift-dc2.large": 1}),
        (
            CLUSTER,
            {"nodeType": "dc2.large", "numberOfNodes": UNKNOWN},
            {"redshift-dc2.large": UNKNOWN},
        ),
        (CACHE, {"engine": "redis", "nodeType": "cache.t3.micro"}, {"elasticache-t3.micro": 1}),
        (
            CACHES,
            {"nodeType": "cache.t3.micro", "numCacheClusters": 3},
            {"elasticache-t3.micro": 3},
        ),
        (
            CACHES,
            {"nodeType": "cache.t3.micro", "numNodeGroups": 2, "replicasPerNodeGroup": 1},
            {"elasticache-t3.micro": 4},
        ),
        (POSTGRESQL, B1MS, {"postgresql-flexible-b1ms": 1}),
        (
            POSTGRESQL,
            {**B1MS, "highAvailability": {"mode": "ZoneRedundant"}},
            {"postgresql-flexible-b1ms": 2},
        ),
        (MYSQL, {**B1MS, "version": "8.4"}, {"mysql-flexible-b1ms": 1}),
        (
            REDIS,
            {"sku": {"name": "Standard", "family": "C", "capacity": 1}},
            {"redis-standard-c1": 1},
        ),
        (SQL, {"sku": {"name": "S0"}}, {"sql-database-s0": 1}),
        (SQL, {"sku": {"name": "Basic", "tier": "Basic"}}, {"sql-database-basic": 1}),
        (
            SQL,
            {"sku": {"name": "GP_Gen5_4"}},
            {"sql-database-gp-gen5-vcore": 4, "sql-database-gp-gen5-licence": 4},
        ),
        (
            SQL,
            {"sku": {"name": "BC_Gen5", "capacity": 8}, "licenseType": "BasePrice"},
            {"sql-database-bc-gen5-vcore": 8},
        ),
        (SQL, {"sku": {"name": "gp_s_gen5_4"}}, {"sql-database-gp-s-gen5-vcore": 4}),
        (
            SQL,
            {"sku": HYPERSCALE, "highAvailabilityReplicaCount": 2},
            {"sql-database-hs-gen5-vcore": 6, "sql-database-hs-gen5-licence": 6},
        ),
        (
            SQL,
            {
                "sku": {"name": "HS_Gen5", "capacity": 4},
                "highAvailabilityReplicaCount": 0,
                "licenseType": "BasePrice",
            },
            {"sql-database-hs-gen5-vcore": 4},
        ),
        (SQL, {"sku": {"name": "GP_S_Gen5_2"}}, {"sql-database-gp-s-gen5-vcore": 2}),
        (SYNAPSE, {"sku": {"name": "DW200c"}}, {"synapse-dwu-100": 2}),
        (CLOUD_SQL, MICRO, {"cloud-sql-db-f1-micro": 1}),
        (
            CLOUD_SQL,
            {"databaseVersion": "MYSQL_8_4", "settings": CUSTOM},
            {"cloud-sql-vcpu": 8, "cloud-sql-memory": 30},
        ),
        (MEMORYSTORE, {"memorySizeGb": 4.0}, {"memorystore-basic-m1": 4}),
        (MEMORYSTORE, {"memorySizeGb": 10}, {"memorystore-basic-m2": 10}),
        (
            RUN,
            {"template": {"containers": [LIMITS, {}], "scaling": {"maxInstanceCount": 3}}},
            {"cloud-run-vcpu": 9, "cloud-run-memory": 9},
        ),
        (
            FORMER_RUN,
            {
                "template": {
                    "metadata": {"annotations": {"autoscaling.knative.dev/maxScale": "1"}},
                    "spec": {"containers": [LIMITS]},
                }
            },
            {"cloud-run-vcpu": 1, "cloud-run-memory": 2},
        ),
        (
            RUN,
            {"template": {**L4, "gpuZonalRedundancyDisabled": True}},
            {"cloud-run-vcpu": 2, "cloud-run-memory": 1, "cloud-run-gpu-l4": 2},
        ),
        (
            RUN,
            {"template": L4},
            {"cloud-run-vcpu": 2, "cloud-run-memory": 1, "cloud-run-gpu-zonal-l4": 2},
        ),
        (
            RUN,
            {"template": {"containers": [{}]}, "scaling": {"maxInstanceCount": 5}},
            {"cloud-run-vcpu": 10, "cloud-run-memory": 5},
        ),
        (
            RUN,
            {"template": {"containers": [{}]}, "scaling": {"manualInstanceCount": 2}},
            {"cloud-run-vcpu": 4, "cloud-run-memory": 2},
        ),
        (
            RUN,
            {"template": {"containers": [{}]}},
            {"cloud-run-vcpu": 200, "cloud-run-memory": 100},
        ),
    ],
)
def test_a_service_pays_for_what_it_states(token, inputs, expected):
    assert hours(token, **inputs) == expected
    assert reasons(token, **inputs) == []


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (POSTGRESQL, B1MS, [32]),
        (
            POSTGRESQL,
            {**B1MS, "storage": {"storageSizeGB": 32, "autoGrow": "Enabled"}},
            [32, None],
        ),
        (POSTGRESQL, {**B1MS, "storage": UNKNOWN}, [UNKNOWN, None]),
        (SQL, {"sku": {"name": "GP_Gen5_2"}}, [Decimal("41.6")]),
        (SQL, {"sku": {"name": "GP_Gen5_2"}, "maxSizeBytes": 107374182400}, [130]),
        (CLOUD_SQL, MICRO, [10, None]),
        (
            CLOUD_SQL,
            {**MICRO, "settings": {"tier": "db-f1-micro", "diskAutoresizeLimit": 50}},
            [50],
        ),
        (CLOUD_SQL, {**MICRO, "settings": CUSTOM}, [200, None]),
    ],
)
def test_its_storage_counts_at_its_size_and_what_grows_by_use(token, inputs, expected):
    stored = [number for _, unit, number in paid(token, **inputs) if unit == "GB-month"]

    assert stored == expected


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (CLUSTER, {"nodeType": "ds2.xlarge"}),
        (CLUSTER, {"nodeType": UNKNOWN}),
        (CLUSTER, {}),
        (CACHE, {"engine": "memcached", "nodeType": "cache.t3.micro"}),
        (CACHE, {"replicationGroupId": "other"}),
        (POSTGRESQL, {"sku": {"name": "Standard_E64ds_v5"}}),
        (POSTGRESQL, {"sku": UNKNOWN}),
        (REDIS, {"sku": {"name": "Premium", "family": "P", "capacity": 1}}),
        (SQL, {"sku": {"name": "HS_PRMS_2"}}),
        (SQL, {"sku": {"name": "S0"}, "maxSizeBytes": 1099511627776}),
        (SQL, {}),
        (CLOUD_SQL, {**MICRO, "databaseVersion": "SQLSERVER_2022_WEB"}),
        (CLOUD_SQL, {**MICRO, "settings": {"tier": "db-perf-optimized-N-2"}}),
        (MEMORYSTORE, {"tier": "STANDARD_HA", "memorySizeGb": 1}),
        (MEMORYSTORE, {"memorySizeGb": 300}),
    ],
)
def test_a_service_without_a_price_is_not_free(token, inputs):
    assert paid(token, **inputs) == []
    assert len(reasons(token, **inputs)) == 1


@pytest.mark.parametrize(
    ("token", "inputs", "told"),
    [
        (CLUSTER, {"nodeType": "dc2.large", "multiAz": True}, "two zones"),
        (CACHES, {"nodeType": "cache.t3.micro", "engineVersion": "5.0.6"}, "Extended Support"),
        (POSTGRESQL, {**B1MS, "version": "13"}, "extended support"),
        (POSTGRESQL, {**B1MS, "version": UNKNOWN}, "extended support"),
        (MYSQL, {**B1MS, "version": "8.4", "storage": {"iops": 4000}}, "IOPS"),
        (SQL, {"sku": {"name": "S0"}, "zoneRedundant": True}, "several zones"),
        (SQL, {"sku": HYPERSCALE}, "set highAvailabilityReplicaCount"),
        (
            SQL,
            {"sku": {"name": "GP_Gen5_2"}, "highAvailabilityReplicaCount": 2},
            "one with replicas",
        ),
        (CLOUD_SQL, {**MICRO, "databaseVersion": "POSTGRES_13"}, "extended support"),
        (CLOUD_SQL, {**MICRO, "settings": {"tier": "db-f1-micro", "diskType": "PD_HDD"}}, "disk"),
        (RUN, {"template": {"nodeSelector": {"accelerator": "nvidia-rtx-pro-6000"}}}, "GPUs"),
        (RUN, {"template": {"nodeSelector": UNKNOWN}}, "GPUs"),
        (RUN, {"template": {"containers": UNKNOWN}}, "GPUs"),
    ],
)
def test_what_costs_more_than_the_table_has_is_told(token, inputs, told):
    (reason,) = reasons(token, **inputs)

    assert told in reason
    assert hours(token, **inputs)


@pytest.mark.parametrize("cloud", sorted(PROGRAMS))
def test_each_service_has_an_item_with_a_price_and_the_type_that_pays_it(cloud):
    provider = provider_of(cloud)
    tables = provider.tables.table("hourly_services")["rows"]
    starts = {
        line["item"].partition("{")[0]
        for row in tables
        for case in row["cases"]
        for line in case["lines"]
    }

    for start in starts:
        assert [item for item in provider.prices.service_items() if item.startswith(start)]
        token = provider.prices.token(start)
        assert token in {each for row in tables for each in row["types"]}
