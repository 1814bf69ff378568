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
DATA_DIR=/data/data-tokens
DATA_DIR_DATA_TOKENS=/data/data-tokens
END

cat >/etc/profile.d/gpuinfra.sh <<'END'
set -a
. /etc/gpuinfra/env
set +a
END

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

# Flags: https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md
case $(uname -m) in aarch64) machine=arm64 ;; *) machine=x86_64 ;; esac
install_package mount-s3 \
  "https://s3.amazonaws.com/mountpoint-s3-release/latest/$machine/mount-s3.deb" \
  "https://s3.amazonaws.com/mountpoint-s3-release/latest/$machine/mount-s3.rpm"

mount_bucket() { # folder, bucket, prefix, read or write
  local folder=$1 bucket=$2 prefix=$3 mode=$4 options=(--allow-other) cached=()
  if [[ -n $prefix ]]; then options+=(--prefix "$prefix"); fi
  if [[ $mode == write ]]; then
    # 10,000 parts make an object; with 64 MiB it ends at 625 GiB, by default at 78 GiB.
    options+=(--allow-delete --allow-overwrite --write-part-size "${WRITE_PART_SIZE:-67108864}")
    options+=(--dir-mode 0777 --file-mode 0666)
  else
    options+=(--read-only)
    # A cache of their own each, as two mounts must not share one.
    if [[ -x /usr/local/bin/gpuinfra-cached ]]; then
      cached=(gpuinfra-cached "${folder//\//_}")
    fi
  fi
  mount_service "$folder" "$bucket" "${cached[@]}" mount-s3 "$bucket" "$folder" "${options[@]}"
}

reader=docker.service
mount_bucket /data/data-tokens llama-data-0a1b2c3d4e5f tokens/ read

cat >/etc/gpuinfra/cloudwatch-agent.json <<'END'
{
 "agent": {
  "metrics_collection_interval": 60,
  "run_as_user": "root"
 },
 "metrics": {
  "namespace": "CWAgent",
  "append_dimensions": {
   "AutoScalingGroupName": "${aws:AutoScalingGroupName}"
  },
  "aggregation_dimensions": [
   [
    "AutoScalingGroupName"
   ]
  ],
  "metrics_collected": {
   "nvidia_gpu": {
    "measurement": [
     "utilization_gpu",
     "memory_used",
     "memory_total"
    ]
   },
   "statsd": {
    "service_address": "127.0.0.1:8125",
    "metrics_collection_interval": 60,
    "metrics_aggregation_interval": 60
   }
  }
 }
}
END

# GPU metrics, to CloudWatch.
agent=/opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl
case $(uname -m) in aarch64) machine=arm64 ;; *) machine=amd64 ;; esac
install_package "$agent" \
  "https://amazoncloudwatch-agent.s3.amazonaws.com/ubuntu/$machine/latest/amazon-cloudwatch-agent.deb" \
  "https://amazoncloudwatch-agent.s3.amazonaws.com/amazon_linux/$machine/latest/amazon-cloudwatch-agent.rpm"
"$agent" -a fetch-config -m ec2 -s -c file:/etc/gpuinfra/cloudwatch-agent.json

cat >/etc/gpuinfra/errors <<'END'
XID_ERRORS=gpuinfra_xid_errors
ECC_ERRORS=gpuinfra_ecc_errors
ERRORS_PORT=8125
TAGS=''
END

cat >/usr/local/bin/gpuinfra-gpu-errors <<'ERRORS'
#!/usr/bin/env bash
# Tells the CloudWatch agent how many GPU errors came since the last time; it has no such figures.
set -euo pipefail
. /etc/gpuinfra/errors
xids=$(journalctl --dmesg --quiet --no-pager --output cat \
  --cursor-file /var/lib/gpuinfra/errors.cursor | grep -c 'NVRM: Xid' || true)
send() { printf '%s:%s|c%s\n' "$1" "$2" "$TAGS" >"/dev/udp/127.0.0.1/$ERRORS_PORT"; }
# Before anything can fail: the journal shows them once. A GPU that is lost fails nvidia-smi, too.
send "$XID_ERRORS" "$xids"
if ! counts=$(timeout --kill-after=5 30 nvidia-smi \
  --query-gpu=ecc.errors.uncorrected.volatile.total --format=csv,noheader,nounits 2>&1); then
  echo "nvidia-smi failed, which counts as an error of the GPU driver: $counts" >&2
  send "$XID_ERRORS" 1
  exit 0
