"""The possible edits of a stack file: dimensions, each with its possible values."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import CLOUDS
from gpuinfra.cost import Quote
from gpuinfra.fixes.fix import Edit, Path
from gpuinfra.fixes.property_paths import value_at
from gpuinfra.fixes.tradeoffs import LostShare
from gpuinfra.model import Group, Plan
from gpuinfra.records import record
from gpuinfra.rules.rule import Family
from gpuinfra.specs import Inference, Stack, Training

Work = Training | Inference

LEFT_ALONE: Final = frozenset(
    {"version", "name", "owner", "budget", "prices", "rules", "waivers", "usage", "target"}
)
"""Top-level keys that no fix touches: a cap is not raised, a rule not lowered, nothing waived,
and what is only said for the quote is not said otherwise. A cap that is missing may be added."""


def is_left_alone(edit: Edit) -> bool:
    """Return whether an edit is one that no fix may make."""
    adds_cap = edit.path[0] == "budget" and edit.before is None
    return edit.path[0] in LEFT_ALONE and not adds_cap


@record
class EditOption:
    """An option of a dimension: the edits that make one change.

    Attributes:
        edits: mostly one.
        losses: what there is less of afterwards, where no plan shows it.
        disruption: how much else is different afterwards: 0 no machine, 1 which they are or how
            they are bought, 2 locations, so that data has to be moved.
    """

    edits: tuple[Edit, ...]
    losses: tuple[LostShare, ...] = ()
    disruption: int = 0

    @property
    def size(self) -> int:
        """The number of changes; the same change in each entry of a list counts once.

        In a stack file, what a key names is declared with it: that is one change.
        """
        return len({edit.target_path for edit in self.edits if edit.resource}) or 1


@record
class Dimension:
    """A property or setting that may be changed.

    Attributes:
        name: its name, for example the key.
        subject: the workload or bucket whose it is, as findings call it; empty for the whole
            stack.
        options: its values; in order, each going further than the one before, where `is_ordered`.
        is_ordered: whether, once one of them suffices, all that follow do as well.
        families: the families of rules that it is mostly changed for.
        is_unlikely: whether something else is mostly changed for what is sought.
        options_after: its values where a plan has other machines or regions; None where they are
            the same for every plan.
    """

    name: str
    subject: str
    options: tuple[EditOption, ...]
    is_ordered: bool = False
    families: frozenset[Family] = frozenset()
    is_unlikely: bool = False
    options_after: Callable[[Plan], tuple[EditOption, ...]] | None = None


@record
class OptionContext:
    """The source of options: the file's plain value, its stack, its plan and the prices.

    `plan` and `quote` are None where nothing fits.
    """

    value: Mapping[str, Any]
    stack: Stack
    prices: PriceBook
    plan: Plan | None = None
    quote: Quote | None = None

    def group(self, name: str) -> Group | None:
        """Return the group of a workload; None where it is not planned."""
        groups = self.plan.groups if self.plan is not None else ()
        return next((group for group in groups if group.name == name), None)

    def cloud(self, name: str, workload: Work) -> str | None:
        """Return the cloud of a workload; None where it is undecided."""
        group = self.group(name)
        if group is not None:
            return group.cloud
        cloud = (workload.where or self.stack.where).cloud
        return cloud if cloud in CLOUDS else None

    def regions(self, workload: Work) -> tuple[str, ...]:
        """Return the regions that the file names for a workload."""
        return (workload.where or self.stack.where).regions

    def edit_value(self, path: Path, value: Any) -> Edit:
        """Return an edit of one value of the file."""
        return Edit(path=path, before=value_at(self.value, path), after=value)

    def option(
        self, path: Path, value: Any, losses: Iterable[LostShare] = (), disruption: int = 0
    ) -> EditOption:
        """Return an option with one edit."""
        return EditOption(
            edits=(self.edit_value(path, value),), losses=tuple(losses), disruption=disruption
        )

    def option_in_mapping(
        self,
        holder: Path,
        short: str,
        key: str,
        value: Any,
        losses: Iterable[LostShare] = (),
        disruption: int = 0,
    ) -> EditOption:
        """Return an option for a key with a short form, for example `disk: 500GB` for its size.

        Args:
            holder: the mapping that holds it.
            short: the key that the short form gives.
            key: the key to set.
            value: its new value.
            losses: as of an option.
            disruption: as of an option.
        """
        current_value = value_at(self.value, holder)
        if current_value is None or isinstance(current_value, Mapping):
            return self.option((*holder, key), value, losses, disruption)
        if key == short:
            return self.option(holder, value, losses, disruption)
        return self.option(holder, {short: current_value, key: value}, losses, disruption)
