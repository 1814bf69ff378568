from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.compatibility.version_verdicts import IMAGE, judge
from gpuinfra.clouds.aws.images import ABSENT, images, known_image, public_image, serves
from gpuinfra.clouds.aws.machines import MACHINES, machine
from gpuinfra.specs.framework import Framework

ASKED = ("cuda", "driver", "pytorch", "nccl", "efa")
P5, T4, B200, V100, TRN1 = map(
    machine,
    ("p5.48xlarge", "g4dn.xlarge", "p6-b200.48xlarge", "p3dn.24xlarge", "trn1.32xlarge"),
)
PYTORCH = public_image("training", P5)
UBUNTU = "/aws/service/deeplearning/ami/x86_64/"
PYTORCH_29 = known_image(f"{UBUNTU}oss-nvidia-driver-gpu-pytorch-2.9-ubuntu-24.04/latest/ami-id")

versions = st.lists(st.integers(0, 700), min_size=1, max_size=3).map(
    lambda parts: ".".join(map(str, parts))
)
frameworks = st.builds(Framework.model_construct, **{key: st.none() | versions for key in ASKED})
all_machines = st.sampled_from(list(MACHINES.all_machines()))


def told(verdicts, key: str) -> list[tuple[bool | None, str]]:
    return [(verdict.fits, verdict.reason) for verdict in verdicts if verdict.key == key]


def verdicts_of(on=P5, image=PYTORCH, **versions_: str) -> tuple:
    return judge(on, image, Framework(**versions_))


@given(all_machines, frameworks)
def test_an_unknown_image_never_fits(on, framework) -> None:
    own = [verdict for verdict in judge(on, None, framework) if "image" in verdict.reason]

    assert own
    assert not [verdict for verdict in own if verdict.fits]


@given(all_machines, st.sampled_from(images()), frameworks)
def test_an_image_whose_cells_are_unknown_never_fits_what_is_asked_of_it(
    on, image, framework
) -> None:
    blank = replace(
        image,
        driver=None,
        cuda=None,
        pytorch=None,
        pytorch_cuda=None,
        nccl=None,
        efa=None,
        ofi_nccl=None,
    )
    verdicts = judge(on, blank, framework)

    assert not [verdict for verdict in verdicts if verdict.fits and "image has" in verdict.reason]
    assert not [verdict for verdict in verdicts if verdict.fits and "driver" in verdict.reason]
    wrong = [verdict for verdict in verdicts if verdict.fits is False and verdict.key != IMAGE]
    assert not [verdict for verdict in wrong if "image" in verdict.reason]


@given(all_machines, st.sampled_from([None, *images()]), frameworks)
def test_every_verdict_has_a_reason_and_a_key_of_the_stack_file(on, image, framework) -> None:
    for verdict in judge(on, image, framework):
        assert verdict.reason
        assert not verdict.reason.endswith(".")
        assert verdict.key == IMAGE or getattr(framework, verdict.key) is not None


def test_the_images_that_are_taken_are_not_known_to_be_unfit() -> None:
    for purpose in ("training", "inference"):
        for on in MACHINES.all_machines():
            image = public_image(purpose, on)
            if image is not None:
                verdicts = judge(on, image, None)
                assert (True, f"the image's release notes of {image.as_of} list {on.type}") in (
                    told(verdicts, IMAGE)
                )
                assert not [verdict for verdict in verdicts if verdict.fits is False]


@pytest.mark.parametrize(
    ("key", "version", "fits"),
    [
        ("driver", "570", True),
        ("driver", "595.91.7", True),
        ("driver", "600", None),
        ("efa", "1.43", True),
        ("efa", "1.60", None),
        ("nccl", "2.18.5", None),
        ("pytorch", "2.10", True),
        ("pytorch", "2.10.1", None),
        ("pytorch", "2.1", False),
        ("pytorch", "2.7", False),
    ],
)
def test_what_is_asked_is_held_against_the_image(key: str, version: str, fits) -> None:
    verdicts = [
        verdict
        for verdict in verdicts_of(**{key: version})
        if verdict.key == key and "job" in verdict.reason
    ]

    assert fits in {verdict.fits for verdict in verdicts if "the image" in verdict.reason}
    assert all(verdict.fits in {fits, True} for verdict in verdicts)


def test_a_newer_release_may_have_what_this_one_lacks() -> None:
    ((fits, because),) = told(verdicts_of(driver="600"), "driver")

    assert fits is None
    assert because == (
        "the job requires NVIDIA driver 600 or newer; the image of 2026-09-21 has 595.91.07"
    )


