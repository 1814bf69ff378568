"""Passwords and keys in any input of AWS's types that takes texts of the program's own."""

import base64
import json
from typing import Any

import pytest

from gpuinfra.clouds.plain_text_secrets import TABLE
from gpuinfra.model import UNKNOWN
from tests.clouds import sdk_texts
from tests.clouds.secret_texts import exposed

PASSWORD = "Tr0ub4dor-xK9!zQ77"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD_16 = f"{PASSWORD}a7"
LINE = f"export DB_PASSWORD={PASSWORD}"
CODED = base64.b64encode(LINE.encode()).decode()
ENV = [{"name": "DB_PASSWORD", "value": PASSWORD}]
REFERENCE = [{"name": "DB_PASSWORD", "valueFrom": "arn:aws:secretsmanager:us-east-1:1:secret:x"}]
NODES = {"nodeRangeProperties": [{"container": {"image": "x", "environment": ENV}}]}
ADDRESS = f"https://user:{PASSWORD}@hooks.example.com/x"


def containers(**more: Any) -> str:
    return json.dumps([{"name": "c", "image": "x", **more}])


SHOWN: list[tuple[str, dict[str, Any]]] = [
    ("batch/jobDefinition:JobDefinition", {"nodeProperties": json.dumps(NODES)}),
    (
        "batch/jobDefinition:JobDefinition",
        {
            "ecsProperties": json.dumps(
                {"taskProperties": [{"containers": [{"environment": ENV}]}]}
            )
        },
    ),
    (
        "batch/jobDefinition:JobDefinition",
        {"eksProperties": {"podProperties": {"containers": {"envs": ENV}}}},
    ),
    ("batch/jobDefinition:JobDefinition", {"parameters": {"DB_PASSWORD": PASSWORD}}),
    (
        "ecs/taskDefinition:TaskDefinition",
        {"containerDefinitions": containers(healthCheck={"command": ["CMD-SHELL", LINE]})},
    ),
    (
        "ecs/taskDefinition:TaskDefinition",
        {"containerDefinitions": containers(dockerLabels={"DB_PASSWORD": PASSWORD})},
    ),
    (
        "ecs/taskDefinition:TaskDefinition",
        {"containerDefinitions": containers(logConfiguration={"options": {"token": TOKEN}})},
    ),
    ("eks/addon:Addon", {"configurationValues": json.dumps({"env": {"DB_PASSWORD": PASSWORD}})}),
    ("dynamodb/tableItem:TableItem", {"item": json.dumps({"token": {"S": TOKEN}})}),
    ("sagemaker/codeRepository:CodeRepository", {"gitConfig": {"repositoryUrl": ADDRESS}}),
    ("ssm/association:Association", {"name": "AWS-RunShellScript", "parameters": {"c": LINE}}),
    (
        "ssm/maintenanceWindowTask:MaintenanceWindowTask",
        {
            "taskInvocationParameters": {
                "runCommandParameters": {"parameters": [{"name": "commands", "values": [LINE]}]}
            }
        },
    ),
    ("sfn/stateMachine:StateMachine", {"definition": json.dumps({"Payload": {"token": TOKEN}})}),
    ("cloudwatch/eventTarget:EventTarget", {"input": json.dumps({"password": PASSWORD})}),
    ("scheduler/schedule:Schedule", {"target": {"input": json.dumps({"password": PASSWORD})}}),
    (
        "sagemaker/notebookInstanceLifecycleConfiguration:NotebookInstanceLifecycleConfiguration",
        {"onStart": CODED},
    ),
    (
        "sagemaker/studioLifecycleConfig:StudioLifecycleConfig",
        {"studioLifecycleConfigContent": CODED},
    ),
    (
        "ec2/launchTemplate:LaunchTemplate",
        {"tagSpecifications": [{"resourceType": "instance", "tags": {"password": PASSWORD}}]},
    ),
    ("s3/bucketObjectv2:BucketObjectv2", {"content": f"a=b\n{LINE}\n"}),
    ("s3/bucketObjectv2:BucketObjectv2", {"contentBase64": CODED}),
    (
        "cloudfront/distribution:Distribution",
        {"origins": [{"customHeaders": [{"name": "X-Token", "value": TOKEN}]}]},
    ),
    ("cloudfront/function:Function", {"code": f'var apiKey = "{TOKEN}";'}),
    (
        "apigateway/integration:Integration",
        {"requestParameters": {"integration.request.header.Authorization": f"'Bearer {TOKEN}'"}},
    ),
    ("appsync/dataSource:DataSource", {"httpConfig": {"endpoint": ADDRESS}}),
    ("sns/topicSubscription:TopicSubscription", {"protocol": "https", "endpoint": ADDRESS}),
    ("cloudformation/stack:Stack", {"parameters": {"DBPassword": PASSWORD}}),
    ("codebuild/project:Project", {"source": {"buildspec": f"env:\n  password: {PASSWORD}\n"}}),
    ("imagebuilder/component:Component", {"data": f"phases:\n- {LINE}\n"}),
    ("emr/cluster:Cluster", {"bootstrapActions": [{"args": ["--password", PASSWORD]}]}),
    ("glue/job:Job", {"nonOverridableArguments": {"--db_password": PASSWORD}}),
    (
        "cloudwatch/eventConnection:EventConnection",
        {"authParameters": {"apiKey": {"key": "x", "value": TOKEN}}},
    ),
    (
        "lb/listener:Listener",
        {"defaultActions": [{"authenticateOidc": {"clientId": "c", "clientSecret": PASSWORD_16}}]},
    ),
    ("mq/broker:Broker", {"users": [{"username": "app", "password": PASSWORD}]}),
]

