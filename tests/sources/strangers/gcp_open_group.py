"""A managed group of A3 machines with one card each, an editor's rights and an open door."""

import pulumi
import pulumi_gcp as gcp

network = gcp.compute.Network("ml", auto_create_subnetworks=False)
subnet = gcp.compute.Subnetwork(
    "ml", network=network.id, ip_cidr_range="10.20.0.0/20", region="us-central1"
)
gcp.compute.Firewall(
    "door",
    network=network.name,
    allows=[{"protocol": "tcp", "ports": ["22"]}],
    source_ranges=["0.0.0.0/0"],
)
account = gcp.serviceaccount.Account("ml", account_id="ml-nodes")
gcp.projects.IAMMember(
    "ml",
    project="town",
    role="roles/editor",
    member=account.email.apply(lambda email: f"serviceAccount:{email}"),
)
template = gcp.compute.InstanceTemplate(
    "a3",
    machine_type="a3-highgpu-8g",
    region="us-central1",
    disks=[{"source_image": "debian-cloud/debian-12", "boot": True, "disk_size_gb": 200}],
    network_interfaces=[{"subnetwork": subnet.id, "access_configs": [{}]}],
    scheduling={"on_host_maintenance": "TERMINATE", "automatic_restart": True},
    metadata={"startup-script": "export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7ABCDEFG\n"},
    service_account={
        "email": account.email,
        "scopes": ["https://www.googleapis.com/auth/cloud-platform"],
    },
)
group = gcp.compute.InstanceGroupManager(
    "a3",
    base_instance_name="a3",
    zone="us-central1-a",
    target_size=2,
    versions=[{"instance_template": template.id}],
)
tokens = gcp.storage.Bucket("tokens", location="US-CENTRAL1", versioning={"enabled": True})
gcp.storage.BucketIAMMember(
    "tokens", bucket=tokens.name, role="roles/storage.objectViewer", member="allUsers"
)
pulumi.export("group", group.name)
