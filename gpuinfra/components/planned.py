"""A planned workload, from a component's arguments or from a stack file's plan."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Generic, Literal, TypeVar

import pulumi
from pydantic import ValidationError

from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.supported_keys import RESOURCES_INSTEAD, STACK_ONLY_KEYS, accepts, reason
from gpuinfra.components.args import BucketArgs, PoolArgs, TrainingArgs, arguments_as_mapping
from gpuinfra.components.output_arguments import split_arguments
from gpuinfra.components.usage_inputs import usage_inputs
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Group, Usage
from gpuinfra.planning import choices, to_usage
from gpuinfra.planning.declared_stack import stack_wide_inputs
from gpuinfra.planning.observed_plan import observed_usage
from gpuinfra.records import record
from gpuinfra.specs import Bucket, Inference, Stack, Training
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.stackfile import problems_of

Spec = TypeVar("Spec", Training, Inference, Bucket)
Args = TypeVar("Args", TrainingArgs, PoolArgs, BucketArgs)
WorkloadSection = Literal["training", "inference", "buckets"]


@record
class PlannedComponent(Generic[Spec]):
    """The plan of one component, with plan-time values only.

    Attributes:
        spec: the workload or bucket, as the stack file's grammar reads it.
        group: the machines that planning chose; None for a bucket.
        stack: the stack it belongs to.
        owner: who answers for it.
        cloud: which builds it.
        region: where.
        tags: of the whole stack.
        network: the network that the file asks for.
        zones: the only ones that the file allows; empty for any.
        metrics: whether the machines send what their GPUs do.
        prometheus: the addresses that may scrape the same.
        usage: what no resource shows of it; None where a stack's root says it.
        after: resources created before its own, by key: what ends its machines.
        alarm_stack: the stack of this workload alone, with the component's alarms; None without.
        late_arguments: arguments that are outputs, by name, as values of a graph.
        late_outputs: the same outputs by the names under which a graph asks for them.
    """

    spec: Spec
    group: Group | None
    stack: str
    owner: str
    cloud: str
    region: str
    tags: Mapping[str, str] = field(default_factory=dict)
    network: NetworkSpec | None = None
    zones: tuple[str, ...] = ()
    metrics: bool = False
    prometheus: str = ""
    usage: Usage | None = None
    after: Mapping[str, pulumi.Resource] = field(default_factory=dict)
    alarm_stack: Stack | None = None
    late_arguments: Mapping[str, Any] = field(default_factory=dict)
    late_outputs: Mapping[str, pulumi.Output[Any]] = field(default_factory=dict)

    def build_spec(self, name: str, tags: Mapping[str, pulumi.Input[str]] | None) -> BuildSpec:
        """Return the BuildSpec for the cloud.

        Raises:
            InputError: the tags are no mapping.
        """
        if tags is not None and not isinstance(tags, Mapping):
            raise _not_taken(
                name, "tags", tags, "a mapping of text to text; its values may be outputs"
            )
        return BuildSpec(
            name=name,
            stack=self.stack,
            owner=self.owner,
            region=self.region,
            tags={**self.tags, **(tags or {})},
            network=self.network,
            zones=self.zones,
            metrics=self.metrics,
            prometheus=self.prometheus,
            after=tuple(self.after),
            late_arguments=self.late_arguments,
        )

    @property
    def inputs(self) -> dict[str, Any] | None:
        """Return the inputs of its component, which the policy packs read."""
        return None if self.usage is None else {"usage": usage_inputs(self.usage)}

    @property
    def machines(self) -> Group:
        """The machines of a workload."""
        if self.group is None:
            raise LookupError("a bucket has no machines")
        return self.group


def plan_training(
    name: str, args: TrainingArgs | PlannedComponent[Training]
) -> PlannedComponent[Training]:
    """Return the plan of a training workload.

    Raises:
        InputError: the arguments are wrong, or nothing fits them.
    """
    return _plan("training", TrainingArgs, name, args)


def plan_inference(
    name: str, args: PoolArgs | PlannedComponent[Inference]
) -> PlannedComponent[Inference]:
    """Return the plan of an inference pool.

    Raises:
        InputError: the arguments are wrong, or nothing fits them.
    """
    return _plan("inference", PoolArgs, name, args)


def plan_bucket(
    name: str, args: BucketArgs | PlannedComponent[Bucket]
) -> PlannedComponent[Bucket]:
    """Return the plan of a bucket.

    Raises:
        InputError: the arguments are wrong.
    """
    return _plan("buckets", BucketArgs, name, args)


def _plan(
    section: WorkloadSection, kind: type[Args], name: str, args: Args | PlannedComponent[Any]
) -> PlannedComponent[Any]:
    """Plan a component whose arguments may be outputs."""
    if isinstance(args, PlannedComponent):
        return args

    def plan(args: Args) -> PlannedComponent[Any]:
        _refuse_notify(name, args)
        stack = _stack(section, name, args)
        return _planned_workload(stack, getattr(stack, section)[name], name, args)

    arguments = split_arguments(name, _checked_args(name, args, kind), plan)
    try:
        planned = plan(arguments.args)
    except InputError as error:
        if arguments.outputs:
            raise arguments.hidden(error) from None
        raise
    return replace(planned, late_arguments=arguments.values(), late_outputs=arguments.inputs())


def _checked_args(name: str, args: Any, kind: type[Args]) -> Args:
    """Return the arguments; refuse a wrong class, since programs may not check types.

    Raises:
        InputError: they are of another class.
    """
    if not isinstance(args, kind):
        raise _not_taken(name, "args", args, kind.__name__, f"write {kind.__name__}(region=…)")
    return args


def _not_taken(name: str, argument: str, value: Any, allowed: str, fix: str = "") -> InputError:
    return InputError.of(
        f"{name}: {argument} does not accept {type(value).__name__}",
        path=(name, argument),
        allowed=allowed,
        fix=fix,
    )


def _stack(kind: WorkloadSection, name: str, args: TrainingArgs | PoolArgs | BucketArgs) -> Stack:
    """Return the stack of one workload, with the buckets that it mounts."""
    values = arguments_as_mapping(args)
    where = {"cloud": args.cloud, "regions": [args.region], "zones": _zones(args)}
    document: dict[str, Any] = {
        "version": 1,
        "name": "component",
        "owner": args.owner or pulumi.get_project(),
        "where": where,
        "buckets": {bucket: {} for bucket in _mounted_buckets(values)},
    }
    document[kind] = {**document.get(kind, {}), name: values}
    if notify := _notify(args):
        document["monitoring"] = {"notify": notify}
    try:
        return Stack.model_validate(document)
    except ValidationError as error:
        problems = [_as_of_argument(name, problem) for problem in problems_of(error)]
        raise InputError(problems) from error


def _as_of_argument(name: str, problem: Problem) -> Problem:
    """Return the problem of a stack's key as one of the component's argument, where it has one."""
    if problem.path[:2] != ("monitoring", "notify"):
        return problem
    message = problem.message.removeprefix("monitoring.notify")
    path = (name, *problem.path[1:])
    return replace(problem, message=f"{name}: notify{message}", path=path)


def _notify(args: TrainingArgs | PoolArgs | BucketArgs) -> Any:
    """Return whom a component's alarms notify, as `monitoring` of a stack file has it."""
    notify = () if isinstance(args, BucketArgs) else args.notify
    return list(notify) if isinstance(notify, tuple) else notify


