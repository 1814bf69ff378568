from decimal import Decimal

from gpuinfra.catalog.choosing.guide_advice import advice, trains_as_advised
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Machine


def machine(cloud: str, type_: str) -> Machine:
    row = priced_cloud_of(cloud).machines.get(type_)
    assert row is not None
    return row


def test_a_high_end_gpu_is_held_against_the_guides_host() -> None:
    vcpu, memory = advice(machine("aws", "p5.48xlarge"))

    assert (vcpu.actual, vcpu.recommended, vcpu.is_met) == (24, 8, True)
    assert (memory.actual, memory.recommended, memory.is_met) == (256, 64, True)
    assert vcpu.source


def test_too_few_vcpus_are_told_and_refuse_nothing() -> None:
    vcpu, memory = advice(machine("gcp", "a2-megagpu-16g"))

    assert (vcpu.actual, vcpu.is_met) == (6, False)
    assert memory.is_met is True
    assert str(vcpu) == "vCPUs for each GPU: 6 vCPU; the guides advise 8 or more"


def test_small_gpus_need_no_large_host() -> None:
    assert advice(machine("aws", "g6.xlarge")) == ()


def test_machines_that_train_together_need_a_network() -> None:
    (slow,) = advice(machine("aws", "g6.xlarge"), machines=2)
    fast = advice(machine("aws", "p5.48xlarge"), machines=2)[-1]

    assert (slow.actual, slow.is_met) == (Decimal("2.5"), False)  # what it carries without end
    assert (fast.actual, fast.is_met) == (3200, True)


def test_a_slow_network_is_no_refusal_where_a_fabric_may_be() -> None:
    """What is known of its network is slow, and nobody says whether it has a fabric besides."""
    slow = machine("alibaba", "ecs.gn6i-c4g1.xlarge")
    assert slow.network_gbps is not None

    assert trains_as_advised(slow) is None
    assert trains_as_advised(machine("aws", "g5.xlarge")) is False
