"""Rules that check one fact, or the reported faults, of each machine group."""

from typing import Final

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.model import Group
from gpuinfra.rules.fault_findings import (
    faults_check,
    judge_group_faults,
    judge_rule_faults,
    reachability_check,
    with_defects_check,
)
from gpuinfra.rules.resource_fix import fix_for
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    each_group,
    fact,
    fact_check,
    row_check,
    violated,
)

DEFAULT_OF_STACK: Final = (
    "; a new account default in this stack counts only for machines that list it in dependsOn"
)
"""The end of a message about what an account's default decides."""


def _eviction_finding(group: Group) -> Finding:
    is_spot = group.rung.capacity == "spot"
    good = (
        "spot machines may have an eviction policy"
        if is_spot
        else "no eviction policy; its machines are never evicted"
    )
    unknown = "it is not known yet whether its machines can be evicted"
    return judge_group_faults(group, EVICTION_POLICY.id, FactMessages(good=good, unknown=unknown))


EVICTION_POLICY = Rule(
    id="eviction-policy",
    family="spot",
    title="Only spot machines have an eviction policy",
    why="Azure refuses an eviction policy on a regular machine. A policy there often means "
    "that spot was intended.",
    fix="remove the eviction policy, or set the priority to Spot",
    source="https://learn.microsoft.com/azure/virtual-machines/spot-vms",
    check=row_check(each_group, _eviction_finding),
    alone=True,
)

METADATA_V2 = Rule(
    id="metadata-v2",
    family="security",
    title="Instance metadata requires a token",
    why="IMDSv1 answers requests without a token, so a server-side request forgery (SSRF) in a "
    "program on the machine can read the role's credentials.",
    fix="require tokens in the metadata options",
    fix_by_cloud={
        "aws": "set metadataOptions.httpTokens: required in the launch template or the instance"
    },
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html",
    check=with_defects_check(
        fact_check(
            each_group,
            lambda group: group.safety.metadata_v2,
            good="metadata requires a token",
            bad="no visible option, image or default requires a metadata token",
            unknown="it is unknown whether metadata requires a token: no option says so, so "
            f"the image or the account decides{DEFAULT_OF_STACK}",
        ),
        "metadata-v2",
        FactMessages(good="", unknown="the default of the account is not known yet"),
    ),
    alone=True,
)

PUBLIC_ADDRESS = Rule(
    id="public-address",
    family="security",
    title="Machines have no public address",
    why="The internet can't reach a machine without a public address; outbound traffic uses NAT.",
    fix="use a private subnet with NAT, and log in through the cloud's own service",
    fix_by_cloud={
        "aws": "set associatePublicIpAddress: false, and mapPublicIpOnLaunch: false in the "
        "subnet; log in through Session Manager",
        "gcp": "remove accessConfigs from networkInterfaces, and log in through IAP",
        "azure": "remove publicIPAddress from ipConfigurations, and log in through Bastion",
    },
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-best-practices.html",
    check=fact_check(
        each_group,
        lambda group: opposite(group.safety.public_ip),
        good="no public address",
        bad="its machines get a public address",
        unknown="it is unknown whether its machines get a public address",
    ),
    alone=True,
)

ADMINISTRATOR_ROLE = Rule(
    id="administrator-role",
    family="security",
    title="Machine roles have no administrator permissions",
    why="Every process on a machine can use the machine's role; an administrator role "
    "gives it the whole account.",
    fix="give the machines a role with only the actions and buckets they need",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    check=fact_check(
        each_group,
        lambda group: opposite(group.safety.administrator),
        good="the role has limited permissions",
        bad="the role has administrator permissions",
        unknown="the role's permissions are unknown",
    ),
    text_inputs=("policy",),
)


def _pinned_image_finding(group: Group) -> Finding:
    """Return whether the machines' image is pinned, and their container's if it is known."""
    messages = FactMessages(
        good="its machine image is pinned",
        bad="its machine image is not pinned: machines of one group may start from "
        "different images",
        unknown="it is unknown whether its machine image is pinned",
    )
    machine = fact(group.subject, group.lifecycle.image_pinned, messages)
    container = judge_rule_faults(group.subject, group.faults, IMAGE_PINNED.id, messages)
    if container.outcome != "violated":
        return machine
    if machine.outcome != "violated":
        return container
    message = f"{machine.message}; {container.message}"
    fix = fix_for(IMAGE_PINNED, group.cloud, group.subject)
    return violated(group.subject, message, fix=f"{fix}; {container.fix}")