@pytest.mark.parametrize(
    ("on", "cuda", "fits"),
    [
        (B200, "12.6", False),
        (B200, "12.8", True),
        (B200, "12.10", True),
        (V100, "13.0", False),
        (V100, "12.8", True),
        (P5, "11.8", None),
        (P5, "12.1", True),
        (T4, "9.2", None),
        (TRN1, "12.8", False),
    ],
)
def test_a_machine_runs_the_cuda_that_its_gpu_is_known_for(on, cuda: str, fits) -> None:
    of_machine = [
        verdict.fits
        for verdict in verdicts_of(on, None, cuda=cuda)
        if verdict.key == "cuda" and on.type in verdict.reason
    ]

    assert fits in of_machine
    assert set(of_machine) <= {fits, True, None} - ({None} if fits else set())


@pytest.mark.parametrize(
    ("driver", "cuda", "fits"),
    [
        ("570.26", "12.8", True),
        ("570.25", "12.8", None),
        ("525.60.13", "12.8", None),
        ("524", "12.8", None),
        ("595.91.07", "13.2", True),
        ("595.91.07", "13.9", None),
        (None, "12.8", None),
        (ABSENT, "12.8", False),
    ],
)
def test_the_driver_runs_the_cuda_that_nvidia_lists(driver, cuda: str, fits) -> None:
    image = replace(PYTORCH, driver=driver, pytorch=ABSENT)
    verdicts = [
        verdict for verdict in verdicts_of(P5, image, cuda=cuda) if "driver" in verdict.reason
    ]

    assert verdicts[-1].fits is fits


def test_a_toolkit_that_the_image_lacks_may_be_brought() -> None:
    base = replace(PYTORCH, cuda=("13.2",), pytorch=ABSENT)
    fits = {verdict.reason: verdict.fits for verdict in verdicts_of(P5, base, cuda="12.8")}

    (why,) = [because for because in fits if "toolkits" in because]
    assert fits[why] is None
    assert "has the toolkits 13.2: the job must include its own" in why
    assert True in {
        verdict.fits
        for verdict in verdicts_of(P5, base, cuda="13.2")
        if "toolkit" in verdict.reason
    }


def test_the_cuda_of_the_images_own_pytorch_is_certain() -> None:
    other = verdicts_of(P5, PYTORCH_29, pytorch="2.9", cuda="12.8")
    same = verdicts_of(P5, PYTORCH_29, pytorch="2.9", cuda="13.0")

    assert (False, "the image's PyTorch 2.9 was built for CUDA 13.0; the job requires 12.8") in (
        told(other, "cuda")
    )
    assert False not in {verdict.fits for verdict in same}


def test_wheels_are_published_for_some_cuda_only() -> None:
    assert (True, "PyTorch 2.7 is published for CUDA 12.8") in told(
        verdicts_of(pytorch="2.7", cuda="12.8"), "pytorch"
    )
    (none,) = [
        verdict
        for verdict in verdicts_of(pytorch="2.7", cuda="13.0")
        if "is published" in verdict.reason
    ]
    assert none.fits is None
    assert "for CUDA 12.8, 12.6, 11.8, not for 13.0" in none.reason
    unheard = told(verdicts_of(pytorch="3.7", cuda="13.0"), "pytorch")
    assert (None, "the CUDA versions that PyTorch 3.7 is published for are unknown") in unheard


def test_the_nccl_of_a_wheel_is_held_against_what_the_machine_wants() -> None:
    on = machine("p6-b300.48xlarge")
    words = told(verdicts_of(on, None, pytorch="2.10", cuda="12.8"), "pytorch")

    advised = "NCCL 2.28.3 or newer is recommended for p6-b300.48xlarge"
    assert (None, f"{advised}; PyTorch 2.10 for CUDA 12.8 includes 2.27.5") in words


def test_an_image_for_another_processor_or_another_maker_does_not_start() -> None:
    arm = public_image("training", machine("g5g.xlarge"))
    (wrong,) = judge(P5, arm, None)
    (other,) = judge(TRN1, PYTORCH, None)

    assert (wrong.fits, wrong.reason) == (
        False,
        "the image is for arm64, p5.48xlarge is x86_64",
    )
    assert (other.fits, other.reason) == (
        False,
        "the image has no driver for the TRAINIUM1 of trn1.32xlarge",
    )


def test_a_machine_that_the_notes_do_not_list_is_not_known_to_start() -> None:
    fits, because = told(judge(machine("g7e.2xlarge"), PYTORCH, None), IMAGE)[0]

    assert not serves(PYTORCH, machine("g7e.2xlarge"))
    assert (fits, because) == (
        None,
        "the image's release notes of 2026-09-21 do not list g7e.2xlarge",
    )
