import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import gpuinfra.catalog
from gpuinfra.catalog.claims import judging as claims
from gpuinfra.catalog.claims import machines, prices, sizes
from gpuinfra.catalog.claims.judging import CHECKS, Claim
from gpuinfra.catalog.machine_listing import cheapest
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.rules import RULES
from gpuinfra.specs import Stack
from gpuinfra.stackfile.json_schema import schema
from tests.cli.hints import takes

DATA = Path(gpuinfra.catalog.__file__).with_name("claims.json")
REGION = re.compile(r"\b[a-z]{2}-[a-z]+-\d\b")


@pytest.fixture(scope="module")
def judged() -> dict[str, Claim]:
    return {claim.text: claim for claim in claims.claims()}


@pytest.mark.parametrize(
    ("says", "outcome", "words"),
    [
        ("p4d.24xlarge has 8 A100 with 80 GB each", "wrong", "40 GB each; 80 GB is p4de.24xlarge"),
        ("g5.xlarge has 1 T4", "wrong", "1 × A10G"),
        ("Alibaba Cloud's gn7i machines have T4", "wrong", "has A10, not T4; T4 is"),
        ("Google Cloud's A2 machines have H100 or A100", "partly", "not H100; H100 is a3"),
        ("T4 has NVLink", "wrong", "none of the"),
        ("p3.2xlarge can be rented on AWS", "wrong", "retired"),
        ("GPT-3 (175 B parameters, FP16) runs on 4 A100 80 GB", "wrong", "take 5 GPUs"),
        ("an H100 takes 9,198 kWh a year at a PUE of 1.5", "right", "9,198 kWh"),
        ("p3.2xlarge for 8,760 h on demand costs $26,805.60", "right", "$26,805.60"),
        ("enterprise, 8 H100 in a machine: about $120/h", "partly", "Standard_ND96isr_H100_v5"),
        ("research, 4 A100 80 GB in a machine: about $24/h", "partly", "4 of 32 prices"),
        ("startup, 2 T4 in a machine: about $1.20/h", "partly", "n1-standard-4+2xT4"),
        (
            "one year committed is 50 to 70% off",
            "wrong",
            "committed-1y prices are",
        ),
        (
            "three years reserved cost 0.42 of the price on demand",
            "partly",
            "below on demand by 54% at the median",
        ),
        ("NVLink 4 gives an H100 900 GB/s", "partly", "H100-PCIe-80GB 600"),
        ("NVLink 3 gives an A100 600 GB/s", "right", "A100-PCIe-80GB 600"),
        ("an H100 at full load draws 700 W", "partly", "H100-PCIe-80GB 350"),
        ("PCIe 4.0 ×16 gives 64 GB/s", "right", "32 GB/s each way"),
        ("Tencent Cloud's GN8 machines have V100", "wrong", "has P40, not V100"),
        ("Tencent Cloud's GN10Xp has 8 A100 with 40 GB each", "wrong", "has V100-32GB, not A100"),
        (
            "object storage (S3) costs about 0.023 yuan per GB and month",
            "wrong",
            "$0.023 per",
        ),
        ("an A100 has 19.5 TFLOPS in FP32", "right", "A100-SXM-40GB 19.5"),
        (
            "training takes at least 1.5 times the weights (2 B a parameter in FP16)",
            "partly",
            "with LoRA",
        ),
        ("an A100 draws 300 W", "partly", "A100-PCIe-40GB 250"),
        ("p4d (p4d.24xlarge) for three years costs $2.18/h", "wrong", "$9.3742 per"),
        ("p4d (p4d.24xlarge) on spot costs 30% of the price on demand", "partly", " spot prices"),
        (
            "spot costs 60 to 70% of the price on demand",
            "wrong",
            "below on demand by 63% at the median",
        ),
        ("a T4 has 130 TOPS", "partly", "TFLOPS in FP16: 65; TOPS in INT8: 130"),
        ("an A100's memory gives 1.5 TB/s", "partly", "A100-SXM-80GB 2,039"),
        ("GPUs have 5,120 and 10,752 CUDA cores", "unknown", "a column of CUDA cores"),
        ("PyTorch 2.0 needs CUDA 11.7 or later", "right", "11.7"),
        ("TensorFlow 2.12 needs CUDA 12.0", "wrong", "11.8"),
        ("hardware of one's own costs 250,000 yuan", "unknown", "dated offer"),
        ("Lambda bills by the minute", "right", "1"),
        ("Lambda reserves from 30 days", "unknown", "no source"),
        (
            "p3.2xlarge reserved for a year costs $1.38/h, $12,088.80 for 8,760 h",
            "unknown",
            "no reserved-1y price",
        ),
        (
            "training takes at least 1.5 times the weights (4 B a parameter in FP32)",
            "partly",
            "with LoRA",
        ),
        ("object storage keeps eleven nines of its objects a year", "right", "99.999999999"),
        (
            "a provider promises an SLA of at least 99.9%",
            "partly",
            "one EC2 machine, % a month: 99.5",
        ),
    ],
)
def test_a_claim_is_judged(judged: dict[str, Claim], says: str, outcome: str, words: str) -> None:
    verdict = judged[says].verdict

    assert verdict.outcome == outcome
    assert words in verdict.evidence


