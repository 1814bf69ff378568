import pytest

from gpuinfra.clouds.gcp.machines import MACHINES, TemplateHardware, hardware, machine, type_with


def test_a_plus_is_gpus_that_are_attached() -> None:
    assert hardware("n1-standard-8+2xT4") == TemplateHardware(
        machine_type="n1-standard-8", accelerator="nvidia-tesla-t4", count=2
    )
    assert hardware("a3-highgpu-8g") == TemplateHardware(
        machine_type="a3-highgpu-8g", accelerator=None, count=0
    )


@pytest.mark.parametrize("type_", ["n1-standard-8+2xT9", "n1-standard-8+manyxT4"])
def test_unknown_gpus_are_refused_by_name(type_: str) -> None:
    with pytest.raises(ValueError, match="accelerator"):
        hardware(type_)


@pytest.mark.parametrize("type_", [machine.type for machine in MACHINES.all_machines()])
def test_what_a_template_says_leads_back_to_the_type(type_: str) -> None:
    parts = hardware(type_)

    assert type_with(parts.machine_type, parts.accelerator, parts.count) == type_


def test_gpus_that_are_built_in_may_be_mentioned() -> None:
    assert type_with("g2-standard-8", "nvidia-l4", 1) == "g2-standard-8"
    assert type_with("n1-standard-8", None, 0) == "n1-standard-8"


def test_an_accelerator_that_no_table_knows_gets_no_other_ones_name() -> None:
    name = type_with("n1-standard-8", "nvidia-tesla-k80", 1)

    assert name == "n1-standard-8+1xnvidia-tesla-k80"
    assert machine(name) is None


def test_attached_gpus_keep_googles_limits() -> None:
    most = {"1": 48, "2": 48, "4": 96}
    attached = [machine for machine in MACHINES.all_machines() if "+" in machine.type]

    assert attached
    for row in attached:
        assert row.vcpu <= most[str(row.gpu_count)], row.type
        assert row.memory_gib == row.vcpu * 15 / 4, row.type
    assert machine("n1-standard-64+1xT4") is None


def test_a_machine_type_is_told_from_a_gpu() -> None:
    assert all(MACHINES.form.fullmatch(machine.type) for machine in MACHINES.all_machines())
    for word in (
        "H100",
        "a100-sxm-80gb",
        "l4",
        "h100-80gb",
        "RTX-PRO-6000",
        "t4-16gb",
        "p5.48xlarge",
    ):
        assert not MACHINES.form.fullmatch(word), word


@pytest.mark.parametrize(
    ("type_", "kind", "interfaces"),
    [
        ("a3-highgpu-8g", "gpudirect-tcpx", 4),
        ("a3-megagpu-8g", "gpudirect-tcpxo", 8),
        ("a3-ultragpu-8g", "roce", 8),
        ("a3-highgpu-4g", None, 0),
        ("g2-standard-96", None, 0),
    ],
)
def test_fabrics_of_the_a3_series(type_: str, kind: str | None, interfaces: int) -> None:
    known = machine(type_)

    assert (known.fabric, known.fabric_interfaces) == (kind, interfaces)


def test_no_fabric_is_said_only_by_a_page_that_lists_the_interfaces() -> None:
    """No page that was read lists those of N1 machines."""
    for row in MACHINES.all_machines():
        attached = "+" in row.type
        if row.fabric is None:
            assert row.fabric_interfaces == (None if attached else 0), row.type
