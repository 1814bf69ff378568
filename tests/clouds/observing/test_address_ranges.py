import pytest

from gpuinfra.clouds.observing.address_ranges import are_world, is_world, read_range


@pytest.mark.parametrize(
    ("written", "world"),
    [
        ("0.0.0.0/0", True),
        ("0.0.0.0/1", True),
        ("128.0.0.0/1", True),
        ("10.0.0.0/8", False),
        ("203.0.113.0/24", False),
        (" 192.0.2.1 ", False),
        ("::/0", True),
        ("2000::/3", True),
        ("2001:db8::/32", False),
        ("fd00::/8", False),
        ("fc00::/7", False),
        ("f000::/4", True),
    ],
)
def test_a_range_wider_than_any_owner_is_the_internet(written: str, world: bool) -> None:
    assert is_world(read_range(written)) is world


@pytest.mark.parametrize("written", [None, 7, "", "Internet", "10.0.0.0/33", ["0.0.0.0/0"]])
def test_what_is_no_range_is_none(written: object) -> None:
    assert read_range(written) is None


@pytest.mark.parametrize(
    ("written", "world"),
    [
        ([f"{first}.0.0.0/8" for first in range(1, 224)], True),
        ([f"{first}.0.0.0/8" for first in range(11, 90, 2)], True),
        (["3.0.0.0/8", "203.0.113.0/24"], False),
        (["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"], False),
        (["2600::/12", "2a00::/12"], True),
        (["2001:db8::/32", "fd00::/8"], False),
        ([], False),
    ],
)
def test_ranges_that_no_owner_has_together_are_the_internet(written, world) -> None:
    assert are_world([read_range(each) for each in written]) is world
