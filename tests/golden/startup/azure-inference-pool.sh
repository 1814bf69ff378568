#!/usr/bin/env bash
# Start-up script written by gpuinfra. It may run again: every step overwrites or skips.
set -euo pipefail

retry() { # a fresh machine's network, package mirrors and role need a moment
  local try
  for try in 1 2 3 4 5 6; do
    if "$@"; then return 0; fi
    sleep $((try * 5))
  done
  echo "gpuinfra: gave up on: $*" >&2
  return 1
}

install_package() { # program, address of the deb, address of the rpm
  local program=$1 deb=$2 rpm=$3 folder
  if command -v "$program" >/dev/null; then return 0; fi
  folder=$(mktemp -d)
  if command -v apt-get >/dev/null; then
    retry curl -fsSL -o "$folder/package.deb" "$deb"
    retry apt-get -qq -o DPkg::Lock::Timeout=300 update
    retry env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq -y -o DPkg::Lock::Timeout=300 install "$folder/package.deb"
  elif command -v dnf >/dev/null; then
    retry dnf -q -y install "$rpm"
  else
    echo "gpuinfra: this image has neither apt-get nor dnf; put $program into it" >&2
    return 1
  fi
  rm -rf "$folder"
}

install -d -m 0755 /etc/gpuinfra /var/lib/gpuinfra

cat >/etc/gpuinfra/env <<'END'
GPUINFRA_WORKLOAD=chat
GPUINFRA_READER=docker.service
DATA_DIR=/data/data-tokens
DATA_DIR_DATA_TOKENS=/data/data-tokens
END

cat >/etc/profile.d/gpuinfra.sh <<'END'
set -a
. /etc/gpuinfra/env
set +a
END

cat >/etc/gpuinfra/identity <<'END'
0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f
END

cat >/etc/gpuinfra/agent.py <<'END'
"""The program on the machines, shipped as text by the start-up script; never imported.

Standard library only, and nothing newer than Python 3.10, that of Ubuntu 22.04.

    agent.py token RESOURCE        an access token of the machine's identity
    agent.py registry HOST         a token with which Docker logs in to an Azure registry
    agent.py peers NODES SECONDS   private addresses of the scale set's machines, the leader first
    agent.py metrics NAMESPACE LOAD MEMORY   the GPUs' figures as the scale set's metrics, forever
    agent.py events COMMAND …      runs the command when this machine is about to be taken away or
                                   restarted, and with `back` when that was called off
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

METADATA: Final = "http://169.254.169.254/metadata"
"""https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service"""

SLOWEST: Final = 150.0
"""Seconds: the first question for scheduled events takes up to two minutes."""

IDENTITY: Final = Path("/etc/gpuinfra/identity")
"""The client id of the workload's identity. Azure Policy may add others to a machine, and tokens
are then refused to a request that names none:
https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/managed-identities-faq
"""

MANAGEMENT: Final = "https://management.azure.com"
NETWORK_API: Final = "2018-10-01"
"""https://learn.microsoft.com/rest/api/virtualnetwork/network-interface-in-vm-ss"""

MONITORING: Final = "https://monitoring.azure.com/"
"""Whose tokens custom metrics want, slash and all:
https://learn.microsoft.com/azure/azure-monitor/metrics/metrics-store-custom-rest-api"""

SAMPLES: Final = 6
PAUSE: Final = 10.0
"""Six samples, ten seconds apart, make the figure of a minute, Azure Monitor's shortest grain."""

LOST: Final = frozenset({"Preempt", "Terminate"})
RESTARTED: Final = frozenset({"Reboot", "Redeploy"})
"""Events that end what runs on a machine. A reboot is announced 15 minutes ahead, a redeployment
10 minutes, or days where hardware is expected to fail:
https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events#event-scheduling"""

EVENTS: Final = "2020-07-01"
POLL: Final = 2.0
"""A preemption leaves 30 seconds: https://learn.microsoft.com/azure/virtual-machines/spot-vms"""

LEAD: Final = 120.0
"""Seconds before a restart at which the work is ended: to stop it and write what it saved."""

SMI: Final = (
    "nvidia-smi",
    "--query-gpu=utilization.gpu,memory.used,memory.total",
    "--format=csv,noheader,nounits",
)

_DIRECT: Final = build_opener(ProxyHandler({}))  # metadata answers no proxy
_OPENER: Final = build_opener()


