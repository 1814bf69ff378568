"""Passwords and keys in custom resources of Kubernetes and in values of Helm."""

import pytest

from gpuinfra.clouds.environment_secrets import exposed_secrets
from gpuinfra.model import UNKNOWN, Resource

PASSWORD = "Tr0ub4dor-xK9!zQ77"
TOKEN = "hf_" + "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"
ENV = [{"name": "HF_TOKEN", "value": TOKEN}]
SEALED = {"encryptedData": {"password": "AgBy3i4OJSWK0x9PiTySYZZA9rO43cGDEq"}}
FETCHED = [{"secretKey": "password", "remoteRef": {"key": "prod/db/password"}}]
REFERENCE = [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}]
PODS = {"template": {"spec": {"containers": [{"name": "head", "env": ENV}]}}}


def shown(kind, **inputs):
    resource = Resource(urn=f"urn:pulumi:dev::shop::{kind}::x", type=kind, name="x", inputs=inputs)
    return exposed_secrets(resource)


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [
        ("kubernetes:ray.io/v1:RayCluster", {"spec": {"headGroupSpec": PODS}}),
        ("kubernetes:kubeflow.org/v1:PyTorchJob", {"spec": {"replicas": [PODS]}}),
        ("kubernetes:argoproj.io/v1alpha1:Application", {"spec": {"source": {"pat": TOKEN}}}),
        ("kubernetes:helm.sh/v3:Release", {"values": {"grafana": {"adminPassword": PASSWORD}}}),
        ("kubernetes:helm.sh/v4:Chart", {"values": {"extra": TOKEN}}),
    ],
)
def test_a_secret_is_found_wherever_it_stands(kind, inputs):
    found = shown(kind, **inputs)

    assert len(found) == 1
    assert TOKEN not in found[0]
    assert PASSWORD not in found[0]


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [
        ("kubernetes:bitnami.com/v1alpha1:SealedSecret", {"spec": SEALED}),
        ("kubernetes:external-secrets.io/v1:ExternalSecret", {"spec": {"data": FETCHED}}),
        ("kubernetes:ray.io/v1:RayCluster", {"spec": {"env": REFERENCE}}),
        ("kubernetes:helm.sh/v3:Release", {"values": {"auth": {"existingSecret": "redis"}}}),
        ("kubernetes:helm.sh/v3:Release", {"values": UNKNOWN}),
        ("kubernetes:core/v1:Secret", {"stringData": {"password": PASSWORD}}),
        ("kubernetes:networking.k8s.io/v1:Ingress", {"spec": {"password": PASSWORD}}),
    ],
)
def test_what_only_names_a_secret_or_is_sealed_shows_none(kind, inputs):
    assert not shown(kind, **inputs)
