import base64
import gzip
import hashlib

import pytest

from gpuinfra.clouds.aws.declare.launch_template import user_data
from gpuinfra.clouds.aws.payload import MAX_USER_DATA
from gpuinfra.errors import InputError


def test_a_script_is_sent_plain_or_compressed() -> None:
    small, large = "#!/bin/sh\n", "#!/bin/sh\n".ljust(2 * MAX_USER_DATA, "#")

    assert base64.b64decode(user_data("trainer", small)) == small.encode()
    assert gzip.decompress(base64.b64decode(user_data("trainer", large))) == large.encode()


def test_one_that_ec2_would_refuse_ends_the_program_in_words() -> None:
    noise = hashlib.shake_256(b"noise").hexdigest(2 * MAX_USER_DATA)

    with pytest.raises(InputError, match=r"trainer: the start-up script is too long.*shorten"):
        user_data("trainer", noise)
