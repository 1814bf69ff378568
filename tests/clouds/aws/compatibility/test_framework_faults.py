import pytest

from gpuinfra.clouds.aws.compatibility.framework_faults import framework_faults, framework_notes
from gpuinfra.clouds.aws.images import known_image
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.specs.framework import Framework

ARM = (
    "/aws/service/deeplearning/ami/arm64/"
    "oss-nvidia-driver-gpu-pytorch-2.10-amazon-linux-2023/latest/ami-id"
)


def faults(type_: str, wish: str | None = None, **versions: str) -> list:
    framework = Framework(**versions) if versions else None
    return list(framework_faults(machine(type_), "training", wish, framework))


def notes(type_: str, wish: str | None = None, **versions: str) -> tuple[str, ...]:
    return framework_notes(machine(type_), "training", wish, Framework(**versions))


def test_another_pytorch_is_refused_at_its_key_with_an_image_that_has_it() -> None:
    (fault,) = faults("p5.48xlarge", pytorch="2.9")

    assert fault.key == ("framework", "pytorch")
    assert (fault.value, fault.allowed) == ("2.9", "2.10")
    assert fault.message == "the job requires PyTorch 2.9; the image has 2.10"
    parameter = fault.fix.split("machine_image: ")[1].split(";")[0]
    assert known_image(parameter).pytorch == "2.9"
    assert "remove framework.pytorch if the job includes its own" in fault.fix
    assert faults("p5.48xlarge", parameter, pytorch="2.9") == []


def test_a_pytorch_that_no_known_image_has_asks_for_one_of_the_user() -> None:
    (fault,) = faults("p5.48xlarge", pytorch="2.7")

    assert fault.fix.startswith("use an image that has it; or remove")


def test_an_image_without_pytorch_is_said_to_have_none() -> None:
    (fault,) = faults("p6-b300.48xlarge", pytorch="2.11")

    assert fault.message == "the job requires PyTorch 2.11; the image has none"


def test_a_cuda_older_than_the_gpu_is_refused_and_no_image_helps() -> None:
    (fault,) = faults("p6-b200.48xlarge", cuda="12.6")

    assert fault.key == ("framework", "cuda")
    assert fault.message == ("p6-b200.48xlarge needs CUDA 12.8 or newer; the job requires 12.6")
    assert fault.allowed == "CUDA 12.8 or newer"
    assert fault.fix == "build the job for another version, or use another machine type"


def test_an_image_is_named_though_something_else_is_wrong_that_no_image_helps() -> None:
    cuda, pytorch = faults("p6-b200.48xlarge", cuda="12.6", pytorch="2.11")

    assert (cuda.key, pytorch.key) == (("framework", "cuda"), ("framework", "pytorch"))
    assert "pytorch-2.11" in pytorch.fix


def test_each_key_is_refused_once() -> None:
    (cuda,) = faults("trn1.32xlarge", cuda="12.8")

    assert cuda.message == "TRAINIUM1, the GPU of trn1.32xlarge, doesn't support CUDA"


def test_an_image_for_another_processor_is_refused_without_any_framework() -> None:
    (fault,) = faults("p5.48xlarge", ARM)

    assert (fault.key, fault.value) == (("machine_image",), ARM)
    assert fault.message == "the image is for arm64, p5.48xlarge is x86_64"
    assert fault.allowed == "an image for x86_64"


@pytest.mark.parametrize("wish", [None, "ami-0123456789abcdef0", "/team/ami"])
def test_what_nobody_knows_is_never_refused(wish: str | None) -> None:
    assert faults("p3dn.24xlarge", wish, nccl="2.20") == []
    assert faults("p3dn.24xlarge", wish) == []


def test_a_job_that_takes_older_efa_than_the_machine_needs_may_well_run_with_newer() -> None:
    assert faults("p6-b200.48xlarge", efa="1.30") == []
    assert (
        "unknown: p6-b200.48xlarge needs EFA installer 1.41.0 or newer; the job requires 1.30"
    ) in notes("p6-b200.48xlarge", efa="1.30")


def test_what_fits_for_all_that_is_known_has_no_fault() -> None:
    assert faults("p5en.48xlarge", cuda="12.8", driver="570", pytorch="2.10", efa="1.43") == []


def test_notes_tell_what_nobody_knows() -> None:
    own = notes("p5.48xlarge", "ami-0123456789abcdef0", driver="570")
    ours = notes("p5.48xlarge", nccl="2.18.5")

    assert "unknown: the contents of the image are unknown" in own
    assert (
        "unknown: the job requires NVIDIA driver 570 or newer; the image's version is unknown"
    ) in own
    assert (
        "unknown: the job requires NCCL 2.18.5 or newer; the image's version is unknown"
    ) in ours
    assert len(ours) == len(set(ours))


def test_without_a_framework_there_is_nothing_to_note() -> None:
    assert framework_notes(machine("p5.48xlarge"), "training", "/team/ami", None) == ()
