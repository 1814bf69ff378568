"""A request in words, for whoever hears that nothing fits it."""

from collections.abc import Iterator

from gpuinfra.catalog.market import Market
from gpuinfra.catalog.request import Request
from gpuinfra.units import format_rate, format_size


def wish(market: Market) -> str:
    """What a request asks for, as a sentence goes on: H100:8 with a fabric, spot, in us-east-1."""
    asked = market.request
    parts = [asked.instance or asked.gpu or "any GPU"]
    if asked.count is not None:
        parts[0] = f"{parts[0]}:{asked.count}"
    if asked.memory is not None:
        low, high = asked.memory.minimum, asked.memory.maximum
        parts.append(
            f"of {format_size(low)}" + (f" to {format_size(high)}" if high else " or more")
        )
    if asked.nvlink is not None:
        parts.append("with NVLink" if asked.nvlink else "without NVLink")
    if asked.fabric:
        parts.append("with a fabric")
    parts += _more(asked)
    everywhere = all(asked.regions == market.known(one) for one in asked.clouds)
    where = "in any region" if everywhere else f"in {' or '.join(asked.regions)}"
    return f"{' '.join(parts)}, {asked.commitment or asked.capacity}, {where}"


def _more(asked: Request) -> Iterator[str]:
    """The rarer wishes in words."""
    if asked.nvlink_domain is not None:
        yield f"with {asked.nvlink_domain} GPUs in one NVLink domain"
    if asked.fabric_kind is not None:
        yield f"with {asked.fabric_kind}"
    if asked.fabric_speed is not None:
        yield f"with a fabric of {format_rate(asked.fabric_speed)} or more"
    if asked.precision is not None:
        yield f"for {asked.precision}"
    if asked.vcpu_per_gpu is not None:
        yield f"with {asked.vcpu_per_gpu} vCPUs or more for each GPU"
    if asked.ram_per_gpu is not None:
        yield f"with {format_size(asked.ram_per_gpu)} of memory or more for each GPU"
    if asked.architecture is not None:
        yield f"with an {asked.architecture} processor"
    if asked.model is not None:
        number = asked.machines
        on = f" on {number} machine{'s' if number != 1 else ''}" if number else ""
        yield f"for a model of {asked.model.parameters:,} parameters{on}"
    if asked.max_per_hour is not None:
        yield f"for ${asked.max_per_hour} an hour or less"
