"""Secrets that stand encoded in a script are found, whatever encodes them, within bounds."""

import base64
import bz2
import gzip
import json
import textwrap
import time
import zlib
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from gpuinfra.clouds.encoded_text import DEEPEST, MAX_DECODED_BYTES, texts
from gpuinfra.clouds.secrets import script_secrets
from gpuinfra.model import UNKNOWN

SECRET = "export HF_TOKEN=hf_aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zAab\n"
KIND = "a Hugging Face token"


def b64(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def cloud_config(encoding: str, content: str) -> str:
    return f"""#cloud-config
write_files:
- path: /etc/model.env
  encoding: {encoding}
  content: {content}
"""


def wrapped(text: str) -> str:
    return "|\n" + textwrap.indent("\n".join(textwrap.wrap(b64(text), 76)), "    ")


def mime(part: MIMEText | MIMEApplication) -> str:
    whole = MIMEMultipart()
    whole.attach(part)
    return whole.as_string()


LONG = "# a comment that is long enough to be wrapped into several lines of text\n" * 3 + SECRET

PADLESS = SECRET + "#" * (-len(SECRET) % 3)
"""Its base64 ends without `=`, so that the next line's word might go on with it."""

FORMS = {
    "b64": cloud_config("b64", b64(SECRET)),
    "quoted": cloud_config("base64", f'"{b64(SECRET)}"'),
    "binary": cloud_config("b64", f"!!binary {b64(SECRET)}"),
    "gz+b64": cloud_config("gz+b64", b64(gzip.compress(SECRET.encode()))),
    "zlib": cloud_config("gz+b64", b64(zlib.compress(SECRET.encode()))),
    "wrapped": cloud_config("b64", wrapped(LONG)),
    "url-safe": cloud_config("b64", base64.urlsafe_b64encode(LONG.encode()).decode()),
    "unpadded": cloud_config("b64", b64(SECRET).rstrip("=")),
    "bzip2": f"#!/bin/sh\necho {b64(bz2.compress(SECRET.encode()))} | base64 -d | bunzip2\n",
    "hex": f"#!/bin/sh\necho {SECRET.encode().hex()} | xxd -r -p > /etc/model.env\n",
    "base32": f"#!/bin/sh\necho {base64.b32encode(SECRET.encode()).decode()} | base32 -d\n",
    "shell": f"#!/bin/sh\necho {b64(SECRET)} | base64 -d > /etc/model.env\n",
    "key after": f"write_files:\n- content: {b64(PADLESS)}\n  encoding: b64\n",
    "mark after": f"base64 -d <<EOF > /etc/model.env\n{b64(PADLESS)}\nEOF\n",
    "path before": f"cat > /{'folder/' * 6}model\n{b64(PADLESS)}\nEOF\n",
    "nested": cloud_config(
        "b64", b64(cloud_config("gz+b64", b64(gzip.compress(SECRET.encode()))))
    ),
    "part": mime(MIMEText(cloud_config("b64", b64(SECRET)), "cloud-config")),
    "gzipped part": mime(MIMEApplication(gzip.compress(SECRET.encode()), "gzip")),
    "json": json.dumps({"storage": {"files": [{"source": f"data:;base64,{b64(SECRET)}"}]}}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("packed", [str, b64, lambda text: b64(gzip.compress(text.encode()))])
def test_a_secret_is_found_in_every_form(form, packed):
    secrets = script_secrets(packed(FORMS[form]), "userData")
    assert secrets is not UNKNOWN
    assert any(secret.startswith(KIND) for secret in secrets)
    assert not any("hf_aB3" in secret for secret in secrets)


def test_the_line_on_which_it_is_encoded_is_told():
    assert script_secrets(FORMS["b64"], "userData") == (
        f"{KIND} in the encoded text on line 5 of userData",
    )


@pytest.mark.parametrize(
    "text",
    [
        cloud_config("b64", b64("MODEL=llama\n")),
        "-----BEGIN CERTIFICATE-----\n" + b64(bytes(range(256)) * 3) + "\n",
        "curl -O https://downloads.internal/aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA/model.tar\n",
        "a-name-of-many-words-that-looks-like-base64 and_another_one_of_these\n",
    ],
)
def test_what_holds_no_secret_is_left_alone(text):
    assert script_secrets(text, "userData") == ()


def test_what_is_nested_too_deep_or_too_large_is_not_known():
    deep = SECRET
    for _ in range(DEEPEST + 1):
        deep = f"echo {b64(deep)} | base64 -d\n"
    assert script_secrets(deep, "userData") is UNKNOWN
    large = gzip.compress(b"x " * (MAX_DECODED_BYTES // 2 + 1))
    assert script_secrets(f"echo {b64(large)}\n", "userData") is UNKNOWN


def test_a_large_script_does_not_take_long():
    started = time.perf_counter()
    assert list(texts("aB3d " * 500_000 + "\n")) == []
    assert time.perf_counter() - started < 5