fi
# Counted since the driver was loaded; [N/A] of a GPU without ECC adds nothing.
total=$(awk '{sum += $1} END {print sum + 0}' <<<"$counts")
before=$(cat /run/gpuinfra-ecc 2>/dev/null || echo 0)
echo "$total" >/run/gpuinfra-ecc
new=$((total >= before ? total - before : total))
send "$ECC_ERRORS" "$new"
ERRORS

cat >/etc/systemd/system/gpuinfra-gpu-errors.service <<'UNIT'
[Unit]
Description=Counts GPU errors

[Service]
Type=oneshot
ExecStart=/usr/local/bin/gpuinfra-gpu-errors
UNIT

cat >/etc/systemd/system/gpuinfra-gpu-errors.timer <<'UNIT'
[Unit]
Description=Counts GPU errors every minute

[Timer]
OnActiveSec=1min
OnUnitActiveSec=1min
AccuracySec=1s

[Install]
WantedBy=timers.target
UNIT

chmod 0755 /usr/local/bin/gpuinfra-gpu-errors
systemctl daemon-reload
systemctl enable --now gpuinfra-gpu-errors.timer

EXPORTER=nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless
EXPORTER_PORT=9400

# GPU metrics for Prometheus.
cat >/etc/systemd/system/gpuinfra-exporter.service <<UNIT
[Unit]
Description=GPU metrics for Prometheus
Wants=network-online.target
After=network-online.target docker.service
Requires=docker.service

[Service]
ExecStartPre=-/usr/bin/docker rm --force gpuinfra-exporter
ExecStart=/usr/bin/docker run --rm --name gpuinfra-exporter --gpus all --cap-add SYS_ADMIN \\
  --publish $EXPORTER_PORT:9400 $EXPORTER
ExecStop=/usr/bin/docker stop gpuinfra-exporter
TimeoutStartSec=900
Restart=always
RestartSec=30

[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable gpuinfra-exporter.service
systemctl restart --no-block gpuinfra-exporter.service

cat >/etc/gpuinfra/leave <<'END'
TARGETS=arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/chat-0a1b2c/6d0ecf831eec9f09
END

cat >/usr/local/bin/gpuinfra-leave <<'LEAVE'
#!/usr/bin/env bash
# Takes a spot machine out of its load balancer once AWS says that it takes the machine away, two
# minutes before. Requests that it has by then are answered; without this, new ones would be sent
# to it until its health checks fail.
set -euo pipefail
. /etc/gpuinfra/leave
service=http://169.254.169.254/latest
ask_metadata() {
  curl -fs --max-time 2 -H "X-aws-ec2-metadata-token: $token" "$service/meta-data/$1"
}
until token=$(curl -fs --max-time 2 -X PUT "$service/api/token" \
  -H 'X-aws-ec2-metadata-token-ttl-seconds: 60') && ask_metadata spot/instance-action; do
  sleep 5
done
self=$(ask_metadata instance-id)
timeout 20 aws elbv2 deregister-targets --region "$(cut -d: -f4 <<<"$TARGETS")" \
  --target-group-arn "$TARGETS" --targets "Id=$self"
LEAVE

cat >/etc/systemd/system/gpuinfra-leave.service <<'UNIT'
[Unit]
Description=Leaves the load balancer before a spot interruption
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/local/bin/gpuinfra-leave
Restart=on-failure
RestartSec=2

[Install]
WantedBy=multi-user.target
UNIT

chmod 0755 /usr/local/bin/gpuinfra-leave
systemctl daemon-reload
systemctl enable --now gpuinfra-leave.service

units=()
for unit in /etc/systemd/system/gpuinfra-mount-*.service; do units+=("${unit##*/}"); done
systemctl start "${units[@]}"

IMAGE=vllm/vllm-openai:v0.11.0
PORT=8000
REGISTRY=''
REGISTRY_REGION=''
OPTIONS=("--volume=/data:/data:ro,rslave" "--env=DATA_DIR=/data/data-tokens" "--env=DATA_DIR_DATA_TOKENS=/data/data-tokens")

# The container that answers requests; Docker starts it again after a crash or a reboot.
systemctl enable --now docker
if [[ -n $REGISTRY ]]; then
  retry bash -o pipefail -c "aws ecr get-login-password --region '$REGISTRY_REGION' |
    docker login --username AWS --password-stdin '$REGISTRY'"
fi
retry docker pull --quiet "$IMAGE"
docker rm --force gpuinfra-server 2>/dev/null || true
docker run --detach --name gpuinfra-server --restart always --gpus all --shm-size 16g \
  --publish "$PORT:$PORT" "${OPTIONS[@]}" "$IMAGE"

touch /var/lib/gpuinfra/started