FINE: list[tuple[str, dict[str, Any]]] = [
    ("ecs/taskDefinition:TaskDefinition", {"containerDefinitions": containers(secrets=REFERENCE)}),
    ("secretsmanager/secretVersion:SecretVersion", {"secretString": PASSWORD}),
    ("batch/jobDefinition:JobDefinition", {"nodeProperties": UNKNOWN, "parameters": UNKNOWN}),
    ("sfn/stateMachine:StateMachine", {"definition": "{ not json"}),
    (
        "rds/parameterGroup:ParameterGroup",
        {"parameters": [{"name": "password_encryption", "value": "scram-sha-256"}]},
    ),
    ("ssm/association:Association", {"parameters": {"commands": "export PASSWORD=$(cat /x)"}}),
    (
        "cloudfront/distribution:Distribution",
        {"origins": [{"customHeaders": [{"name": "X-Origin", "value": "cloudfront"}]}]},
    ),
    ("ec2/instance:Instance", {"userData": LINE}),
]


@pytest.mark.parametrize(("token", "inputs"), SHOWN)
def test_a_secret_in_any_text_of_a_program_is_found_once(token, inputs):
    (words,) = exposed(f"aws:{token}", inputs)
    assert any(key in words for key in inputs)
    assert PASSWORD not in words
    assert TOKEN not in words


@pytest.mark.parametrize(("token", "inputs"), FINE)
def test_what_refers_to_a_secret_or_keeps_it_shows_none(token, inputs):
    assert not exposed(f"aws:{token}", inputs)


def test_what_an_environment_shows_is_told_once():
    definitions = containers(environment=ENV, command=["run"])
    inputs = {"containerDefinitions": definitions}
    assert exposed("aws:ecs/taskDefinition:TaskDefinition", inputs) == (
        "a password in environment.DB_PASSWORD",
    )


CONTAINER = {"name": "a", "image": "x", "env": ENV}
POD = {"containers": [CONTAINER]}


@pytest.mark.parametrize(
    ("token", "spec"),
    [
        ("core/v1:Pod", POD),
        ("core/v1:Pod", {"initContainers": [{"command": ["run", "--password", PASSWORD]}]}),
        ("apps/v1:Deployment", {"template": {"spec": POD}}),
        ("apps/v1:StatefulSet", {"template": {"spec": POD}}),
        ("apps/v1:DaemonSet", {"template": {"spec": POD}}),
        ("batch/v1:Job", {"template": {"spec": POD}}),
        ("batch/v1:CronJob", {"jobTemplate": {"spec": {"template": {"spec": POD}}}}),
    ],
)
def test_pods_show_what_their_containers_are_given(token, spec):
    assert len(exposed(f"kubernetes:{token}", {"spec": spec})) == 1
    referred = {"name": "a", "env": [{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {}}}]}
    assert not exposed("kubernetes:core/v1:Pod", {"spec": {"containers": [referred]}})


