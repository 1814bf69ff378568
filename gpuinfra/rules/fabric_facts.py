"""Rules on one fact, or on the faults, of each declared fabric."""

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.rules.fabric import fabric_direction_check, fabric_fact_check, faults_check
from gpuinfra.rules.rule import Rule

FABRIC_CARDS = Rule(
    id="fabric-cards",
    family="fabric",
    title="Each fabric interface has a valid network card",
    why="The launch fails when an interface names a card or a device index that the "
    "machine doesn't have.",
    fix="number the cards from 0, and the devices of each card from 0; a card takes one "
    "EFA interface",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html#network-cards",
    check=faults_check(
        "fabric-cards",
        "has no network cards to declare",
        good="each interface is on an existing network card",
        unknown="the network cards of its interfaces are not known yet",
    ),
    alone=True,
)

FABRIC_SCALE_SET = Rule(
    id="fabric-scale-set",
    family="fabric",
    title="Machines of a fabric are in one scale set with a single placement group",
    why="InfiniBand connects only the machines of one placement group of one scale set; "
    "other machines fall back to TCP without an error.",
    fix="use one uniform scale set of at most 100 machines with singlePlacementGroup true "
    "and overprovision false; for nodes of AKS, declare the feature AKSInfinibandSupport of "
    "Microsoft.ContainerService (azure-native:features:SubscriptionFeatureRegistration)",
    source="https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-placement-groups",
    check=faults_check(
        "fabric-scale-set",
        "connects machines without a scale set",
        good="one scale set in one placement group",
        unknown="the placement settings of its scale set are not known yet",
    ),
    alone=True,
)

FABRIC_SELF_INGRESS = Rule(
    id="fabric-self-ingress",
    family="fabric",
    title="A fabric's firewall allows inbound traffic from its own group",
    why="A machine that drops its peers' traffic never joins the run; NCCL waits until its "
    "timeout.",
    fix="allow traffic between the machines",
    fix_by_cloud={
        "aws": "add an ingress rule to the security group, with protocol -1 and the group "
        "itself as its peer",
        "gcp": "add a firewall to each network that allows the network's own range",
    },
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    check=fabric_direction_check(
        "inbound",
        lambda fabric: fabric.self_ingress,
        lambda firewall: firewall.ingress,
        good="the firewall allows inbound traffic from its own group",
        bad="its firewall does not allow inbound traffic from its own group",
        unknown="it is unknown whether its firewall allows inbound traffic from its own group",
    ),
)

FABRIC_SELF_EGRESS = Rule(
    id="fabric-self-egress",
    family="fabric",
    title="A fabric's firewall allows outbound traffic to its own group",
    why="EFA needs a rule with the security group itself as the peer; 0.0.0.0/0 does not "
    "cover it.",
    fix="allow traffic between the machines",
    fix_by_cloud={
        "aws": "add an egress rule to the security group, with protocol -1 and the group itself "
        "as its peer",
        "gcp": "remove the firewall that denies the network's own range",
    },
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security",
    check=fabric_direction_check(
        "outbound",
        lambda fabric: fabric.self_egress,
        lambda firewall: firewall.egress,
        good="the firewall allows outbound traffic to its own group",
        bad="its firewall does not allow outbound traffic to its own group",
        unknown="it is unknown whether its firewall allows outbound traffic to its own group",
    ),
)

FABRIC_PUBLIC_IP = Rule(
    id="fabric-public-ip",
    family="fabric",
    title="Machines of a fabric have no public address",
    why="The cloud refuses to launch a machine with several interfaces and a public address.",
    fix="use a private subnet, and request no public address on any interface",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html",
    check=fabric_fact_check(
        lambda fabric: opposite(fabric.public_ip),
        good="no public address",
        bad="it requests a public address, directly or through its subnet",
        unknown="it is unknown whether its subnet assigns public addresses",
    ),
    alone=True,
)