def metadata(path: str, body: bytes | None = None, /, **query: str) -> Any:
    """Return a response of the metadata service; None for an empty one."""
    url = f"{METADATA}/{path}?{urlencode(query)}"
    headers = {"Metadata": "true"}
    request = Request(url, data=body, headers=headers)  # noqa: S310  a constant's scheme
    with _DIRECT.open(request, timeout=SLOWEST) as answer:
        text = answer.read()
    return json.loads(text) if text.strip() else None


def machine() -> Any:
    """Return the metadata of this machine: its name, location and scale set."""
    return metadata("instance/compute", **{"api-version": "2021-02-01"})


def token(resource: str) -> str:
    """Return an access token of the workload's identity."""
    client = IDENTITY.read_text(encoding="utf-8").strip()
    answer = metadata(
        "identity/oauth2/token",
        resource=resource,
        client_id=client,
        **{"api-version": "2018-02-01"},
    )
    return str(answer["access_token"])


def call(url: str, bearer: str = "", body: bytes | None = None, kind: str = "") -> Any:
    """Return the JSON response of a service; None for an empty response."""
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    if kind:
        headers["Content-Type"] = kind
    request = Request(url, data=body, headers=headers)  # noqa: S310  ours, and always https
    with _OPENER.open(request, timeout=60) as answer:
        text = answer.read()
    return json.loads(text) if text.strip() else None


def registry_token(host: str) -> str:
    """Return Docker's password for an Azure registry: https://aka.ms/acr/aad-oauth."""
    form = {
        "grant_type": "access_token",
        "service": host,
        "access_token": token(f"{MANAGEMENT}/"),
    }
    kind = "application/x-www-form-urlencoded"
    answer = call(f"https://{host}/oauth2/exchange", body=urlencode(form).encode(), kind=kind)
    return str(answer["refresh_token"])


def scale_set(about: Any) -> str:
    """Return the resource id of the machine's scale set."""
    return (
        f"/subscriptions/{about['subscriptionId']}/resourceGroups/{about['resourceGroupName']}"
        f"/providers/Microsoft.Compute/virtualMachineScaleSets/{about['vmScaleSetName']}"
    )


def interfaces(group: str, bearer: str) -> Iterator[Any]:
    """Yield the network interfaces of a uniform scale set's machines."""
    url = f"{MANAGEMENT}{group}/networkInterfaces?api-version={NETWORK_API}"
    while url:
        page = call(url, bearer)
        yield from page["value"]
        url = page.get("nextLink", "")


def addresses(interfaces: Iterable[Any]) -> list[str]:
    """Return the first private address of each machine, by ascending instance id."""
    by_machine = {
        int(interface["properties"]["virtualMachine"]["id"].rpartition("/")[2]): interface[
            "properties"
        ]["ipConfigurations"][0]["properties"]["privateIPAddress"]
        for interface in interfaces
        if interface["properties"].get("primary", True)
        and interface["properties"].get("virtualMachine")
    }
    return [by_machine[number] for number in sorted(by_machine)]