OF_OTHER_CLOUDS: list[tuple[str, dict[str, Any]]] = [
    ("gcp:cloudbuild/trigger:Trigger", {"build": {"steps": [{"envs": [f"TOKEN={TOKEN}"]}]}}),
    ("gcp:cloudbuild/trigger:Trigger", {"substitutions": {"_TOKEN": TOKEN}}),
    ("gcp:cloudscheduler/job:Job", {"httpTarget": {"headers": {"X-Token": TOKEN}}}),
    ("gcp:workbench/instance:Instance", {"gceSetup": {"metadata": {"token": TOKEN}}}),
    (
        "azure-native:batch:Pool",
        {"startTask": {"environmentSettings": [{"name": "TOKEN", "value": TOKEN}]}},
    ),
    (
        "azure-native:machinelearningservices:OnlineDeployment",
        {"properties": {"environmentVariables": {"TOKEN": TOKEN}}},
    ),
    ("azure-native:batch:Pool", {"startTask": {"commandLine": f"/bin/bash -c '{LINE}'"}}),
    (
        "azure-native:web:WebApp",
        {"siteConfig": {"appCommandLine": f"serve --password={PASSWORD}"}},
    ),
    ("azure-native:resources:AzureCliScript", {"scriptContent": LINE}),
    ("azure-native:storage:Blob", {"blobName": "start.sh", "source": {"text": LINE}}),
    ("aws:s3/bucketObjectv2:BucketObjectv2", {"key": "start.sh", "source": {"text": LINE}}),
    ("aws:s3/bucketObject:BucketObject", {"key": "start.sh", "source": {"text": LINE}}),
    (
        "azure-native:documentdb/v20230315preview:SqlResourceSqlTrigger",
        {"resource": {"body": LINE}},
    ),
    ("gcp:storage/bucketObject:BucketObject", {"name": "start.sh", "content": LINE}),
    ("gcp:storage/bucketObject:BucketObject", {"name": "start.sh", "source": {"text": LINE}}),
    (
        "gcp:parametermanager/parameterVersion:ParameterVersion",
        {"parameterData": json.dumps({"token": TOKEN})},
    ),
    ("azure-native:resources/v20231001:AzureCliScript", {"scriptContent": LINE}),
    ("azure-native:resources:Deployment", {"properties": {"parameters": {"p": {"value": TOKEN}}}}),
    ("gcp:compute/backendService:BackendService", {"iap": {"oauth2ClientSecret": PASSWORD_16}}),
    (
        "azure-native:containerservice:ManagedCluster",
        {"windowsProfile": {"adminUsername": "a", "adminPassword": PASSWORD}},
    ),
    (
        "azure-native:app:ContainerApp",
        {"configuration": {"secrets": [{"name": "db-password", "value": PASSWORD}]}},
    ),
    (
        "azure-native:containerinstance:ContainerGroup",
        {"imageRegistryCredentials": [{"server": "s", "username": "u", "password": PASSWORD}]},
    ),
]

KEPT: list[tuple[str, dict[str, Any]]] = [
    ("azure-native:compute:VirtualMachine", {"osProfile": {"adminPassword": PASSWORD}}),
    (
        "azure-native:app:ContainerApp",
        {
            "configuration": {
                "secrets": [{"name": "db-password", "keyVaultUrl": "https://v.vault.azure.net/x"}]
            }
        },
    ),
    ("gcp:compute/backendService:BackendService", {"iap": {"oauth2ClientSecret": UNKNOWN}}),
    (
        "gcp:compute/disk:Disk",
        {
            "diskEncryptionKey": {
                "kmsKeySelfLink": "projects/p/locations/l/keyRings/r/cryptoKeys/k"
            }
        },
    ),
    (
        "gcp:cloudscheduler/job:Job",
        {"httpTarget": {"oidcToken": {"serviceAccountEmail": "a@p.iam.gserviceaccount.com"}}},
    ),
    ("aws:ec2/instance:Instance", {"metadataOptions": {"httpTokens": "required"}}),
    ("aws:efs/fileSystem:FileSystem", {"creationToken": "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"}),
]


@pytest.mark.parametrize(("token", "inputs"), KEPT)
def test_what_names_a_secret_or_is_read_elsewhere_shows_none(token, inputs):
    assert not exposed(token, inputs)


@pytest.mark.parametrize(("token", "inputs"), OF_OTHER_CLOUDS)
def test_a_secret_in_a_text_of_another_cloud_is_found_once(token, inputs):
    (words,) = exposed(token, inputs)
    assert PASSWORD not in words
    assert TOKEN not in words


@pytest.mark.slow
def test_the_table_is_that_of_the_sdk():
    assert TABLE.read_text() == sdk_texts.table()


@pytest.mark.parametrize("depth", [300, 500, 700, 900, 100_000])
def test_definitions_of_any_depth_are_read_or_unknown(depth):
    deep = f"{'[' * depth}1{']' * depth}"
    definitions = f"[{json.dumps({'name': 'c', 'environment': ENV})}, {deep}]"
    assert exposed("aws:ecs/taskDefinition:TaskDefinition", {"containerDefinitions": definitions})
