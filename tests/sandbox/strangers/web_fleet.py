"""A fleet behind a global load balancer, and a bucket that it alone may read."""

import pulumi
import pulumi_gcp as gcp

config = pulumi.Config()
most = config.get_int("most") or 4
region = gcp.config.region or "europe-west4"

account = gcp.serviceaccount.Account("fleet", account_id="web-fleet", display_name="the fleet")
bucket = gcp.storage.Bucket(
    "site",
    location="EU",
    uniform_bucket_level_access=True,
    public_access_prevention="enforced",
    versioning={"enabled": True},
    lifecycle_rules=[
        {
            "action": {"type": "Delete"},
            "condition": {"num_newer_versions": 3, "with_state": "ARCHIVED"},
        }
    ],
)
gcp.storage.BucketIAMMember(
    "fleet-reads", bucket=bucket.name, role="roles/storage.objectViewer", member=account.member
)
gcp.projects.IAMMember(
    "fleet-logs",
    project=account.project,
    role="roles/logging.logWriter",
    member=account.email.apply(lambda email: f"serviceAccount:{email}"),
)
template = gcp.compute.InstanceTemplate(
    "fleet",
    name_prefix="fleet-",
    machine_type="g2-standard-4",
    disks=[
        {
            "source_image": "projects/debian-cloud/global/images/family/debian-12",
            "boot": True,
            "auto_delete": True,
        }
    ],
    network_interfaces=[{"network": "default"}],
    scheduling={"on_host_maintenance": "TERMINATE", "automatic_restart": True},
    service_account={"email": account.email, "scopes": ["cloud-platform"]},
    metadata={"startup-script": "#!/bin/bash\npython3 -m http.server 80\n"},
)
check = gcp.compute.HealthCheck(
    "alive", check_interval_sec=5, timeout_sec=5, http_health_check={"port": 80}
)
fleet = gcp.compute.RegionInstanceGroupManager(
    "fleet",
    region=region,
    base_instance_name="fleet",
    versions=[{"instance_template": template.self_link}],
    named_ports=[{"name": "http", "port": 80}],
    auto_healing_policies={"health_check": check.id, "initial_delay_sec": 300},
)
gcp.compute.RegionAutoscaler(
    "fleet",
    region=region,
    target=fleet.id,
    autoscaling_policy={
        "min_replicas": 1,
        "max_replicas": most,
        "cooldown_period": 60,
        "cpu_utilization": {"target": 0.6},
    },
)
backend = gcp.compute.BackendService(
    "fleet",
    protocol="HTTP",
    port_name="http",
    health_checks=check.id,
    backends=[{"group": fleet.instance_group, "balancing_mode": "UTILIZATION"}],
)
routes = gcp.compute.URLMap("fleet", default_service=backend.self_link)
proxy = gcp.compute.TargetHttpProxy("fleet", url_map=routes.id)
front = gcp.compute.GlobalForwardingRule(
    "fleet", target=proxy.self_link, port_range="80", load_balancing_scheme="EXTERNAL"
)

pulumi.export("bucket", bucket.url)
pulumi.export("address", front.ip_address)