def peers(nodes: int, seconds: float) -> list[str]:
    """Return the addresses of `nodes` machines, as soon as all are running.

    A refusal is no reason to give up earlier: a new role takes minutes to be known everywhere.
    https://learn.microsoft.com/azure/role-based-access-control/troubleshooting

    Raises:
        SystemExit: they are not within the time.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            running = addresses(interfaces(scale_set(machine()), token(f"{MANAGEMENT}/")))
            state = f"{len(running)} of {nodes} machines are running"
        except OSError as error:
            running, state = [], f"the machines of the scale set can't be listed: {error}"
        if len(running) >= nodes:
            return running[:nodes]
        if time.monotonic() > deadline:
            raise SystemExit(f"gpuinfra-peers: {state}; giving up")
        time.sleep(PAUSE)


def sample(lines: Iterable[str]) -> Iterator[tuple[float, float]]:
    """Yield the load and memory use of each GPU, in percent, from nvidia-smi's lines.

    A GPU that is cut into parts (MIG) has no load, but `[N/A]`, and is left out.
    """
    for line in lines:
        cells = [cell.strip() for cell in line.split(",")]
        if all(cell.isdecimal() for cell in cells):
            load, used, total = (float(cell) for cell in cells)
            yield load, 100 * used / total


def figure(namespace: str, name: str, values: Sequence[float], now: float) -> dict[str, Any]:
    """Return a minute's values in Azure Monitor's format, aggregated."""
    series = {"min": min(values), "max": max(values), "sum": sum(values), "count": len(values)}
    base = {"metric": name, "namespace": namespace, "series": [series]}
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    return {"time": when, "data": {"baseData": base}}


def minute() -> list[tuple[float, float]]:
    """Return the samples of a minute, of all GPUs."""
    samples: list[tuple[float, float]] = []
    for _ in range(SAMPLES):
        run = subprocess.run(SMI, capture_output=True, text=True, check=True)  # noqa: S603
        samples += sample(run.stdout.splitlines())
        time.sleep(PAUSE)
    return samples


def push_metrics(namespace: str, *names: str) -> None:
    """Send load and memory metrics each minute, and go on when they can't be sent."""
    instance = machine()
    url = f"https://{instance['location']}.monitoring.azure.com{scale_set(instance)}/metrics"
    while True:
        samples = minute()
        if not samples:
            print("gpuinfra-metrics: no GPU reports its utilization", file=sys.stderr)  # noqa: T201
            continue
        try:
            bearer = token(MONITORING)
            for name, values in zip(names, zip(*samples, strict=True), strict=True):
                body = json.dumps(figure(namespace, name, values, time.time()))
                call(url, bearer, body.encode(), "application/json")
        except OSError as error:
            print(f"gpuinfra-metrics: not sent: {error}", file=sys.stderr)  # noqa: T201  the journal


def has_to_end(event: Any, name: str, now: float) -> bool:
    """Return whether the work of this machine has to end now because of an event.

    At once where the machine is taken away or its user waits for the restart, else shortly before.
    A restart that has begun is no reason: what asks is then the machine that is up again.
    """
    if name not in event["Resources"]:
        return False
    if event["EventType"] in LOST:
        return True
    if event["EventType"] not in RESTARTED or event["EventStatus"] != "Scheduled":
        return False
    start = event.get("NotBefore")
    soon = not start or parsedate_to_datetime(start).timestamp() - now <= LEAD
    return soon or event.get("EventSource") == "User"


def start_event(event: Any) -> None:
    """Tell Azure to start an event without further delay.

    https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events#start-an-event
    """
    body = json.dumps({"StartRequests": [{"EventId": event["EventId"]}]})
    metadata("scheduledevents", body.encode(), **{"api-version": EVENTS})


def watch(command: Sequence[str]) -> None:
    """Run the command before this machine is reclaimed or restarted, then start the event.

    An event of several machines is not started here: they may still be saving, and Azure starts it
    for all of them. Azure may call an event off; it is then no longer listed, and the work begins
    again. Azure tells of events only while it is asked, so the agent asks from the first boot on:
    https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events
    """
    name = str(machine()["name"])
    ended: Any = None
    started = False
    while True:
        try:
            events = metadata("scheduledevents", **{"api-version": EVENTS})["Events"]
            if ended and all(event["EventId"] != ended["EventId"] for event in events):
                subprocess.run([*command, "back"], check=True)  # noqa: S603  the script's own
                ended, started = None, False
            if not ended:
                ended = next(
                    (event for event in events if has_to_end(event, name, time.time())), None
                )
                if ended:
                    subprocess.run(command, check=True)  # noqa: S603  the start-up script's own
            if ended and not started and ended["Resources"] == [name]:
                start_event(ended)
                started = True
        except OSError as error:
            print(f"gpuinfra-events: scheduled events failed: {error}", file=sys.stderr)  # noqa: T201  the journal
        time.sleep(POLL)


def main(arguments: Sequence[str]) -> None:
    """Run the command that the first argument names."""
    verb, *verb_arguments = arguments
    if verb == "metrics":
        push_metrics(*verb_arguments)
    elif verb == "events":
        watch(verb_arguments)
    else:
        printed_by_verb = {
            "token": lambda: [token(verb_arguments[0])],
            "registry": lambda: [registry_token(verb_arguments[0])],
            "peers": lambda: peers(int(verb_arguments[0]), float(verb_arguments[1])),
        }
        print("\n".join(printed_by_verb[verb]()))  # noqa: T201  what it is asked for


if __name__ == "__main__":
    main(sys.argv[1:])
END

