"""Secrets in scripts, values and long texts."""

import base64
import gzip
import time

import pytest

from gpuinfra.clouds import secrets
from gpuinfra.clouds.secret_patterns import entropy
from gpuinfra.clouds.secrets import found_in, joined_secrets, script_secrets, value_secrets
from gpuinfra.model import UNKNOWN
from tests.clouds.secret_texts import MIXED


def test_the_line_is_told_and_a_name_alone_yields_to_a_shape():
    text = "set -e\n\nexport GITHUB_TOKEN=ghp_" + MIXED + "abcd\nDB_PASSWORD=s3cr3t-horse\n"
    assert found_in(text) == ((3, "a GitHub token"), (4, "a password"))


def test_letters_that_become_two_do_not_shift_what_is_found():
    assert found_in("İİİ\nexport DB_PASSWORD=s3cr3t-horse\n") == ((2, "a password"),)


@pytest.mark.parametrize(
    ("text", "bits"), [("aaaa", 0.0), ("abab", 1.0), ("abcd", 2.0), ("abcdefgh", 3.0)]
)
def test_entropy_is_bits_a_character(text, bits):
    assert entropy(text) == bits


def test_a_script_comes_in_every_form_that_clouds_take():
    script = "#!/bin/sh\nexport K=AKIAIOSFODNN7EXAMPLE\n"
    coded = base64.b64encode(script.encode()).decode()
    packed = base64.b64encode(gzip.compress(script.encode())).decode()
    wrapped = "\n".join(coded[at : at + 20] for at in range(0, len(coded), 20))
    for form in (script, coded, packed, wrapped):
        assert script_secrets(form, "userData") == ("an AWS access key on line 2 of userData",)


def test_a_script_that_can_t_be_read_is_unknown_and_none_is_empty():
    broken = base64.b64encode(gzip.compress(b"x" * 100)[:-9]).decode()
    assert script_secrets(broken, "userData") is UNKNOWN
    assert script_secrets(UNKNOWN, "userData") is UNKNOWN
    assert script_secrets(7, "userData") is UNKNOWN
    assert script_secrets(None, "userData") == ()
    assert script_secrets("", "userData") == ()
    assert script_secrets("echo", "userData") == ()  # base64 of no text


def test_a_bomb_does_not_fill_the_memory():
    bomb = base64.b64encode(gzip.compress(b"\0" * (80 << 20))).decode()
    assert script_secrets(bomb, "userData") is UNKNOWN


def test_values_are_told_by_the_keys_that_lead_to_them():
    value = {
        "db": {"password": "s3cr3t-horse", "port": 5432},
        "env": [{"name": "API_TOKEN", "value": "a1b2c3d4e5f6g7h8i9"}, "x", UNKNOWN],
        "hidden": UNKNOWN,
    }
    assert list(value_secrets(value, "out")) == [
        "a password in out.db.password",
        "a token or key in out.env.API_TOKEN",
    ]


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("DB_PASSWORD", "a;b&c<d>12", "a password"),
        ("dbPass", "S3cr3tPassw0rd!", "a password"),
        ("DBPWD", "S3cr3t,Passw0rd", "a password"),
        ("PASSPHRASE", "correct horse battery staple", "a password"),
        ("CREDS", "admin:Sup3rS3cr3tPw", "a password"),
        ("DJANGO_SECRET_KEY", "django-insecure-#y8k2v!9x$w0p3z", "a token or key"),
        ("PASSWORD", "@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/a)", None),
        ("PASSWORD", "{{resolve:secretsmanager:db:SecretString:password}}", None),
        ("PASSWORD", "${ssm:/db/password}", None),
        ("PASSWORD", "ENC[AES256_GCM,data:abc,iv:def]", None),
        ("PASSWORD_LABEL", "Choose a good password, please", None),
        ("PASSWORD", "Must have eight characters", None),
        ("PASSWORD_POLICY", "strict-2026-0001", None),
        ("PWD", "/home/ml", None),
        ("CREDS", "db.internal:5432", None),
        ("AUTH", "service:client-credentials-flow", None),
        ("SECRET_KEY", "prod/db/credentials-v2", None),
        ("SECRET_NAME", "a1b2c3d4!e5f6g7h8i9j0", None),
        ("TLS_SECRET", "ingress-tls-20241105", None),
        ("TLS_SECRET", "ingress-tls-20241105-8f3a2b1", None),
        ("TLS_SECRET", "ingress-tls-20249905", "a token or key"),
        ("TLS_SECRET", "ingress-tls-8f3a2b1-x9", "a token or key"),
        ("TLS_SECRET", "9k3xz-20241105-8f3a2b1", "a token or key"),
        ("TLS_SECRET", "q-20241105-z-8f3a2b1", "a token or key"),
        ("TOKEN_URL", "https://auth.example.com/oauth/token?x=1234567890abcdef!", None),
        ("SESSION_TOKEN_TTL", "a1b2c3d4e5f6g7h8!", None),
    ],
)
def test_a_key_names_the_secret_that_is_its_whole_value(key, value, kind):
    expected = [] if kind is None else [f"{kind} in out.{key}"]
    assert list(value_secrets({key: value}, "out")) == expected


@pytest.mark.parametrize("key", ["secretKeyRef", "secretRef", "valueFrom", "valueSource"])
def test_what_names_a_secret_kept_elsewhere_is_none(key):
    named = {"secret": "AppConfigSecret2024", "version": "latest"}
    assert list(value_secrets({key: named, "other": named}, "env")) == [
        "a token or key in env.other.secret"
    ]
    assert list(value_secrets({key: "ghp_" + MIXED + "abcd"}, "env")) == [
        f"a GitHub token in env.{key}"
    ]


def test_an_option_names_the_secret_that_follows_it():
    command = ["serve", "--password", "correct-horse-7-battery", "--port", "8000"]
    assert list(value_secrets(command, "command")) == ["a password in command.password"]
    assert (
        list(value_secrets(["--password", UNKNOWN, "--password-file", "/run/x"], "command")) == []
    )
    command = ["serve", "--api-key", "a1b2c3d4e5f6g7h8i9", "--client-token", "a1b2c3d4e5f6g7h8"]
    assert list(value_secrets(command, "command")) == ["a token or key in command[2]"]
    command = ["--api-key", f"sk-ant-{MIXED}", "--hf-token", "$HF_TOKEN", "--tp-size", UNKNOWN]
    assert list(value_secrets(command, "command")) == ["an Anthropic key in command[1]"]


def test_a_value_that_is_nested_without_end_is_left():
    deep: object = "AKIAIOSFODNN7EXAMPLE"
    for _ in range(500):
        deep = [deep]
    assert list(value_secrets(deep, "out")) == []


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([], ()),
        ([(), UNKNOWN], UNKNOWN),
        ([("a",), UNKNOWN, ("a", "b")], ("a", "b")),
        ([(), ()], ()),
    ],
)
def test_what_is_found_outweighs_what_is_hidden(parts, expected):
    assert joined_secrets(parts) == expected


def test_a_long_line_does_not_take_long():
    secrets.found_in.cache_clear()
    start = time.perf_counter()
    blanks = "- name: DB_PASSWORD\n  value: a" + " " * 200_000 + "b"
    others = ("a" * 200_000, "password=" * 20_000, "x://" * 50_000, "sk-" + "a-" * 100_000)
    others += ("--" + "a-" * 100_000 + "token", "--token " * 20_000, "requirepass " * 20_000)
    others += ("secret_access_key " * 10_000, "echo " * 40_000 + "| vncpasswd")
    for text in (blanks, *others):
        found_in(text)
    assert time.perf_counter() - start < 5