def test_whatever_is_right_or_wrong_says_by_whom() -> None:
    for claim in claims.claims():
        verdict = claim.verdict
        assert verdict.evidence
        if verdict.outcome != "unknown":
            assert verdict.source, claim.text
            assert verdict.as_of or verdict.source.startswith(("arithmetic", "computed")), (
                claim.text
            )


def test_no_verdict_is_stored() -> None:
    rows = json.loads(DATA.read_bytes())["claims"]

    assert {key for row in rows for key in row} == {"topic", "says", "zh", "check", "given", "use"}
    assert {row["check"] for row in rows} == set(CHECKS)


def test_verdicts_follow_the_figures() -> None:
    """The same checks with other figures give other outcomes."""
    assert machines.gpu_memory("p4de.24xlarge", 80).outcome == "right"
    assert machines.machine_gpu("g4dn.xlarge", "T4", 1).outcome == "right"
    assert machines.machine_gpu("g4dn.xlarge", "T4", 2).outcome == "wrong"
    assert machines.sold("p5.48xlarge").outcome == "right"
    assert machines.gpu_nvlink("H100-SXM-80GB").outcome == "right"
    assert machines.fabric("g6.xlarge", "efa").outcome == "wrong"
    assert machines.family_gpu("gcp", "a3-", ["L4"]).outcome == "wrong"
    assert sizes.weights_fit(7_000_000_000, 2, "A100-SXM-80GB", 1).outcome == "right"
    assert sizes.energy("H100-SXM-80GB", "1.2", 8760, "9198").outcome == "wrong"
    grid = {"precisions": ["bf16"], "contexts": [512], "batches": [8]}
    assert sizes.training_memory("bert-base", 0, 1000, **grid).outcome == "right"
    assert sizes.training_memory("bert-base", 1000, 2000, **grid).outcome == "wrong"
    assert sizes.training_factor("llama-3.1-8b", "fp16", "1.1").outcome == "right"
    assert sizes.training_factor("llama-3.1-8b", "fp16", "20").outcome == "wrong"
    pcie_5 = {"rate": "32", "lanes": 16, "payload": "128/130", "source": "a test", "as_of": "2019"}
    assert machines.bus(gbs="128", **pcie_5).outcome == "right"
    assert machines.bus(gbs="64", **pcie_5).outcome == "wrong"
    told = {"source": "a test", "as_of": "2026"}
    assert machines.stated("12.0", {"its CUDA": "12.0"}, **told).outcome == "right"
    assert machines.stated("12.0", {"its CUDA": "11.8"}, **told).outcome == "wrong"
    assert machines.stated("99.9", {"a month": "99.99"}, **told, at_least=True).outcome == "right"
    assert machines.stated("99.9", {"a month": "99.99"}, **told).outcome == "wrong"
    assert machines.family_exists("aws", "p5.").outcome == "right"
    assert prices.price("aws", "p5.48xlarge", "us-east-1", "on-demand", "98.32").outcome == (
        "wrong"
    )
    assert prices.ratio(["reserved-3y"], "0.01", "0.02", "0").outcome == "wrong"
    assert prices.ratio(["reserved-3y"], "0", "9", "0").outcome == "right"


def test_a_tier_is_right_once_a_price_list_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    told = cheapest(priced_cloud_of("tencent").machines.get("GN8.LARGE56"), "on-demand")
    assert told is not None
    tiered = replace(told, per_unit=Decimal("2.80"), tiers=((Decimal(720), Decimal("2.38")),))
    monkeypatch.setattr(prices, "cheapest", lambda *_: tiered)

    assert prices.price_tier("tencent", ["GN8."], "2.80", "2.38").outcome == "right"
    assert prices.price_tier("tencent", ["GN8."], "3.00", "2.38").outcome == "unknown"


