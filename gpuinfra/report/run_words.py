"""Notes on a run: its hours, interruptions, purchase options, storage."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.rates import ON_DEMAND
from gpuinfra.clouds import title
from gpuinfra.cost.run_options import RunOption
from gpuinfra.cost.run_outlook import RunOutlook
from gpuinfra.cost.storage_throughput import Storage
from gpuinfra.units import format_money, format_percent, format_share, format_size

SURE: Final = Decimal("0.999")
"""From this share on the break-even is meaningless: it is all machine hours of the month."""


def lines(
    outlook: RunOutlook, modes: Collection[str] | None = None, *, sources: bool = True
) -> Iterator[str]:
    """Yield the notes below the table of a run's options; only for some modes if given.

    Without `sources` those of the prices are left out.
    """
    outlook = _of_modes(outlook, modes)
    shows_spot = modes is None or "spot" in modes
    yield from _length(outlook)
    for option in outlook.options:
        yield from _remarks(option)
    if sources:
        yield price_sources(outlook)
    yield from _cap_warnings(outlook)
    if shows_spot:
        yield _interruptions(outlook)
    yield from _checkpoints(outlook, spot=shows_spot)
    if shows_spot:
        yield from _break_even_notes(outlook)
    yield from _storage(outlook.storage)
    if shows_spot and outlook.missing_key:
        yield f"cost of interruptions: {unknown_cost(outlook)}"


def price_sources(outlook: RunOutlook, modes: Collection[str] | None = None) -> str:
    """Return the sources of the prices of a run's options; only for some modes if given."""
    options = _of_modes(outlook, modes).options
    sources = "; ".join(
        f"{_mode_text(option)} {option.source}" for option in options if option.source
    )
    return f"prices from: {sources or 'no source is known'}"


def _of_modes(outlook: RunOutlook, modes: Collection[str] | None) -> RunOutlook:
    if modes is None:
        return outlook
    return replace(
        outlook, options=tuple(option for option in outlook.options if option.mode in modes)
    )


def unknown_cost(outlook: RunOutlook) -> str:
    """Return why the cost of interruptions is unknown, and the keys to add."""
    bucket = f", and {outlook.bucket} to the file" if outlook.bucket else ""
    keys = f"{outlook.missing_key} under {outlook.parent_key}{bucket}"
    return f"their cost is unknown; add {keys}, with your numbers"


def unknown_rate(outlook: RunOutlook) -> str:
    """Return that no interruption rate is known, where to read one, and the key to set."""
    page = outlook.risk.rate_source
    read = "" if page is None else f" (the cloud's own figures: {page.place}, {page.source})"
    return (
        f"how often {title(outlook.cloud)} takes spot machines back is unknown{read}; "
        f"set interruptions: 5% (share of machines a month) under {outlook.subject}"
    )


def hours(amount: float) -> str:
    """Return hours in a readable form: 72h, 1h 10m, 70s."""
    seconds = round(amount * 3600)
    if seconds < 3 * 60:
        return f"{seconds}s"
    minutes = round(seconds / 60)
    whole_hours, rest = divmod(minutes, 60)
    if whole_hours >= 100 or not rest:  # noqa: PLR2004  (from there on minutes say nothing)
        return f"{whole_hours:,}h" if whole_hours else f"{rest}m"
    return f"{whole_hours}h {rest}m" if whole_hours else f"{rest}m"


def kwh(amount: Decimal) -> str:
    """Return an amount in kWh or kg, with one decimal below 10."""
    return f"{amount:,.0f}" if amount >= 10 else f"{amount:.1f}"  # noqa: PLR2004


def _length(outlook: RunOutlook) -> Iterator[str]:
    """Yield the run's hours: by its duration, with checkpoint writes, with interruptions."""
    spot = next((option.hours for option in outlook.options if option.mode == "spot"), None)
    longer = []
    if outlook.checkpoint.write_hours is not None:
        longer.append(
            f"with checkpoint writing {outlook.hours_with_writes:,.1f} h (caps count it up to"
            " time_to_live)"
        )
    if spot is not None:
        longer.append(f"with interruptions on spot {spot.expected:,.1f} h")
    if longer:
        yield (
            f"hours: {hours(float(outlook.work_hours))} of work (duration, which energy"
            f" counts); {', '.join(longer)}"
        )


def bound_mark(bound: str) -> str:
    """Return "≤ " for an upper bound; else nothing."""
    return "≤ " if bound else ""


def bounded_by(bound: str) -> str:
    """Return the name of the price that bounds an unknown one."""
    return "on demand" if bound == ON_DEMAND else bound


def _mode_text(option: RunOption) -> str:
    """Return a mode, with the mode whose price bounds it if its own is unknown."""
    return (
        f"{option.mode} unknown, at most {bounded_by(option.bounded_by)}"
        if option.bounded_by
        else option.mode
    )


def _remarks(option: RunOption) -> Iterator[str]:
    """Yield the notes on one option, without those about missing inputs for spot."""
    if option.break_even is not None:
        from_ = f"cheaper than on demand from {hours(float(option.break_even))} on"
        yield f"{option.mode}: {'; '.join(filter(None, (option.note, from_)))}"
    elif option.note and (
        option.mode != "spot"
        or option.may_wait
        or option.bounded_by
        or option.cost is not None
        or option.uninterrupted_cost is None
    ):
        yield f"{option.mode}: {option.note}"


