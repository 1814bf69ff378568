"""What every cloud provides: one class per cloud, checked by types; `clouds.provider` gives it.

A cloud whose prices are known is a `PricedCloud`; one that is observed and built, too, is a
`CloudProvider`. Its parts are loaded on first use, so that a look-up of a price loads no grammar,
no declaration and no observer.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

from gpuinfra.errors import InputError, Problem
from gpuinfra.model import (
    FabricWish,
    Group,
    Known,
    Machine,
    Plan,
    Purpose,
    Resource,
    Rows,
    Rung,
    Usage,
)
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.clouds.accountcheck import Seen
    from gpuinfra.clouds.build_spec import (
        BucketOutputs,
        BuildSpec,
        GuardrailOutputs,
        InferenceOutputs,
        TrainingOutputs,
    )
    from gpuinfra.clouds.declaring.inputs import RuntimeInputs
    from gpuinfra.clouds.declaring.marks import Marks
    from gpuinfra.clouds.imagename import ImageName
    from gpuinfra.clouds.machinelist import MachineList
    from gpuinfra.clouds.pricelist import PriceList
    from gpuinfra.clouds.refreshing.asked import Source
    from gpuinfra.clouds.regionlist import RegionList
    from gpuinfra.clouds.tables import Tables
    from gpuinfra.clouds.wordfaults import WordFault
    from gpuinfra.graph import ResourceGraph
    from gpuinfra.specs.networks import NetworkSpec
    from gpuinfra.specs.schema import Inference, Stack, Training
    from gpuinfra.specs.storage import Bucket


@record
class MonthDiscount:
    """Later prices of a machine's hours in a month, as shares of its list price.

    `steps` are pairs of the share of the month's hours (0 to 1) after which a price holds, and the
    share of the list price that it is.
    """

    steps: tuple[tuple[Decimal, Decimal], ...]
    source: str
    as_of: str


class PricedCloud(ABC):
    """A cloud whose machines and prices are known: all that `choose` needs of it."""

    @property
    @abstractmethod
    def tables(self) -> "Tables":
        """The dated tables that all else is read from."""

    @property
    @abstractmethod
    def machines(self) -> "MachineList":
        """The machine types, and how their names look."""

    @property
    @abstractmethod
    def prices(self) -> "PriceList":
        """The prices of machines and services, and how often spot machines are taken back."""

    @property
    @abstractmethod
    def regions(self) -> "RegionList":
        """The regions and their zones."""

    @property
    def refresh(self) -> "Source | None":
        """What fetches newer machines and prices; None where that is not built yet."""
        return None

    def block_lead(self, machine: str) -> Decimal:  # noqa: ARG002  every machine's is the same
        """Hours before the end of a capacity block at which a run in it has to be done.

        0 on a cloud that sells no such blocks.
        """
        return Decimal(0)

    def month_discount(self, machine: str) -> MonthDiscount | None:  # noqa: ARG002  as above
        """What long use of a machine on demand takes off its list price by itself, if anything."""
        return None


class CloudProvider(PricedCloud):
    """A cloud that is observed and built."""

    takes_spot_maximum: bool
    """Whether a spot request can say the most that it may cost."""
    keeps_content: bool
    """Whether the cloud refuses to delete a bucket while something is in it."""

    @property
    @abstractmethod
    def images(self) -> "Images":
        """The images that machines start from."""

    @property
    @abstractmethod
    def fabric(self) -> "Interconnect":
        """The fabric between machines."""

    @property
    @abstractmethod
    def accepts(self) -> "Accepts":
        """What the cloud takes of the words of a stack file, beside `clouds.accepts`."""

    @property
    @abstractmethod
    def declare(self) -> "Declare":
        """Declares what a planned workload, bucket or stack creates."""

    @property
    @abstractmethod
    def observe(self) -> "Observe":
        """Reads what any resources of the cloud are."""

    @property
    def computed(self) -> "Mapping[str, Callable[[Resource, Any], Any]]":
        """Values of remedies that follow from the resource, by their names in the table."""
        return {}

    def image_id(self, name: str, region: str) -> str:
        """The id of the image that a name stands for in a region today, asked of the cloud.

        Raises:
            CloudError: the cloud refuses, can't be reached, or knows no such image.
            ModuleNotFoundError: what asks it is not installed.
            InputError: images are not looked up by name on this cloud.
        """
        raise InputError(
            [
                Problem(
                    message=f"the image {name!r} in {region} has no id, and images of its cloud "
                    "can't be looked up by name",
                    fix="write the lock again: gpuinfra lock",
                )
            ]
        )

    @property
    def account(self) -> "Account | None":
        """Looks at an account before anything is built; None where that is not built yet."""
        return None


class Images(Protocol):
    """The images that a cloud's machines start from."""

    def has_image(self, machine: Machine, purpose: Purpose, /) -> bool:
        """Whether a public image is known that has the drivers of a machine."""

    def image_name(
        self, machine: Machine, purpose: Purpose, wish: str | None, /
    ) -> "ImageName | None":
        """How the build finds the image of a machine; None where no public image serves it."""


class Interconnect(Protocol):
    """The fabric between machines, as the build declares it."""

    def uses_fabric(self, machine: Machine, nodes: int, wish: FabricWish, /) -> bool:
        """Whether fabric interfaces are declared."""

    def driver_image(self, machine: Machine, *, own_image: bool) -> Known:
        """Whether the image that machines start from is known to have what NCCL needs."""


