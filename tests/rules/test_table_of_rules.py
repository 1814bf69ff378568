"""What is decided of each rule beside its condition: how hard it is, and when a pack may ask."""

from pathlib import Path

from gpuinfra.rules import RULES

ADVISORY = {
    *("cloud-budget", "time-limit", "spot-allocation", "shared-storage-zone"),
    *("metadata-hop-limit", "secure-boot", "owner-label", "image-pinned", "scaling-signal"),
    *("idle-stop", "storage-speed", "bucket-lifecycle", "bucket-versioned"),
    "bucket-versioned-expiry",
    *("network-access", "machine-upkeep", "login-identity", "force-destroy", "bucket-safeguards"),
    *("resource-settings", "cluster-access", "password-login"),
}
"""Rules that only advise; every other one refuses."""

OF_SEVERAL = {
    *("cap-per-hour", "cap-per-month", "cost-growth", "cloud-budget", "time-limit"),
    *("spot-share", "spot-interruptible", "spot-only-pool", "spot-checkpoints"),
    *("fabric-self-ingress", "fabric-self-egress", "fabric-driver", "shared-storage-zone"),
    *("open-login", "administrator-role"),
    *("bucket-private", "bucket-encrypted", "bucket-tls"),
    *("scaling-signal", "idle-stop", "storage-speed", "bucket-lifecycle"),
    *("bucket-versioned", "bucket-versioned-expiry", "network-access"),
    *("machine-upkeep", "bucket-safeguards"),
    "resource-settings",
}
"""Rules that need more than one resource and what it refers to; of every other one a pack asks
before the resource is made."""

FIRM = {
    *("no-cap", "cap-per-hour", "cap-per-month", "cap-per-run"),
    *("price-unknown", "price-outdated"),
}
"""Rules that can't be waived, lowered or disabled: their way out is the input."""


def ids(**values: object) -> set[str]:
    return {
        rule.id
        for rule in RULES
        if all(getattr(rule, name) == value for name, value in values.items())
    }


def list_of(name: str) -> str:
    return f"a new rule is listed on purpose: change {name} in {__name__}, or the rule"


def test_the_rules_that_only_advise():
    assert ids(level="advisory") == ADVISORY, list_of("ADVISORY")
    assert ids(level="disabled") == set()


def test_the_rules_that_nothing_sets_aside():
    assert ids(firm=True) == FIRM, list_of("FIRM")


def test_the_rules_that_are_asked_before_a_resource_is_made():
    assert ids(alone=False) == OF_SEVERAL, list_of("OF_SEVERAL")


def test_the_tests_of_a_rule_are_found_by_its_id():
    here = Path(__file__)
    tests = "".join(
        path.read_text("utf-8") for path in here.parent.glob("test_*.py") if path != here
    )

    untested = [rule.id for rule in RULES if f'"{rule.id}"' not in tests]
    assert untested == [], "write a test in tests/rules that names the rule's id"