def _cap_warnings(outlook: RunOutlook) -> Iterator[str]:
    """Yield a warning for each option whose full cost exceeds the cap."""
    for option in outlook.options:
        if option.mode not in outlook.above_cap or option.cost is None or outlook.cap is None:
            continue
        cost = f"{bound_mark(option.bounded_by)}{format_money(option.cost.expected)} expected"
        if option.cost.p90 > option.cost.expected:
            cost += f", {format_money(option.cost.p90)} in the worst 10% of runs"
        yield (
            f"warning: {option.mode} may exceed per_run {format_money(outlook.cap)}: {cost} (the "
            "cap counts no interruptions, and no hours after time_to_live)"
        )


def _interruptions(outlook: RunOutlook) -> str:
    risk = outlook.risk
    if risk.counted_share is None or risk.hours_between is None or risk.interrupted_share is None:
        return f"rate of interruptions: {unknown_rate(outlook)}"
    share = f"{format_share(risk.counted_share)} of machines a month"
    source = f"yours: {outlook.subject}.interruptions"
    if risk.origin == "cloud" and risk.published is not None:
        source = f"{risk.published.source}, {risk.published.as_of}"
        low = format_share(risk.published.low)
        if risk.published.high is None:
            share = f"more than {low} of machines a month, counted at that"
        else:
            share = f"{low} to {share}, counted at {format_share(risk.counted_share)}"
    share_text = format_percent(risk.interrupted_share)
    once = f"one in {hours(risk.hours_between)} of this run, {share_text} of runs have any"
    if any(option.cost and option.cost.expected > option.cost.p90 for option in outlook.options):
        once += ", which raise the mean above p90"
    return f"rate of interruptions: {share}: {once} ({source})"


def _checkpoints(outlook: RunOutlook, *, spot: bool) -> Iterator[str]:
    saved = outlook.checkpoint
    if saved.write_hours is None or saved.write_share is None:
        return
    size = f"{saved.gigabytes:,.0f} GB" + (
        " (from for_model)" if saved.size_key == "for_model" else ""
    )
    took = f"{size} take {hours(saved.write_hours)} to write"
    checkpoint_text = f"checkpoints: {took}, {format_percent(saved.write_share)} of the run"
    if saved.interval_hours is not None and saved.write_hours > saved.interval_hours:
        yield (
            f"warning: {took}, longer than the {hours(saved.interval_hours)} of work between "
            "two checkpoints; increase every or write under "
            f"{outlook.subject}.checkpoints"
        )
    best = saved.interval if spot else None
    if best is None:
        yield checkpoint_text
        return
    if best.best_hours >= outlook.work_hours:
        checkpoint_text += "; best once, at the end of the run (Daly 2006)"
    else:
        approximation = f"Daly 2006; Young: {hours(best.first_order_hours)}"
        checkpoint_text += f"; best every {hours(best.best_hours)} ({approximation})"
    if best.run_hours_stated is not None and best.run_hours_best is not None:
        less = hours(best.run_hours_stated - best.run_hours_best)
        checkpoint_text += (
            f", which on spot takes {less} less than every {hours(best.stated_hours)}"
        )
    yield checkpoint_text


def _break_even_notes(outlook: RunOutlook) -> Iterator[str]:
    share, between = outlook.break_even.interrupted_share, outlook.break_even.hours_between
    if outlook.break_even.hours is not None:
        short = f"runs of less than {hours(outlook.break_even.hours)}"
        yield f"break-even: without checkpoints, spot is cheaper than on demand only for {short}"
    if share is None or between is None:
        yield from _no_cheaper(outlook)
        return
    once = f"the run is interrupted less than once in {hours(between)}"
    if share < SURE:
        once = f"fewer than {format_percent(share)} of machines are interrupted a month ({once})"
    yield f"break-even: spot is cheaper than on demand as long as {once}"


def _no_cheaper(outlook: RunOutlook) -> Iterator[str]:
    if any(option.mode == "spot" and option.bounded_by for option in outlook.options):
        yield "break-even: unknown: the spot price is too old"
        return
    costs_by_mode = {option.mode: option.per_hour for option in outlook.options}
    spot, on_demand_cost = costs_by_mode.get("spot"), costs_by_mode.get("on-demand")
    if spot and on_demand_cost and spot >= on_demand_cost:
        yield "break-even: none, spot in its most expensive zone is no cheaper than on demand"


def _storage(storage: Storage | None) -> Iterator[str]:
    if storage is None or (storage.gpu_read_rate is None and storage.stated_write_rate is None):
        return
    text = f"storage: the machines' network takes {_network(storage)} ({storage.source})"
    if storage.gpu_read_rate is not None:
        waits = {True: "the GPUs wait for data", False: "enough", None: "not known if enough"}
        text += f"; reads {_rate(storage.gpu_read_rate)}: {waits[storage.is_too_slow]} by it"
    if storage.stated_write_rate is not None:
        text += (
            f"; slowest link for a checkpoint: {storage.bottleneck}, {_rate(storage.write_rate)}"
        )
    yield f"{text}; the throughput of the bucket is unknown"


def _network(storage: Storage) -> str:
    if storage.network is None:
        return "an unknown rate"
    durations = {"sustained": ", sustained", "burst": " in a burst", "": ""}
    return f"at most {_rate(storage.network)}{durations[storage.rate_kind]}"


def _rate(rate: Decimal | None) -> str:
    """Return a rate in bytes per second; a dash for None."""
    return "–" if rate is None else f"{format_size(int(rate))}/s"