def _zones(args: TrainingArgs | PoolArgs | BucketArgs) -> list[str]:
    return [] if isinstance(args, BucketArgs) else list(args.zones)


def _mounted_buckets(values: dict[str, Any]) -> list[str]:
    data = values.get("data")
    mounts = [
        *(data if isinstance(data, list) else ()),
        *(values.get(key) for key in ("checkpoints", "shared_storage")),
    ]
    return [
        mount["bucket"] for mount in mounts if isinstance(mount, Mapping) and mount.get("bucket")
    ]


def _planned_workload(
    stack: Stack, spec: Spec, name: str, args: TrainingArgs | PoolArgs | BucketArgs
) -> PlannedComponent[Spec]:
    _refuse_words_of_the_stack(name, args.cloud, spec)
    plan = choices(stack)
    groups = [group for group in plan.groups if group.name == name]
    return PlannedComponent(
        spec=spec,
        group=groups[0] if groups else None,
        stack=pulumi.get_project(),
        owner=stack.owner,
        cloud=args.cloud,
        region=groups[0].rung.region if groups else args.region,
        usage=observed_usage(to_usage(stack)),
        alarm_stack=None if stack.monitoring is None else stack,
        **stack_wide_inputs(stack, spec),
    )


def _refuse_notify(name: str, args: TrainingArgs | PoolArgs | BucketArgs) -> None:
    """Raise where a component has alarms that its cloud does not build.

    Raises:
        InputError: it does not.
    """
    if _notify(args) and not accepts(args.cloud, "monitoring"):
        raise InputError.of(
            f"{name}: notify is not supported on {args.cloud}: {reason('monitoring', args.cloud)}",
            path=(name, "notify"),
            fix="remove notify, and declare "
            f"{RESOURCES_INSTEAD['monitoring', args.cloud]} beside the component",
        )


def _refuse_words_of_the_stack(name: str, cloud: str, spec: Training | Inference | Bucket) -> None:
    """Raise where an argument needs resources that only a whole stack has.

    Raises:
        InputError: it does.
    """
    problems = [
        Problem(
            message=f"{name}: {field_name} needs resources of the whole stack on {cloud}",
            path=(name, field_name),
            fix="remove it, and declare a schedule of the group yourself, or write a stack file",
        )
        for field_name in sorted(spec.model_fields_set)
        if cloud in STACK_ONLY_KEYS.get(field_name, ())
    ]
    if problems:
        raise InputError(problems)
