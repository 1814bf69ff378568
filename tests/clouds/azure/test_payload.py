import base64

from gpuinfra.clouds.azure.payload import LIMIT, encoded, fits


def test_a_script_comes_back_as_it_was() -> None:
    script = "#!/bin/sh\necho ü\n"

    assert base64.b64decode(encoded(script)).decode() == script


def test_the_limit_counts_bytes_before_base64() -> None:
    assert fits("x" * LIMIT)
    assert not fits("x" * (LIMIT + 1))
    assert not fits("ü" * (LIMIT // 2 + 1))
