"""A model, a machine, and the gigabytes of a term of what is needed."""

from decimal import Decimal

from gpuinfra.catalog.sizing.machine_fit import MemoryNeed, ModelRequest
from gpuinfra.clouds import provider_of

GPT3 = ModelRequest(
    parameters=175 * 10**9, name="gpt-3-175b", precision="fp16", task="serve", context=2048
)
P5 = provider_of("aws").machines.get("p5.48xlarge")


def gigabytes(needed: MemoryNeed, name: str) -> Decimal:
    (term,) = (term for term in needed.terms if term.name == name)
    return term.gigabytes
