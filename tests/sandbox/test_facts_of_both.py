"""What the sandbox and the clouds both state: each from its own page, and the same numbers.

The sandbox knows nothing of the clouds' code (docs/decisions/4-sandbox.md), so limits that both
have in code stand twice; one that changes has to change in both.
"""

from gpuinfra.clouds.aws import disk
from gpuinfra.clouds.aws.lustre import tiers
from gpuinfra.clouds.gcp.network import TRAINING_MTU
from gpuinfra.clouds.gcp.observe.launch.purchase_options import _RUN_SECONDS
from gpuinfra.clouds.gcp.regions import REGIONS
from gpuinfra.sandbox.plugin.aws import input_combinations, lustre_needs
from gpuinfra.sandbox.plugin.gcp import input_combinations as gcp_combinations
from gpuinfra.sandbox.plugin.gcp import places, provider, scheduling


def test_limits_of_disks() -> None:
    assert input_combinations._GP3_LIMITS == {
        "iops": (disk.BASE_IOPS, disk.MAX_IOPS),
        "throughput": (disk.BASE_THROUGHPUT, disk.MAX_THROUGHPUT),
        "volumeSize": (1, disk.MAX_GIB),
    }


def test_tiers_of_lustre() -> None:
    listed = [tier for tier in tiers.tiers() if tier.step is not None and not tier.efa]
    kinds = {(tier.deployment, tier.storage) for tier in listed}

    assert lustre_needs._KINDS.keys() == kinds
    for tier in listed:
        kind = lustre_needs._KINDS[tier.deployment, tier.storage]
        throughput = tier.throughput or lustre_needs._ANY_TIER
        step = kind.step.get(throughput, kind.step.get(lustre_needs._ANY_TIER))
        assert (kind.small, step) == (tier.sizes, tier.step), tier
        assert tier.throughput is None or tier.throughput in kind.tiers, tier
        assert tier.own_key is (
            tier.deployment in lustre_needs._DEPLOYMENTS_BY_INPUT["kmsKeyId"]
        ), tier
    assert lustre_needs._IOPS == tiers.METADATA
    assert (lustre_needs._INTELLIGENT_TIERING, lustre_needs._TIERED_STEP) == (
        tiers.INTELLIGENT_TIERING,
        tiers.TIERED_STEP,
    )
    assert lustre_needs._DEPLOYMENTS_BY_INPUT["metadataConfiguration"] == (tiers.PERSISTENT_2,)


def test_limits_and_places_of_google_cloud() -> None:
    assert gcp_combinations._MTU[1] == TRAINING_MTU
    assert range(scheduling._FLEX_SECONDS[0], scheduling._FLEX_SECONDS[1] + 1) == _RUN_SECONDS
    assert (*provider._REGION, *provider._ZONE) == REGIONS.VARIABLES
    assert places.regions() == tuple(sorted(REGIONS.all()))
