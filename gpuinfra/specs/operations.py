"""Settings of a running stack: its monitoring, when machines stop, and who may deploy it."""

from typing import Annotated

from pydantic import Field

from gpuinfra.specs import values as v
from gpuinfra.specs.forms import Form, ListRule

Mails = Annotated[tuple[v.Email, ...], ListRule("notify: [ml-platform@example.com]")]
Receivers = Annotated[tuple[v.Receiver, ...], ListRule("notify: [ml-platform@example.com]")]


class Monitoring(Form):
    """Metrics of the machines, and the addresses to notify."""

    alarms: v.Flag = Field(
        default=True,
        description="Alarms for idle GPUs, memory, errors, interruptions and unhealthy targets.",
    )
    dashboard: v.Flag = Field(default=False, description="A dashboard of the stack.")
    report: v.Flag = Field(
        default=False, description="A daily mail: GPU use, and the cost of idle GPUs."
    )
    prometheus: v.Cidr | None = Field(
        default=None, description="Who may scrape the GPU metrics of the machines, on port 9400."
    )
    notify: Receivers = Field(
        default=(),
        description="Alarm recipients: e-mail addresses, and ARNs of your own SNS topics; the "
        "budget's notify when absent.",
    )

    @property
    def mails(self) -> tuple[str, ...]:
        """The e-mail addresses among the alarm recipients."""
        return tuple(receiver for receiver in self.notify if not is_topic(receiver))

    @property
    def topics(self) -> tuple[str, ...]:
        """The SNS topics among the alarm recipients."""
        return tuple(filter(is_topic, self.notify))


def is_topic(receiver: str) -> bool:
    """Return whether a recipient of alarms is an SNS topic, and no e-mail address."""
    return receiver.startswith("arn:")


def topic_region(topic: str) -> str:
    """Return the region of an SNS topic, from its ARN."""
    return topic.split(":")[3]


class IdleStop(Form):
    """The rule for stopping idle machines."""

    below: v.Target = Field(
        description="Mean GPU use below which a machine is idle, for example 5%.", examples=["5%"]
    )
    after: v.Duration = Field(
        description="How long it must be idle, for example 30m.", examples=["30m"]
    )


class DeployRole(Form):
    """The role that continuous integration deploys with, by short-lived tokens."""

    repository: v.Repository = Field(
        description="The GitHub repository, for example example/train."
    )
    branch: v.Branch = Field(default="main", description="The branch whose runs may deploy.")
    provider: v.Provider | None = Field(
        default=None, description="The account's GitHub identity provider, if it already has one."
    )
