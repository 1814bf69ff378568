"""The lives of what computes: templates, machines, groups, schedules, load balancers."""

from tests.sandbox.aws.cases import ARN, HEX, NEW_TAGS, TAGS, Case

COMPUTE = [
    Case(
        "aws:ec2/launchTemplate:LaunchTemplate",
        f"lt-{HEX}",
        lambda stage: {
            "name": "training",
            "description": "first",
            "imageId": stage.image,
            "instanceType": "p5.48xlarge",
            "userData": "IyEvYmluL3NoCg==",
            "ebsOptimized": "true",
            "updateDefaultVersion": True,
            "iamInstanceProfile": {"name": "nodes"},
            "placement": {"groupName": "cluster"},
            "monitoring": {"enabled": True},
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/sda1",
                    "ebs": {
                        "encrypted": "true",
                        "deleteOnTermination": "true",
                        "volumeSize": 200,
                        "volumeType": "gp3",
                        "iops": 3000,
                        "throughput": 125,
                    },
                }
            ],
            "metadataOptions": {
                "httpTokens": "required",
                "httpEndpoint": "enabled",
                "httpPutResponseHopLimit": 1,
                "instanceMetadataTags": "enabled",
            },
            "networkInterfaces": [
                {
                    "deviceIndex": 0,
                    "networkCardIndex": 0,
                    "interfaceType": "interface",
                    "associatePublicIpAddress": "false",
                    "deleteOnTermination": "true",
                    "securityGroups": [stage.group],
                },
                *[
                    {
                        "deviceIndex": 0,
                        "networkCardIndex": card,
                        "interfaceType": "efa-only",
                        "deleteOnTermination": "true",
                        "securityGroups": [stage.group],
                    }
                    for card in range(1, 4)
                ],
            ],
            "instanceMarketOptions": {
                "marketType": "spot",
                "spotOptions": {"maxPrice": "20.10", "spotInstanceType": "one-time"},
            },
            "tagSpecifications": [
                {"resourceType": "instance", "tags": TAGS},
                {"resourceType": "volume", "tags": TAGS},
            ],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").create_launch_template_version(
            LaunchTemplateId=it,
            SourceVersion="1",
            LaunchTemplateData={"InstanceType": "p4d.24xlarge"},
        ),
        "instanceType",
        lambda stage: {
            "instanceType": "p5en.48xlarge",
            "instanceMarketOptions": None,
            "tags": NEW_TAGS,
        },
        frozenset({"updateDefaultVersion"}),
    ),
    Case(
        "aws:ec2/instance:Instance",
        f"i-{HEX}",
        lambda stage: {
            "ami": stage.image,
            "instanceType": "g5.xlarge",
            "subnetId": stage.subnet,
            "vpcSecurityGroupIds": [stage.group],
            "iamInstanceProfile": stage.role,
            "userData": "#!/bin/sh\necho hello\n",
            "monitoring": True,
            "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 2},
            "rootBlockDevice": {
                "encrypted": True,
                "volumeSize": 100,
                "volumeType": "gp3",
                "throughput": 200,
                "deleteOnTermination": True,
            },
            "ebsBlockDevices": [{"deviceName": "/dev/sdf", "volumeSize": 10, "volumeType": "gp3"}],
            "instanceMarketOptions": {
                "marketType": "spot",
                "spotOptions": {"maxPrice": "1.5"},
            },
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").terminate_instances(InstanceIds=[it]),
        "",
        lambda stage: {
            "instanceType": "g5.2xlarge",
            "metadataOptions": {"httpTokens": "optional"},
            "vpcSecurityGroupIds": [stage.other_group],
            "tags": NEW_TAGS,
        },
        frozenset(
            {"instanceMarketOptions", "ebsBlockDevices", "rootBlockDevice", "metadataOptions"}
        ),
    ),
    Case(
        "aws:autoscaling/group:Group",
        "training-asg",
        lambda stage: {
            "name": "training-asg",
            "minSize": 2,
            "maxSize": 2,
            "desiredCapacity": 2,
            "vpcZoneIdentifiers": [stage.subnet],
            "launchTemplate": {"id": stage.template, "version": "$Latest"},
            "placementGroup": "cluster",
            "capacityRebalance": False,
            "healthCheckType": "EC2",
            "healthCheckGracePeriod": 300,
            "suspendedProcesses": ["ReplaceUnhealthy", "AZRebalance"],
            "targetGroupArns": [stage.target_group],
            "waitForCapacityTimeout": "0",
            "protectFromScaleIn": False,
            "enabledMetrics": ["GroupInServiceInstances"],
            "tags": [
                {"key": "owner", "value": "ml", "propagateAtLaunch": True},
                {"key": "Name", "value": "node", "propagateAtLaunch": False},
            ],
        },
        lambda client, it, outputs: client("autoscaling").update_auto_scaling_group(
            AutoScalingGroupName=it, MaxSize=9
        ),
        "maxSize",
        lambda stage: {
            "minSize": 1,
            "desiredCapacity": 1,
            "suspendedProcesses": ["AZRebalance"],
            "placementGroup": "other",
            "targetGroupArns": None,
            "tags": [{"key": "owner", "value": "ops", "propagateAtLaunch": True}],
        },
        frozenset({"placementGroup", "capacityRebalance", "waitForCapacityTimeout"}),
    ),
    Case(
        "aws:autoscaling/policy:Policy",
        "track",
        lambda stage: {
            "name": "track",
            "autoscalingGroupName": stage.asg,
            "policyType": "TargetTrackingScaling",
            "estimatedInstanceWarmup": 300,
            "targetTrackingConfiguration": {
                "targetValue": 60,
                "disableScaleIn": False,
                "customizedMetricSpecification": {
                    "metricName": "nvidia_smi_utilization_gpu",
                    "namespace": "gpuinfra/demo",
                    "statistic": "Average",
                    "metricDimensions": [{"name": "AutoScalingGroupName", "value": "stage"}],
                },
            },
        },
        lambda client, it, outputs: client("autoscaling").put_scaling_policy(
            AutoScalingGroupName=outputs["autoscalingGroupName"],
            PolicyName=it,
            PolicyType="TargetTrackingScaling",
            TargetTrackingConfiguration={
                "TargetValue": 10.0,
                "PredefinedMetricSpecification": {
                    "PredefinedMetricType": "ASGAverageCPUUtilization"
                },
            },
        ),
        "targetTrackingConfiguration",
        lambda stage: {
            "targetTrackingConfiguration": {
                "targetValue": 70.5,
                "predefinedMetricSpecification": {
                    "predefinedMetricType": "ASGAverageCPUUtilization"
                },
            }
        },
    ),
    Case(
        "aws:autoscaling/lifecycleHook:LifecycleHook",
        "drain",
        lambda stage: {
            "name": "drain",
            "autoscalingGroupName": stage.asg,
            "lifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
            "heartbeatTimeout": 300,
            "defaultResult": "CONTINUE",
        },
        lambda client, it, outputs: client("autoscaling").put_lifecycle_hook(
            AutoScalingGroupName=outputs["autoscalingGroupName"],
            LifecycleHookName=it,
            LifecycleTransition=outputs["lifecycleTransition"],
            HeartbeatTimeout=30,
        ),
        "heartbeatTimeout",
        lambda stage: {"heartbeatTimeout": 600},
    ),
    Case(
        "aws:lb/loadBalancer:LoadBalancer",
        f"{ARN}elasticloadbalancing:us-east-1:\\d+:loadbalancer/app/pool/[0-9a-f]+",
        lambda stage: {
            "name": "pool",
            "loadBalancerType": "application",
            "internal": True,
            "subnets": [stage.other_subnet, stage.subnet],
            "securityGroups": [stage.group],
            "dropInvalidHeaderFields": True,
            "idleTimeout": 120,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("elbv2").modify_load_balancer_attributes(
            LoadBalancerArn=it,
            Attributes=[
                {"Key": "routing.http.drop_invalid_header_fields.enabled", "Value": "false"}
            ],
        ),
        "dropInvalidHeaderFields",
        lambda stage: {"idleTimeout": 60, "tags": NEW_TAGS},
    ),
    Case(
        "aws:lb/targetGroup:TargetGroup",
        f"{ARN}elasticloadbalancing:us-east-1:\\d+:targetgroup/pool/[0-9a-f]+",
        lambda stage: {
            "name": "pool",
            "port": 8000,
            "protocol": "HTTP",
            "vpcId": stage.vpc,
            "deregistrationDelay": 30,
            "slowStart": 60,
            "healthCheck": {"path": "/health", "interval": 15, "matcher": "200"},
            "tags": TAGS,
        },
        lambda client, it, outputs: client("elbv2").modify_target_group(
            TargetGroupArn=it, HealthCheckPath="/other"
        ),
        "healthCheck",
        lambda stage: {"healthCheck": {"path": "/ready"}, "deregistrationDelay": 60, "tags": None},
        frozenset({"healthCheck"}),
    ),
    Case(
        "aws:lb/listener:Listener",
        f"{ARN}elasticloadbalancing:us-east-1:\\d+:listener/app/stage/[0-9a-f]+/[0-9a-f]+",
        lambda stage: {
            "loadBalancerArn": stage.balancer,
            "port": 80,
            "protocol": "HTTP",
            "defaultActions": [{"type": "forward", "targetGroupArn": stage.target_group}],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("elbv2").modify_listener(ListenerArn=it, Port=81),
        "port",
        lambda stage: {
            "defaultActions": [
                {
                    "type": "forward",
                    "forward": {
                        "targetGroups": [{"arn": stage.target_group, "weight": 1}],
                        "stickiness": {"enabled": True, "duration": 60},
                    },
                }
            ]
        },
    ),
]
