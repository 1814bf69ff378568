"""The parts of a cloud that provisions: its contract, one class for each part."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from gpuinfra.model import (
    FabricRequirement,
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

if TYPE_CHECKING:
    from gpuinfra.clouds.account_check import AccountQuery, AccountReport
    from gpuinfra.clouds.build_spec import BucketOutputs, BuildSpec, GuardrailOutputs
    from gpuinfra.clouds.declaring.budget_only_guards import WatchedStack
    from gpuinfra.clouds.declaring.inputs import RuntimeInputs
    from gpuinfra.clouds.declaring.network import NetworkMember, NetworkPlace
    from gpuinfra.clouds.declaring.tag_format import TagFormat
    from gpuinfra.clouds.key_faults import KeyFault
    from gpuinfra.clouds.observing.reservation_use import Occupancy
    from gpuinfra.graph import ResourceGraph
    from gpuinfra.specs.networks import NetworkSpec
    from gpuinfra.specs.schema import Inference, Stack, Training
    from gpuinfra.specs.storage import Bucket


class Images(Protocol):
    """The images that a cloud's machines start from."""

    def has_image(self, machine: Machine, purpose: Purpose, /) -> bool:
        """Return whether a public image is known that has the drivers of a machine."""
        ...


class Interconnect(Protocol):
    """The fabric between machines, as the build declares it."""

    def uses_fabric(self, machine: Machine, nodes: int, fabric: FabricRequirement, /) -> bool:
        """Return whether fabric interfaces are declared."""
        ...

    def driver_image(self, machine: Machine, *, own_image: bool) -> Known:
        """Return whether the image that machines start from is known to have what NCCL needs."""
        ...


class Accepts:
    """The stack-file checks of a cloud; this default accepts everything."""

    @staticmethod
    def guard_notes(stack: "Stack", resources: Sequence[Resource]) -> tuple[str, ...]:
        """Return notes on the guardrail resources of a stack, one sentence each."""
        return ()

    @staticmethod
    def disk_loss_notes(stack: "Stack", resources: Sequence[Resource]) -> tuple[str, ...]:
        """Return notes on machines that are deleted with their disks while they may be needed."""
        return ()

    @staticmethod
    def workload_faults(
        name: str,
        workload: "Training | Inference",
        rungs: tuple[Rung, ...],
        network: "NetworkSpec | None",
    ) -> "Iterable[KeyFault]":
        """Return faults for a workload's keys that the cloud does not take on any of its rungs."""
        return ()

    @staticmethod
    def stack_faults(stack: "Stack", workload: "Training | Inference") -> "Iterable[KeyFault]":
        """Return faults where a workload conflicts with other keys of the file on the cloud."""
        return ()

    @staticmethod
    def measures_gpu_use(machine: Machine) -> bool:
        """Return whether a metric shows the GPU use of a machine, which idle_stop needs."""
        return True

    @staticmethod
    def workload_notes(
        workload: "Training | Inference", rungs: tuple[Rung, ...], network: "NetworkSpec | None"
    ) -> tuple[str, ...]:
        """Return notes on the plan of a workload, one sentence each."""
        return ()

    @staticmethod
    def bucket_faults(name: str, bucket: "Bucket", region: str) -> "Iterable[KeyFault]":
        """Return faults for the bucket's keys that the cloud does not support."""
        return ()

    @staticmethod
    def disk_faults(
        size: int, iops: int | None, throughput: int | None, machine: Machine | None = None
    ) -> "Iterable[KeyFault]":
        """Return faults for the disk settings that the cloud does not support for a machine."""
        return ()

    @staticmethod
    def training_start_faults(name: str, workload: "Training") -> "Iterable[KeyFault]":
        """Return faults for start-up settings of a training workload that the cloud refuses."""
        return ()

    @staticmethod
    def pool_start_faults(name: str, workload: "Inference") -> "Iterable[KeyFault]":
        """Return faults for start-up and scaling settings of a pool that the cloud refuses."""
        return ()