H100 = ("H100-SXM-80GB",)


def test_an_offer_is_held_against_every_region_and_not_the_cheapest_alone() -> None:
    """p5.48xlarge is $55.04/h where it is cheapest, and more elsewhere."""
    told = prices.offer(H100, 8, "120", "0.1")

    assert told.outcome == "partly"
    assert "of 81 prices" in told.evidence
    assert "$186.608/h" in told.evidence
    assert prices.offer(H100, 8, "55.04", "0").outcome == "partly"
    assert prices.offer(H100, 8, "500", "0.1").outcome == "wrong"
    assert prices.offer(H100, 7, "55", "0.1").outcome == "unknown"


def test_an_offer_is_right_to_its_tolerance_and_no_further() -> None:
    """$31.92/h, of Lambda, is the lowest of all."""
    assert prices.offer(H100, 8, "29.1", "0.1").outcome == "partly"
    assert prices.offer(H100, 8, "28.9", "0.1").outcome == "wrong"
    assert prices.offer(H100, 8, "100", "9").outcome == "right"


def test_committed_prices_are_told_mode_by_mode() -> None:
    told = prices.ratio(["reserved-1y", "committed-3y"], "0.30", "0.50", "0")

    assert "reserved-1y prices are below on demand by 37%" in told.evidence
    assert "committed-3y prices are below on demand by 56%" in told.evidence


def test_advice_names_the_regions_of_savings_plans_and_endpoints() -> None:
    rows = list(priced_cloud_of("aws").prices.all_rows())
    used = {row["says"]: row["use"] for row in json.loads(DATA.read_bytes())["advice"]}
    plans = {row.region for row in rows if row.mode.startswith("savings-")}
    endpoints = {row.region for row in rows if row.item.startswith("sagemaker-hosting-")}
    advice = used["commit to base load: savings plans and committed use"]

    assert set(REGION.findall(advice)) == plans
    assert set(REGION.findall(used["SageMaker"])) == endpoints


def test_prices_of_one_machine_are_compared_alone() -> None:
    every, alone = (
        prices.ratio(["spot"], "0.30", "0.30", "0.05", item) for item in ("", "p4d.24xlarge")
    )

    assert "1,557 spot prices" in every.evidence
    assert "12 spot prices" in alone.evidence


def test_a_fabric_that_nobody_tells_of_is_not_denied() -> None:
    assert machines.fabric("BMG5t", "rdma").outcome == "unknown"


def properties(schema: Any) -> set[str]:
    """Every key of a JSON Schema, at any depth."""
    if isinstance(schema, list):
        return set().union(*map(properties, schema))
    if not isinstance(schema, dict):
        return set()
    return set().union(schema.get("properties", ()), *map(properties, schema.values()))


QUOTED = re.compile(r"`([^`]+)`")
KEY = re.compile(r"[a-z_]+(?=: ?[\[{\w'])|^[a-z_]+$")
STACK_KEYS = properties(schema(Stack, "stack"))
USES = [*(claim.use for claim in claims.claims()), *(row.use for row in claims.advice())]


@pytest.mark.parametrize("use", sorted({use for use in USES if "`" in use}))
def test_what_gpuinfra_does_with_it_is_there(use: str) -> None:
    """A claim's use quotes commands, rules, keys of the stack file and folders of stacks."""
    for quoted in QUOTED.findall(use):
        if quoted.startswith("gpuinfra "):
            takes(quoted.removeprefix("gpuinfra "))
        elif quoted.startswith("stacks/"):
            assert (Path(__file__).parents[3] / quoted / "stack.yaml").exists(), quoted
        elif quoted not in {rule.id for rule in RULES}:
            assert KEY.findall(quoted), quoted
            assert set(KEY.findall(quoted)) <= STACK_KEYS, quoted


def test_the_guides_and_what_they_advise_are_told_apart() -> None:
    """What has a figure is judged; advice says what gpuinfra does with it."""
    assert all(USES)
    assert any(row.text == "start Horovod over NCCL" for row in claims.advice())
    assert {row.use for row in claims.advice() if "MLPerf" in row.text} == {
        "nothing: no MLPerf result is in the catalog"
    }
