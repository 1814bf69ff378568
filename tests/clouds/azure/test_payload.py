import base64
import gzip

import pytest

from gpuinfra.clouds.azure.payload import (
    MAX_CUSTOM_DATA,
    encode_script,
    is_accepted_by_azure,
    unpack_custom_data,
)


def test_a_script_comes_back_as_it_was() -> None:
    script = "#!/bin/sh\necho ü\n"

    assert base64.b64decode(encode_script(script)).decode() == script


def test_the_limit_counts_bytes_before_base64() -> None:
    assert is_accepted_by_azure("x" * MAX_CUSTOM_DATA)
    assert not is_accepted_by_azure("x" * (MAX_CUSTOM_DATA + 1))
    assert not is_accepted_by_azure("ü" * (MAX_CUSTOM_DATA // 2 + 1))


def test_a_script_is_read_plain_or_compressed() -> None:
    script = b"#!/bin/sh\n"

    assert unpack_custom_data(script) == script
    assert unpack_custom_data(gzip.compress(script)) == script


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(b"#!/bin/sh\n")[:-6],
        b"\x1f\x8bx",
        gzip.compress(b"#!/bin/sh\n") + b"more",
        gzip.compress(bytes(MAX_CUSTOM_DATA * 1032 + 1)),
    ],
    ids=["cut off", "no header", "more behind", "too large"],
)
def test_what_is_no_whole_script_is_said(data: bytes) -> None:
    with pytest.raises(ValueError, match="custom data is"):
        unpack_custom_data(data)