class Declare(Protocol):
    """The interface of a cloud's `declare` package; `made`, `guarded`: its earlier results."""

    @property
    def MARKS(self) -> "TagFormat":  # noqa: N802
        """The cloud's tag format and naming rules."""
        ...

    def declare_training(
        self,
        spec: "BuildSpec",
        group: Group,
        workload: "Training",
        key: str,
        inputs: "RuntimeInputs",
        /,
    ) -> "ResourceGraph":
        """Declare a training workload as its plan has it."""
        ...

    def declare_pool(
        self,
        spec: "BuildSpec",
        group: Group,
        workload: "Inference",
        key: str,
        inputs: "RuntimeInputs",
        /,
    ) -> "ResourceGraph":
        """Declare an inference pool as its plan has it."""
        ...

    def declare_bucket(self, spec: "BuildSpec", bucket: "Bucket", key: str, /) -> "ResourceGraph":
        """Declare a bucket and its companions."""
        ...

    def bucket_outputs(self, graph: "ResourceGraph", key: str, /) -> "BucketOutputs":
        """Return a bucket's outputs after the caller's arguments are applied to its graph."""
        ...

    def declare_guards(
        self, spec: "BuildSpec", stack: "Stack", plan: Plan, graph: "ResourceGraph", /
    ) -> "GuardrailOutputs":
        """Add what keeps a stack to its budget and its time."""
        ...

    def declare_network(
        self, spec: "BuildSpec", members: "Mapping[str, NetworkMember]", graph: "ResourceGraph", /
    ) -> "Mapping[str, NetworkPlace]":
        """Declare the network that a region's workloads share; return the subnet of each."""
        ...

    def declare_watch(
        self, spec: "BuildSpec", watched: "WatchedStack", graph: "ResourceGraph", /
    ) -> None:
        """Declare the monitoring of the declared workloads: alarms, dashboard, report."""


class Observe(Protocol):
    """The interface of a cloud's `observe` package."""

    @property
    def TYPES(self) -> Container[str]:  # noqa: N802
        """The resource types that its tables know, in any version."""
        ...

    @property
    def COST_FALLS_IN_USE(self) -> Mapping[str, Callable[..., Rows]]:  # noqa: N802
        """The readers of types whose cost falls when machines that use them are added.

        Given the resource, an `Index`, what is stated of the stack, and how many use it at least
        and at most.
        """
        ...

    @property
    def OCCUPANCIES(self) -> "Mapping[str, Callable[..., Occupancy]]":  # noqa: N802
        """The readers of the machines in a reservation, by its type in `KEPT`."""
        ...

    @property
    def DATED_DEFAULTS(self) -> frozenset[str]:  # noqa: N802
        """Types whose own defaults depend on the day on which they are created."""
        ...

    @property
    def DEFAULTS(self) -> frozenset[str]:  # noqa: N802
        """Types that set an account default for resources created after them."""
        ...

    @property
    def STAND_INS(self) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:  # noqa: N802
        """The placeholders for a trusted reference, by the trusted fact: types and inputs.

        `{}` among the inputs is the reference itself.
        """
        ...

    def Index(self, resources: Iterable[Resource], /) -> Any:  # noqa: N802
        """Return an index of resources that answers questions about their relations.

        `add` takes a further resource.
        """
        ...

    def observe(self, resources: Sequence[Resource], usage: Usage, /) -> Rows:
        """Return the rows of all resources."""
        ...

    def groups_and_items(self, resource: Resource, known: Any, usage: Usage, /) -> Rows:
        """Return what one resource contributes, given an `Index` of the resources known so far."""
        ...

    def canonical(self, token: str, /) -> str:
        """Return a resource type by the name that it has today, without the version of an API."""
        ...


class AccountChecker(Protocol):
    """The interface of a cloud's `account` package, which only reads."""

    def look(
        self,
        plan: Plan,
        stack: "Stack",
        declared_resources: Callable[[Group], Sequence[Resource]],
        query: "AccountQuery",
        /,
    ) -> "AccountReport":
        """Check whether the account allows what a stack needs, with the caller's rights."""
        ...

    def requests(
        self,
        plan: Plan,
        stack: "Stack",
        declared_resources: Callable[[Group], Sequence[Resource]],
        workload: str,
        /,
    ) -> Iterable[str]:
        """Return a request for each quota that a workload draws on."""
        ...
