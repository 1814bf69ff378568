"""The check that a run ends before the capacity block that it runs in."""

from datetime import UTC, date, datetime, time
from decimal import Decimal

from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Group
from gpuinfra.units import format_count, hours


def block_misfit(group: Group, today: date) -> str:
    """Return why a run can't end in its block even if it starts today; empty where it can.

    It has to be done before the final checkpoint starts. Tomorrow there is a day less. A run
    without a known duration is judged only by a block that is over, and what is bought in another
    way not at all.
    """
    rung = group.rung
    if rung.capacity != "capacity-block" or rung.ends is None:
        return ""
    ends = datetime.fromisoformat(rung.ends)
    lead = priced_cloud_of(group.cloud).block_lead(rung.machine)
    hours_left = hours(ends - datetime.combine(today, time(), UTC)) - lead
    day = f"{ends:%Y-%m-%d %H:%M} UTC"
    if hours_left <= 0:
        return f"its capacity block ended on {day}; use another one"
    if group.needs.hours is None or group.needs.hours <= hours_left:
        return ""
    return (
        f"the run takes {_hours_text(group.needs.hours)}, and its final checkpoint starts "
        f"{_hours_text(lead)} before its capacity block ends on {day}: at most "
        f"{_hours_text(hours_left)} remain"
    )


def _hours_text(amount: Decimal) -> str:
    return format_count(f"{amount.quantize(Decimal('0.01')).normalize():f}", "hour")
