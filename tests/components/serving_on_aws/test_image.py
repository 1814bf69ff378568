"""Which image of a container the machines of a pool run: pinned by its digest, or as written."""

import pytest

from tests.components.serving_on_aws.stacks import REPOSITORY, WORK, Builds, changed, script

DIGEST = f"sha256:{'a' * 64}"


def test_an_image_of_ecr_is_pinned_by_its_digest(builds: Builds) -> None:
    seen = builds(WORK)
    (lookup,) = [args for token, args in seen.calls if token == "aws:ecr/getImage:getImage"]
    pins = [resource for resource in seen.resources if resource.type == "pulumi:index:Stash"]

    assert (lookup["registryId"], lookup["repositoryName"], lookup["imageTag"]) == (
        "123456789012",
        "team/worker",
        "v3",
    )
    assert DIGEST in [pin.inputs["input"] for pin in pins]
    assert all(pin.options == {"ignoreChanges": ["input"]} for pin in pins)
    assert f"IMAGE={REPOSITORY}@{DIGEST}" in script(seen, "work")
    assert ":v3" not in script(seen, "work")


def test_another_tag_is_looked_up_anew(builds: Builds) -> None:
    names = [
        {
            resource.name
            for resource in builds(text).resources
            if resource.type == "pulumi:index:Stash"
        }
        for text in (WORK, changed(WORK, ("worker:v3", "worker:v4")))
    ]

    assert len(names[0] - names[1]) == 1


@pytest.mark.parametrize("image", ["vllm/vllm-openai:v0.11.0", f"{REPOSITORY}@{DIGEST}"])
def test_other_images_are_taken_as_they_are_written(builds: Builds, image: str) -> None:
    seen = builds(changed(WORK, (f"{REPOSITORY}:v3", image)))

    assert not [args for token, args in seen.calls if token == "aws:ecr/getImage:getImage"]
    assert f"IMAGE={image}\n" in script(seen, "work")