# Services that run beside the work for as long as the machine does.
run_always() { # service, what it does, arguments of the agent
  local service=$1 about=$2
  shift 2
  {
    printf '[Unit]\nDescription=%s\nWants=network-online.target\nAfter=network-online.target\n\n' \
      "$about"
    printf '[Service]\nExecStart=/usr/bin/env python3 /etc/gpuinfra/agent.py'
    printf ' %s' "$@"
    printf '\nRestart=on-failure\nRestartSec=10\n\n[Install]\nWantedBy=multi-user.target\n'
  } >"/etc/systemd/system/$service.service"
  systemctl daemon-reload
  systemctl enable --now "$service.service"
}

# Buckets as folders: a service each, so that they come back after a reboot or a crash. Their
# reader starts them, when all that the script writes is there: a mount waits for its role, which
# takes minutes to be known everywhere, and a script that waits here may end here.
mount_service() { # folder, bucket, then the command that mounts and returns
  local folder=$1 bucket=$2 service
  shift 2
  service=${folder#/}
  service=gpuinfra-mount-${service//\//-}
  mkdir -p "$folder"
  {
    echo '#!/usr/bin/env bash'
    printf 'until' # a failure here would fail its readers, which nothing starts again
    printf ' %q' "$@"
    printf '; do\n  if ((SECONDS > 1200)); then exit 1; fi\n  sleep 5\ndone\n'
  } >"/etc/gpuinfra/$service"
  chmod 0755 "/etc/gpuinfra/$service"
  cat >"/etc/systemd/system/$service.service" <<UNIT
[Unit]
Description=$bucket at $folder
Wants=network-online.target
After=network-online.target
Before=$reader

[Service]
Type=forking
TimeoutStartSec=1500
ExecStart=/etc/gpuinfra/$service
ExecStop=/usr/bin/env fusermount -u $folder
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
RequiredBy=$reader
UNIT
  systemctl daemon-reload
  systemctl enable "$service.service"
}

# Settings: https://github.com/Azure/azure-storage-fuse/blob/main/setup/baseConfig.yaml, with the
# block cache of Azure/ai-infrastructure-on-azure, examples/llm-foundry/slurm/blobfuse.template.yaml
add_microsoft_packages() { # the HPC images have them
  local folder
  . /etc/os-release
  if command -v apt-get >/dev/null; then
    if apt-cache show blobfuse2 >/dev/null 2>&1; then return 0; fi
    folder=$(mktemp -d)
    retry curl -fsSL -o "$folder/packages.deb" \
      "https://packages.microsoft.com/config/$ID/$VERSION_ID/packages-microsoft-prod.deb"
    dpkg -i "$folder/packages.deb"
    rm -rf "$folder"
  elif command -v dnf >/dev/null && ! dnf -q list blobfuse2 >/dev/null 2>&1; then
    retry rpm -U --replacepkgs \
      "https://packages.microsoft.com/config/rhel/${VERSION_ID%%.*}/packages-microsoft-prod.rpm"
  fi
}

install_blobfuse() {
  if command -v blobfuse2 >/dev/null; then return 0; fi
  add_microsoft_packages
  if command -v apt-get >/dev/null; then
    retry apt-get -qq -o DPkg::Lock::Timeout=300 update
    retry env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq -y -o DPkg::Lock::Timeout=300 install fuse3 blobfuse2
  elif command -v dnf >/dev/null; then
    retry dnf -q -y install fuse3 blobfuse2
  else
    echo "gpuinfra: this image has neither apt-get nor dnf; put blobfuse2 into it" >&2
    return 1
  fi
}

cache_megabytes() { # a sixteenth of the machine's memory, from 1 to 64 GiB
  awk '/^MemTotal:/ { size = int($2 / 16384)
    if (size < 1024) size = 1024
    if (size > 65536) size = 65536
    print size }' /proc/meminfo
}

mount_bucket() { # folder, account/container, prefix, read or write
  local folder=$1 account=${2%%/*} container=${2#*/} prefix=${3%/} mode=$4
  local config=${folder#/} memory prefetch attributes=7200 options=() client
  client=$(cat /etc/gpuinfra/identity)
  config=/etc/gpuinfra/blobfuse-${config//\//-}.yaml
  memory=$(cache_megabytes)
  prefetch=$((memory / 32 < 80 ? memory / 32 : 80)) # blocks that the cache has to hold at once
  if [[ $mode == write ]]; then
    attributes=5 # other machines write too, and their files are to be seen soon
  else
    options+=(--read-only)
  fi
  cat >"$config" <<CONFIG
allow-other: true
logging:
  type: syslog
  level: log_warning
components:
  - libfuse
  - block_cache
  - attr_cache
  - azstorage
libfuse:
  attribute-expiration-sec: $((attributes < 120 ? attributes : 120))
  entry-expiration-sec: $((attributes < 120 ? attributes : 120))
  negative-entry-expiration-sec: $((attributes < 240 ? attributes : 240))
block_cache:
  block-size-mb: 32
  mem-size-mb: $memory
  prefetch: $prefetch
  parallelism: 128
attr_cache:
  timeout-sec: $attributes
azstorage:
  type: block
  mode: msi
  appid: $client
  account-name: $account
  container: $container
CONFIG
  if [[ -n $prefix ]]; then printf '  subdirectory: "%s"\n' "$prefix" >>"$config"; fi
  mount_service "$folder" "$account/$container" \
    blobfuse2 mount "$folder" --config-file="$config" "${options[@]}"
}

install_blobfuse

reader=docker.service
mount_bucket /data/data-tokens llamadata0a1b2c/data tokens/ read

METRICS=(gpuinfra gpu_utilization gpu_memory)

# GPU load and memory as the scale set's own metrics, which its autoscale setting follows.
run_always gpuinfra-metrics 'gpuinfra GPU metrics' metrics "${METRICS[@]}"

# Before the machine is taken away (a spot machine has thirty seconds) or restarted: end the work,
# then flush what it wrote. `back` begins the work again, when Azure called that off.
cat >/usr/local/bin/gpuinfra-leave <<'LEAVE'
#!/usr/bin/env bash
set -uo pipefail
. /etc/gpuinfra/env
if [[ ${1:-} == back ]]; then
  echo 'gpuinfra: Azure leaves this machine running after all; the work begins again'
  for unit in /etc/systemd/system/gpuinfra-mount-*.service; do
    if [[ -e $unit ]]; then systemctl start "$(basename "$unit")"; fi
  done
  if systemctl cat "$GPUINFRA_READER" >/dev/null 2>&1; then systemctl start "$GPUINFRA_READER"; fi
  exit
fi
echo 'gpuinfra: Azure takes this machine away or restarts it; ending the work'
timeout 20 systemctl stop "$GPUINFRA_READER"
for unit in /etc/systemd/system/gpuinfra-mount-*.service; do
  if [[ -e $unit ]]; then systemctl stop "$(basename "$unit")"; fi
done
LEAVE
chmod 0755 /usr/local/bin/gpuinfra-leave
run_always gpuinfra-events 'gpuinfra scheduled events' events /usr/local/bin/gpuinfra-leave

units=()
for unit in /etc/systemd/system/gpuinfra-mount-*.service; do units+=("${unit##*/}"); done
systemctl start "${units[@]}"

IMAGE=vllm/vllm-openai:v0.11.0
PORT=8000
REGISTRY=''
OPTIONS=("--volume=/data:/data:ro,rslave" "--env=DATA_DIR=/data/data-tokens" "--env=DATA_DIR_DATA_TOKENS=/data/data-tokens")

retry_access() { # twenty minutes: a new role may take ten to be known everywhere
  local try
  for ((try = 1; try <= 44; try++)); do
    if "$@"; then return 0; fi
    sleep $((try < 6 ? try * 5 : 30))
  done
  echo "gpuinfra: gave up on: $*" >&2
  return 1
}

# The container that answers requests; Docker starts it again after a crash or a reboot.
systemctl enable --now docker
log_in() {
  local password
  password=$(python3 /etc/gpuinfra/agent.py registry "$REGISTRY")
  docker login --username 00000000-0000-0000-0000-000000000000 --password-stdin "$REGISTRY" \
    <<<"$password"
}
if [[ -n $REGISTRY ]]; then retry_access log_in; fi
retry_access docker pull --quiet "$IMAGE"
docker rm --force gpuinfra-server 2>/dev/null || true
docker run --detach --name gpuinfra-server --restart always --gpus all --shm-size 16g \
  --publish "$PORT:$PORT" "${OPTIONS[@]}" "$IMAGE"

touch /var/lib/gpuinfra/started
