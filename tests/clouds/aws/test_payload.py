import gzip
import hashlib

from gpuinfra.clouds.aws.payload import MAX_USER_DATA, is_accepted_by_ec2, pack


def test_a_script_that_fits_stays_as_it_is() -> None:
    script = "#!/bin/sh\n".ljust(MAX_USER_DATA, "#")

    assert pack(script) == script.encode()


def test_a_larger_one_is_compressed_the_same_way_every_time() -> None:
    script = "#!/bin/sh\n".ljust(MAX_USER_DATA + 1, "#")

    assert gzip.decompress(pack(script)) == script.encode()
    assert pack(script)[4:8] == bytes(4)  # no time of day
    assert is_accepted_by_ec2(script)


def test_bytes_count_and_not_characters() -> None:
    assert pack("é" * (MAX_USER_DATA // 2 + 1)).startswith(b"\x1f\x8b")


def test_what_does_not_compress_does_not_fit() -> None:
    assert not is_accepted_by_ec2(hashlib.shake_256(b"noise").hexdigest(2 * MAX_USER_DATA))