IMAGE_PINNED = Rule(
    id="image-pinned",
    family="hygiene",
    title="Machine and container images are pinned to a version",
    why="Otherwise a newer driver arrives with the next machine and breaks the run, or an "
    "unrelated update replaces every node.",
    fix="set a fixed image version",
    fix_by_cloud={
        "aws": "an ami- id or a parameter with its version",
        "gcp": "an image instead of an image family",
        "azure": "a version other than latest",
    },
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/using-systems-manager-parameters.html",
    check=row_check(each_group, _pinned_image_finding),
    level="advisory",
    alone=True,
)

LAUNCH_SETTINGS = Rule(
    id="launch-settings",
    family="hygiene",
    title="Launch template settings are valid",
    why="The cloud refuses the launch, or ignores the setting, when two settings conflict "
    "or one has the wrong form.",
    fix="change the setting as the message says",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html",
    check=faults_check(
        "launch-settings",
        FactMessages(
            good="launch settings are valid", unknown="its launch settings are not known yet"
        ),
    ),
    alone=True,
)

SCALING_SETTINGS = Rule(
    id="scaling-settings",
    family="hygiene",
    title="Scaling settings are valid",
    why="The cloud refuses limits that contradict each other, a warm pool of spot machines, and "
    "an update policy that does not match the group.",
    fix="change the limit or the setting that the message names",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-warm-pools.html",
    check=faults_check(
        "scaling-settings",
        FactMessages(
            good="scaling settings are valid", unknown="its scaling settings are not known yet"
        ),
    ),
    alone=True,
)

SPOT_ALLOCATION = Rule(
    id="spot-allocation",
    family="spot",
    title="Spot allocation considers more than the lowest price",
    why="The cheapest spot capacity is interrupted most often.",
    fix="set spotAllocationStrategy to price-capacity-optimized",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/allocation-strategies.html",
    check=fact_check(
        each_group,
        lambda group: (
            None if group.market.lowest_price is None else opposite(group.market.lowest_price)
        ),
        unjudged="it has no spot allocation strategy",
        good="the spot allocation strategy considers more than the price",
        bad="spot machines are allocated by lowest price only, the cloud's default",
        unknown="the spot allocation strategy is not known yet",
    ),
    level="advisory",
    alone=True,
)

MACHINE_UPKEEP = Rule(
    id="machine-upkeep",
    family="hygiene",
    title="Groups replace failed machines, roll out the current template, "
    "and leave no unused disks",
    why="Without repair, a run on spot machines stops while its other machines are billed. "
    "A template that no update rolls out has no effect. An update of all machines at once is an "
    "outage. Unused disks are billed.",
    fix="change the update, repair or restore policy, or the disks, as the message says",
    source="https://docs.cloud.google.com/compute/docs/instance-groups/update-on-repair",
    check=reachability_check(
        each_group,
        lambda group: group.lifecycle.upkeep,
        "machine-upkeep",
        unjudged="this rule does not apply to its cloud",
        unknown="its update and repair settings are not known yet",
        good="update, repair and disk settings are valid",
    ),
    level="advisory",
)

NETWORK_ACCESS = Rule(
    id="network-access",
    family="hygiene",
    title="Machines reach the services they need, and clients reach the machines",
    why="A machine that can't reach its image, its bucket or its login service is billed "
    "and does no work; on AWS a NAT gateway charges S3 traffic by the byte.",
    fix="open the closed path",
    fix_by_cloud={
        "aws": "allow outbound HTTPS in the security group, route the subnet to a NAT gateway or "
        "to endpoints, add a gateway endpoint for S3, and give the role the Session Manager "
        "actions",
        "gcp": "give the subnet a RouterNat, or privateIpGoogleAccess: true for Google's services "
        "alone, allow TCP 22 from 35.235.240.0/20 (IAP) and the traffic between the machines in "
        "the firewalls, and give the service account its roles",
        "azure": "allow outbound HTTPS in the network security group, route the subnet to a NAT "
        "gateway, add a service endpoint for storage, and give the identity its roles",
    },
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html",
    check=reachability_check(
        each_group,
        lambda group: group.reach,
        "network-access",
        unjudged="its network is outside this stack, or not checked on this cloud",
        unknown="its network rules are not known yet",
    ),
    level="advisory",
)

_LOGIN_MESSAGES: Final = FactMessages(
    good="people log in with their own identity",
    unknown="it is unknown whether people log in with their own identity: the settings of the "
    "project or account decide",
)


LOGIN_IDENTITY = Rule(
    id="login-identity",
    family="security",
    title="People log in with their own identity",
    why="SSH keys in project metadata open every machine of the project, and stay valid "
    "after a person leaves; a serial console accepts logins past every firewall.",
    fix="set metadata enable-oslogin: TRUE and serial-port-enable: FALSE",
    source="https://docs.cloud.google.com/compute/docs/oslogin",
    check=with_defects_check(
        faults_check("login-identity", _LOGIN_MESSAGES), "login-identity", _LOGIN_MESSAGES
    ),
    level="advisory",
    alone=True,
)
