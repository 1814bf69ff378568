import gzip
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.payload import LIMIT, fits, packed, unpacked


def test_a_script_that_fits_stays_as_it_is() -> None:
    script = "#!/bin/sh\n".ljust(LIMIT, "#")

    assert packed(script) == script.encode()


def test_a_larger_one_is_compressed_the_same_way_every_time() -> None:
    script = "#!/bin/sh\n".ljust(LIMIT + 1, "#")

    assert gzip.decompress(packed(script)) == script.encode()
    assert packed(script)[4:8] == bytes(4)  # no time of day
    assert fits(script)


def test_bytes_count_and_not_characters() -> None:
    assert packed("é" * (LIMIT // 2 + 1)).startswith(b"\x1f\x8b")


def test_what_does_not_compress_does_not_fit() -> None:
    assert not fits(hashlib.shake_256(b"noise").hexdigest(2 * LIMIT))


@given(st.text(st.characters(codec="utf-8"), max_size=40), st.integers(1, 2000))
def test_unpacking_gives_the_script_back(part: str, times: int) -> None:
    assert unpacked(packed(part * times)) == (part * times).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"\x1f\x8b\x08 no gzip at all",
        gzip.compress(b"x" * 100)[:-9],
        gzip.compress(b"x") + b"more",
        gzip.compress(bytes(LIMIT * 1040)),
    ],
    ids=["no gzip", "cut", "followed", "bomb"],
)
def test_broken_or_endless_data_is_said_and_not_guessed(data: bytes) -> None:
    with pytest.raises(ValueError, match="gzip"):
        unpacked(data)
