import pytest

from gpuinfra.clouds.aws.images import has_image, public_image
from gpuinfra.clouds.aws.machines import machine, machines


@pytest.mark.parametrize("purpose", ["training", "inference"])
def test_images_serve_the_families_that_their_source_names(purpose) -> None:
    served = {one.type.partition(".")[0] for one in machines() if has_image(one, purpose)}

    assert {"g4dn", "g5", "g6", "g6e", "p4d", "p5", "p5en", "p6-b200"} <= served
    assert served.isdisjoint(
        {"g5g", "g6f", "gr6f", "p3dn", "trn1", "trn2", "inf1", "inf2", "dl2q"}
    )


@pytest.mark.parametrize("purpose", ["training", "inference"])
def test_an_image_is_sourced_dated_and_for_machines_of_the_table(purpose) -> None:
    image = public_image(purpose, "x86_64")
    families = {one.type.partition(".")[0]: one.architecture for one in machines()}

    assert image.parameter.startswith("/aws/service/deeplearning/ami/x86_64/")
    assert image.source.startswith("https://")
    assert image.as_of
    assert {families[family] for family in image.families} == {"x86_64"}


def test_no_image_is_known_for_another_processor() -> None:
    assert public_image("training", "arm64") is None
    assert public_image("inference", None) is None
    assert not has_image(machine("p6e-gb200.36xlarge"), "training")