class Accepts:
    """What a cloud takes of a stack file; this one takes everything and has nothing to say."""

    def guard_notes(
        self,
        stack: "Stack",  # noqa: ARG002
        resources: Sequence[Resource],  # noqa: ARG002
    ) -> tuple[str, ...]:
        """What a reader has to know of the resources that look after a stack, a sentence each."""
        return ()

    def workload_faults(
        self,
        name: str,  # noqa: ARG002
        work: "Training | Inference",  # noqa: ARG002
        rungs: tuple[Rung, ...],  # noqa: ARG002
        network: "NetworkSpec | None",  # noqa: ARG002
    ) -> "Iterable[WordFault]":
        """What the cloud does not take of a workload's words, on any of its rungs."""
        return ()

    def stack_faults(self, stack: "Stack", work: "Training | Inference") -> "Iterable[WordFault]":  # noqa: ARG002
        """What the cloud does not take of a workload beside the words of the whole file."""
        return ()

    def workload_notes(
        self,
        work: "Training | Inference",  # noqa: ARG002
        rungs: tuple[Rung, ...],  # noqa: ARG002
        network: "NetworkSpec | None",  # noqa: ARG002
    ) -> tuple[str, ...]:
        """What a reader of the plan has to know of a workload, a sentence each."""
        return ()

    def bucket_faults(
        self,
        name: str,  # noqa: ARG002
        bucket: "Bucket",  # noqa: ARG002
        region: str,  # noqa: ARG002
    ) -> "Iterable[WordFault]":
        """What the cloud does not take of a bucket's words."""
        return ()

    def disk_faults(
        self,
        size: int,  # noqa: ARG002
        iops: int | None,  # noqa: ARG002
        throughput: int | None,  # noqa: ARG002
        machine: Machine | None = None,  # noqa: ARG002
    ) -> "Iterable[WordFault]":
        """What the cloud's disk for a machine does not take."""
        return ()

    def training_start_faults(self, name: str, work: "Training") -> "Iterable[WordFault]":  # noqa: ARG002
        """Why the cloud would not start a training workload's machines as they are asked for."""
        return ()

    def pool_start_faults(self, name: str, work: "Inference") -> "Iterable[WordFault]":  # noqa: ARG002
        """Why the cloud would not start or scale a pool's machines as they are asked for."""
        return ()


class Declare(Protocol):
    """What a cloud's package `declare` has; `made` and `guarded` are what it gave before."""

    @property
    def MARKS(self) -> "Marks":  # noqa: N802
        """How the cloud's resources are tagged and named."""

    def declare_training(
        self,
        order: "BuildSpec",
        group: Group,
        work: "Training",
        key: str,
        inputs: "RuntimeInputs",
        /,
    ) -> "ResourceGraph":
        """Declare a training workload as its plan has it."""

    def declare_pool(
        self,
        order: "BuildSpec",
        group: Group,
        work: "Inference",
        key: str,
        inputs: "RuntimeInputs",
        /,
    ) -> "ResourceGraph":
        """Declare an inference pool as its plan has it."""

    def declare_bucket(self, order: "BuildSpec", wanted: "Bucket", key: str, /) -> "ResourceGraph":
        """Declare a bucket and its companions."""

    def bucket_outputs(self, graph: "ResourceGraph", key: str, /) -> "BucketOutputs":
        """What stands of a bucket, once the caller's own arguments are in its graph."""

    def declare_guards(
        self, order: "BuildSpec", stack: "Stack", plan: Plan, graph: "ResourceGraph", /
    ) -> "GuardrailOutputs":
        """Add what keeps a stack to its budget and its time."""

    def declare_watch(
        self,
        order: "BuildSpec",
        stack: "Stack",
        plan: Plan,
        made: "Mapping[str, TrainingOutputs | InferenceOutputs]",
        guarded: Any,
        graph: "ResourceGraph",
        declared: "ResourceGraph",
        /,
    ) -> None:
        """Add what looks at the workloads that stand; `declared` is all of the stack."""


class Observe(Protocol):
    """What a cloud's package `observe` has."""

    @property
    def TYPES(self) -> Container[str]:  # noqa: N802
        """The resource types that its tables know, in any version."""

    @property
    def KEPT(self) -> frozenset[str]:  # noqa: N802
        """Types whose cost falls when the machines that use them come."""

    def Index(self, resources: Iterable[Resource], /) -> Any:  # noqa: N802
        """What is known of resources, to be asked for relations; `add` takes a further one."""

    def observe(self, resources: Sequence[Resource], usage: Usage, /) -> Rows:
        """The rows of all resources."""

    def groups_and_items(self, resource: Resource, known: Any, usage: Usage, /) -> Rows:
        """What one resource contributes, given an `Index` of the resources known so far."""

    def canonical(self, token: str, /) -> str:
        """A resource type by the name that it has today, without the version of an API."""


class Account(Protocol):
    """What a cloud's package `account` has: it asks the cloud and changes nothing."""

    def look(
        self,
        plan: Plan,
        stack: "Stack",
        declared: Callable[[Group], Sequence[Resource]],
        *,
        all_rungs: bool,
        seconds: float,
        endpoint: str | None,
        say: Callable[[str], None],
    ) -> "Seen":
        """Ask, with the caller's own credentials, about all that a stack needs."""

    def requests(
        self,
        plan: Plan,
        stack: "Stack",
        declared: Callable[[Group], Sequence[Resource]],
        workload: str,
        /,
    ) -> Iterable[str]:
        """A request for each quota that a workload draws on."""
