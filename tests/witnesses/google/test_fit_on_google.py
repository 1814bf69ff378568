"""Declared stacks on Google Cloud fit themselves, and each witness complains about a misfit."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from pulumi._types import _raw_return_hints, input_type_py_to_pulumi_names

from gpuinfra.components.register import arguments_class
from tests.witnesses import graphs
from tests.witnesses.aws.stack import Stack
from tests.witnesses.aws.test_fit import Change, changed, gone, without
from tests.witnesses.documented import _classes
from tests.witnesses.google import complaints, defaults, idle, mounted, openings

TOKENS: Final = {"Bucket": "gcp:storage/bucket:Bucket"}


@pytest.mark.parametrize("name", graphs.shared())
@pytest.mark.parametrize("rung", graphs.RUNGS)
def test_a_declared_stack_fits_itself(name: str, rung: str) -> None:
    assert complaints(graphs.graph(name, rung)) == []


def documentation(token: str, path: str) -> str:
    """What the SDK says of an input."""
    camel = f"{token[0].lower()}{token[1:]}"
    kinds = [arguments_class(TOKENS.get(token, f"gcp:compute/{camel}:{token}"))]
    text = ""
    for step in path.split("."):
        kind, snake = next(
            (kind, snake)
            for kind in kinds
            for snake, name in input_type_py_to_pulumi_names(kind).items()
            if name == step
        )
        text = " ".join((getattr(kind, snake).__doc__ or "").split())
        kinds = list(_classes(_raw_return_hints(kind)[step]))
    return text


@pytest.mark.slow
@pytest.mark.parametrize("row", [default for default in defaults.DEFAULTS if default.says])
def test_the_provider_documents_a_default(row: defaults.Default) -> None:
    assert row.says in documentation(row.token, row.path)


@pytest.mark.parametrize("row", [default for default in defaults.DEFAULTS if not default.says])
def test_another_default_has_a_source(row: defaults.Default) -> None:
    assert row.source.startswith("https://docs.cloud.google.com/")


def test_the_provider_documents_what_a_status_is_for() -> None:
    for group in idle.GROUPS:
        assert documentation(group, "waitForInstancesStatus").startswith(idle.NEEDED)


SECURE = {"enableSecureBoot": True}
READS, TEMPLATE = "training.trainer/read_data_308e11", "training.trainer/template"
ALL = [{"protocol": "tcp"}]
BITING = [
    ("more-gcp", defaults, "training.dev/main_network", without("mtu"), "1460 bytes"),
    ("more-gcp", defaults, "training.dev/template", without("metadataStartupScript"), "nothing"),
    ("more-gcp", idle, "training.dev/group", without("waitForInstances"), "does not wait"),
    ("more-gcp", idle, "training.dev/template", without(shieldedInstanceConfig=SECURE), "signed"),
    ("enterprise-gcp", idle, "bucket.data/bucket", without("versioning"), "keeps none"),
    ("enterprise-gcp", mounted, READS, gone, "nothing lets it read shards/"),
    ("enterprise-gcp", mounted, READS, without("condition"), "opens the whole bucket"),
    (
        "enterprise-gcp",
        mounted,
        TEMPLATE,
        without("metadataStartupScript"),
        "nothing mounts",
    ),
    ("more-gcp", openings, "pool.steady/clients_firewall", without(allows=ALL), "all of tcp"),
    ("more-gcp", openings, "training.high/peers_firewall", without("sourceRanges"), "all of tcp"),
    ("enterprise-gcp", openings, "training.trainer/login_firewall", gone, "lets Identity-Aware"),
    (
        "more-gcp",
        openings,
        "training.dev/login_firewall",
        without(allows=[{"protocol": "tcp", "ports": ["2222"]}]),
        "nothing listens on 2222",
    ),
]


@pytest.mark.parametrize(("stack", "witness", "key", "change", "message"), BITING)
def test_what_does_not_fit_is_seen(
    stack: str, witness: Any, key: str, change: Change, message: str
) -> None:
    graph = changed(stack, key, change)
    messages: Iterator[str] = witness.complaints(Stack(graph, "gcp:"))

    assert message in "\n".join(messages)
    assert any(message in complaint for complaint in complaints(graph))
