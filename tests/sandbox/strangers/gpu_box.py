"""One machine with a GPU, its own network and a start-up script, as tutorials write it."""

import pulumi
import pulumi_gcp as gcp

config = pulumi.Config()
machine_type = config.get("machineType") or "n1-standard-4"

network = gcp.compute.Network("ml-network", auto_create_subnetworks=False)
subnet = gcp.compute.Subnetwork(
    "ml-subnet",
    network=network.id,
    ip_cidr_range="10.10.0.0/24",
    region="us-central1",
    private_ip_google_access=True,
)
gcp.compute.Firewall(
    "ml-ssh",
    network=network.name,
    allows=[{"protocol": "tcp", "ports": ["22", "8888"]}],
    source_ranges=["198.51.100.0/24"],
    target_tags=["ml"],
)
address = gcp.compute.Address("ml-ip", region="us-central1")
data = gcp.compute.Disk("ml-data", zone="us-central1-a", size=200, type="pd-ssd")
image = gcp.compute.get_image(
    family="common-cu128-ubuntu-2204-nvidia-570", project="deeplearning-platform-release"
)
box = gcp.compute.Instance(
    "ml-box",
    machine_type=machine_type,
    zone="us-central1-a",
    allow_stopping_for_update=True,
    boot_disk={"initialize_params": {"image": image.self_link, "size": 100}},
    attached_disks=[{"source": data.self_link}],
    guest_accelerators=[{"type": "nvidia-tesla-t4", "count": 1}],
    scheduling={
        "preemptible": True,
        "provisioning_model": "SPOT",
        "automatic_restart": False,
        "on_host_maintenance": "TERMINATE",
        "instance_termination_action": "STOP",
    },
    network_interfaces=[
        {"subnetwork": subnet.id, "access_configs": [{"nat_ip": address.address}]}
    ],
    metadata_startup_script="#!/bin/bash\nnvidia-smi > /var/log/gpu.txt\n",
    service_account={"scopes": ["https://www.googleapis.com/auth/cloud-platform"]},
    tags=["ml"],
    labels={"team": "vision"},
)

pulumi.export("name", box.name)
pulumi.export("ip", box.network_interfaces.apply(lambda nics: nics[0].access_configs[0].nat_ip))
