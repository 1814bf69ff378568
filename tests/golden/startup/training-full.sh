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
GPUINFRA_WORKLOAD=trainer
GPUINFRA_REGION=us-east-1
GPUINFRA_NODES=4
GPUINFRA_GPUS=8
NCCL_SHM_USE_CUDA_MEMCPY=1
DATA_DIR=/data/data-tokens
DATA_DIR_DATA_TOKENS=/data/data-tokens
CHECKPOINT_DIR=/checkpoints
CHECKPOINT_URI=s3://llama-data-0a1b2c3d4e5f/checkpoints/
CHECKPOINT_EVERY_SECONDS=600
GPUINFRA_STACK=llama
NCCL_SOCKET_IFNAME='^lo,docker,veth'
END

cat >/etc/profile.d/gpuinfra.sh <<'END'
set -a
. /etc/gpuinfra/env
set +a
END

install_named() { # a package of the image's own repositories
  if command -v apt-get >/dev/null; then
    retry apt-get -qq -o DPkg::Lock::Timeout=300 update
    retry env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq -y -o DPkg::Lock::Timeout=300 install "$1"
  else
    retry dnf -q -y install "$1"
  fi
}

# NVMe disks of the machine's own as one folder, /local: fast, and empty after a stop. Their
# controller encrypts what lies on them:
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/data-protection.html#encryption-rest
cat >/usr/local/bin/gpuinfra-local-disks <<'DISKS'
#!/usr/bin/env bash
# Joins the local disks and mounts them at /local, at every boot.
set -euo pipefail
image=/opt/dlami/nvme # where AWS's deep learning images mount them by themselves
for unit in $(systemctl list-unit-files --no-legend 'dlami-nvme*.service' | awk '{print $1}'); do
  systemctl start "$unit" || true
done
if mountpoint -q "$image"; then
  rmdir /local 2>/dev/null || true
  ln -sfn "$image" /local
else
  mapfile -t disks < <(lsblk -dpno NAME,MODEL |
    awk '/Amazon EC2 NVMe Instance Storage/ {print $1}' | sort)
  if ((${#disks[@]} == 0)); then
    echo "gpuinfra-local-disks: this machine has no disks of its own"
    exit 0
  fi
  mkdir -p /local
  if ! mountpoint -q /local; then
    device=${disks[0]}
    if ((${#disks[@]} > 1)); then
      # After a reboot the kernel has joined them already, under a name of its own.
      device=$(lsblk -nrpo NAME,TYPE "${disks[0]}" | awk '$2 == "raid0" && !found++ {print $1}')
      if [[ -z $device ]]; then
        device=/dev/md/gpuinfra
        mdadm --assemble "$device" "${disks[@]}" 2>/dev/null ||
          mdadm --create "$device" --run --force --level=0 --name=gpuinfra \
            --raid-devices="${#disks[@]}" "${disks[@]}"
      fi
    fi
    if ! blkid "$device" >/dev/null; then
      mkfs.ext4 -q -m 0 -E nodiscard "$device"
    fi
    mount -o noatime,nosuid,nodev "$device" /local
  fi
  chmod 1777 /local
fi
install -d -m 0700 /local/cache
DISKS

cat >/usr/local/bin/gpuinfra-cached <<'CACHED'
#!/usr/bin/env bash
# Runs a mount of a bucket with a cache of its own on the local disks, where there are some.
set -euo pipefail
name=$1
shift
if mountpoint -q "$(readlink -f /local)"; then
  install -d -m 0700 "/local/cache/$name"
  set -- "$@" --cache "/local/cache/$name"
fi
exec "$@"
CACHED

cat >/etc/systemd/system/gpuinfra-local-disks.service <<'UNIT'
[Unit]
Description=The machine's own disks at /local
After=local-fs.target dlami-nvme.service
Before=docker.service gpuinfra-job.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/bin/gpuinfra-local-disks

[Install]
WantedBy=multi-user.target
UNIT

# Of all mounts of buckets, which may have their caches there.
install -d -m 0755 /etc/systemd/system/gpuinfra-mount-.service.d
cat >/etc/systemd/system/gpuinfra-mount-.service.d/disks.conf <<'UNIT'
[Unit]
After=gpuinfra-local-disks.service
UNIT

chmod 0755 /usr/local/bin/gpuinfra-local-disks /usr/local/bin/gpuinfra-cached
if ! command -v mdadm >/dev/null; then install_named mdadm; fi
systemctl daemon-reload
systemctl enable gpuinfra-local-disks.service
systemctl restart gpuinfra-local-disks.service ||
  echo "gpuinfra: there is no /local: journalctl -u gpuinfra-local-disks" >&2

WRITE_PART_SIZE=100663296

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

reader=gpuinfra-job.service
mount_bucket /data/data-tokens llama-data-0a1b2c3d4e5f tokens/ read
mount_bucket /checkpoints llama-data-0a1b2c3d4e5f checkpoints/ write

LUSTRE_DNS=fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com
LUSTRE_NAME=abcdefgh
LUSTRE_EFA=yes

# The parallel file system at /shared:
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/install-lustre-client.html
if ! command -v lfs >/dev/null; then
  if command -v apt-get >/dev/null; then
    keys=/usr/share/keyrings/fsx-ubuntu-public-key.gpg
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    retry curl -fsSL -o /etc/gpuinfra/fsx.asc \
      https://fsx-lustre-client-repo-public-keys.s3.amazonaws.com/fsx-ubuntu-public-key.asc
    gpg --batch --yes --dearmor -o "$keys" /etc/gpuinfra/fsx.asc
    echo "deb [signed-by=$keys] https://fsx-lustre-client-repo.s3.amazonaws.com/ubuntu $release main" \
      >/etc/apt/sources.list.d/fsxlustreclientrepo.list
    if ! install_named "lustre-client-modules-$(uname -r)"; then
      echo "gpuinfra: there is no Lustre client for the kernel $(uname -r) of this image;" \
        "name one that has it with machine_image" >&2
      exit 1
    fi
  else
    install_named lustre-client
  fi
fi

if [[ $LUSTRE_EFA == yes ]]; then
  # https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html
  if [[ ! -e /etc/gpuinfra/lustre-efa ]]; then
    folder=$(mktemp -d)
    guide=https://docs.aws.amazon.com/fsx/latest/LustreGuide/samples
    if retry curl -fsSL -o "$folder/client.zip" "$guide/configure-efa-fsx-lustre-client.zip" &&
      python3 -m zipfile -e "$folder/client.zip" "$folder" &&
      (cd "$folder/configure-efa-fsx-lustre-client" && bash ./setup.sh); then
      touch /etc/gpuinfra/lustre-efa
    else
      echo "gpuinfra: /shared goes over TCP: its client would not take EFA" >&2
    fi
    rm -rf "$folder"
  fi
fi

mkdir -p /shared /etc/systemd/system/gpuinfra-job.service.d
sed -i '\|[[:space:]]/shared[[:space:]]|d' /etc/fstab
echo "$LUSTRE_DNS@tcp:/$LUSTRE_NAME /shared lustre noatime,flock,_netdev,nosuid,nodev 0 0" >>/etc/fstab
cat >/etc/systemd/system/gpuinfra-job.service.d/shared.conf <<'UNIT'
[Unit]
RequiresMountsFor=/shared
UNIT
systemctl daemon-reload
if ! mountpoint -q /shared; then
  retry mount /shared
  chmod 1777 /shared
fi
# Small files on one server, large ones over many; of files that come from now on:
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance-tips.html#striping-pfl
lfs setstripe -E 100M -c 1 -E 10G -c 8 -E 100G -c 16 -E -1 -c 32 /shared ||
  echo "gpuinfra: /shared keeps its own striping" >&2

# Jobs lock memory for the fabric and for pinned buffers.
cat >/etc/security/limits.d/90-gpuinfra.conf <<'LIMITS'
* soft memlock unlimited
* hard memlock unlimited
LIMITS

# The same for services; containers get it from gpuinfra-docker-run.
install -d -m 0755 /etc/systemd/system.conf.d
cat >/etc/systemd/system.conf.d/90-gpuinfra.conf <<'LIMITS'
[Manager]
DefaultLimitMEMLOCK=infinity
LIMITS
systemctl daemon-reexec

# Memory that EFA registers in large pages, as many as its installer sets aside:
# https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
if (($(sysctl -n vm.nr_hugepages) < 5128)); then
  echo vm.nr_hugepages=5128 >/etc/sysctl.d/90-gpuinfra.conf
  sysctl -q -p /etc/sysctl.d/90-gpuinfra.conf
fi

cat >/usr/local/bin/gpuinfra-peers <<'PEERS'
#!/usr/bin/env bash
# Private addresses of all machines of this group, the leader (lowest instance id) first.
set -euo pipefail
. /etc/gpuinfra/env
fit=()
if [[ -e /etc/gpuinfra/preflight ]]; then
  if ! grep -qs '"passed": true' /var/lib/gpuinfra/preflight.json; then
    echo "gpuinfra-peers: this machine is not fit: /var/lib/gpuinfra/preflight.json" >&2
    exit 1
  fi
  fit=("Name=tag:gpuinfra:preflight,Values=passed")
fi
if [[ $GPUINFRA_NODES == 1 ]]; then
  echo 127.0.0.1
  exit
fi
token=$(curl -fsS -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' \
  http://169.254.169.254/latest/api/token)
self=$(curl -fsS -H "X-aws-ec2-metadata-token: $token" \
  http://169.254.169.254/latest/meta-data/instance-id)
# What launched this machine launched its peers: a scaling group or a fleet.
read -r tag group < <(aws ec2 describe-instances --region "$GPUINFRA_REGION" \
  --instance-ids "$self" --output text --query "Reservations[].Instances[].Tags[] |
    [?Key=='aws:autoscaling:groupName' || Key=='aws:ec2:fleet-id'].[Key,Value]" | sort) || {
  echo "gpuinfra-peers: neither a scaling group nor a fleet launched this machine" >&2
  exit 1
}
deadline=$((SECONDS + ${GPUINFRA_WAIT:-1800}))
while true; do
  peers=$(aws ec2 describe-instances --region "$GPUINFRA_REGION" \
    --filters "Name=tag:$tag,Values=$group" \
    "Name=tag:gpuinfra:workload,Values=$GPUINFRA_WORKLOAD" "${fit[@]}" \
    Name=instance-state-name,Values=running \
    --query 'Reservations[].Instances[].[InstanceId,PrivateIpAddress]' --output text |
    sort | awk '{print $2}')
  if [[ $(wc -w <<<"$peers") -ge $GPUINFRA_NODES ]]; then break; fi
  if ((SECONDS > deadline)); then
    echo "gpuinfra-peers: $(wc -w <<<"$peers") of $GPUINFRA_NODES machines run; giving up" >&2
    exit 1
  fi
  sleep 10
done
head -n "$GPUINFRA_NODES" <<<"$peers"
PEERS

cat >/usr/local/bin/gpuinfra-torchrun <<'TORCHRUN'
#!/usr/bin/env bash
# torchrun with this group's rendezvous: run the same line on every machine.
set -euo pipefail
set -a
. /etc/gpuinfra/env
set +a
peers=$(gpuinfra-peers)
MASTER_ADDR=$(head -n 1 <<<"$peers")
MASTER_PORT=${MASTER_PORT:-29500}
export MASTER_ADDR MASTER_PORT
# The PyTorch images keep torchrun in an environment of their own.
PATH=$PATH:/opt/pytorch/bin
exec torchrun --nnodes="$GPUINFRA_NODES" --nproc-per-node="$GPUINFRA_GPUS" \
  --rdzv-backend=c10d --rdzv-endpoint="$MASTER_ADDR:$MASTER_PORT" \
  --rdzv-id="$GPUINFRA_WORKLOAD" "$@"
TORCHRUN

chmod 0755 /usr/local/bin/gpuinfra-peers /usr/local/bin/gpuinfra-torchrun

cat >/usr/local/bin/gpuinfra-docker-run <<'DOCKER'
#!/usr/bin/env bash
# docker run as a training job wants it: gpuinfra-docker-run [options] image [command]. All GPUs,
# the fabric's devices, locked memory, half of the memory to share, the host's network, the
# folders and variables of the run, and where it meets: MASTER_ADDR and MASTER_PORT.
set -euo pipefail
set -a
. /etc/gpuinfra/env
set +a
peers=$(gpuinfra-peers)
MASTER_ADDR=$(head -n 1 <<<"$peers")
MASTER_PORT=${MASTER_PORT:-29500}
export MASTER_ADDR MASTER_PORT
options=(--rm --network host --ulimit memlock=-1 --ulimit stack=67108864)
options+=(--shm-size "$(awk '/^MemTotal:/ {printf "%dk", $2 / 2}' /proc/meminfo)")
if compgen -G '/dev/nvidia[0-9]*' >/dev/null; then options+=(--gpus all); fi
for device in /dev/infiniband/* /dev/gdrdrv /dev/neuron[0-9]*; do
  if [[ -c $device ]]; then options+=(--device "$device"); fi
done
for folder in /data /checkpoints /shared /run/gpuinfra; do
  if [[ -d $folder ]]; then options+=(--volume "$folder:$folder:rslave"); fi
done
if [[ -d /local ]]; then options+=(--volume "$(readlink -f /local):/local"); fi
for name in $(cut -d = -f 1 /etc/gpuinfra/env) MASTER_ADDR MASTER_PORT; do
  options+=(--env "$name")
done
exec docker run "${options[@]}" "$@"
DOCKER

chmod 0755 /usr/local/bin/gpuinfra-docker-run

cat >/etc/gpuinfra/cloudwatch-agent.json <<'END'
{
 "agent": {
  "metrics_collection_interval": 60,
  "run_as_user": "root"
 },
 "metrics": {
  "namespace": "CWAgent",
  "aggregation_dimensions": [
   [
    "Stack",
    "Workload"
   ]
  ],
  "metrics_collected": {
   "nvidia_gpu": {
    "measurement": [
     "utilization_gpu",
     "memory_used",
     "memory_total"
    ],
    "append_dimensions": {
     "Stack": "llama",
     "Workload": "trainer"
    },
    "drop_original_metrics": [
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
TAGS='|#Stack:llama,Workload:trainer'
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

cat >/etc/gpuinfra/preflight <<'END'
ACCELERATOR=nvidia
DEVICES=8
NVLINK=all
EFA=32
DRIVER=570
XIDS='48 64 74 79 95 119 120 140'
END

cat >/usr/local/bin/gpuinfra-preflight <<'PREFLIGHT'
#!/usr/bin/env bash
# Is this machine fit for the run? Says so in /var/lib/gpuinfra/preflight.json, and on the
# machine's tag, by which its peers find it.
set -euo pipefail
. /etc/gpuinfra/env
. /etc/gpuinfra/preflight
PATH=$PATH:/opt/amazon/efa/bin:/opt/aws/neuron/bin
report=/var/lib/gpuinfra/preflight.json
rm -f "$report" # what an earlier boot found out
faults=() unknown=()
replace=no # whether another machine would do better

fault() {
  echo "gpuinfra-preflight: $1" >&2
  faults+=("$1")
}

broken() {
  fault "$1"
  replace=yes
}

smi() { # a broken GPU may never answer
  timeout 120 nvidia-smi "$@"
}

nvidia() {
  local gpus driver wrong
  if ! gpus=$(smi --list-gpus 2>&1); then
    broken "nvidia-smi fails: $(head -n 1 <<<"$gpus")"
    return
  fi
  count=$(grep -c '^GPU [0-9]' <<<"$gpus" || true)
  if ((count != DEVICES)); then broken "$count GPUs, where the machine has $DEVICES"; fi
  driver=$(smi --query-gpu=driver_version --format=csv,noheader | sed -n 1p) ||
    unknown+=("the driver's version")
  if [[ -n $DRIVER && -n $driver && $(printf '%s\n' "$DRIVER" "$driver" | sort -V | sed -n 1p) != "$DRIVER" ]]; then
    fault "driver $driver, where the job needs $DRIVER; another image has it"
  fi
  wrong=$(unlinked) || unknown+=("NVLink")
  if [[ -n $wrong ]]; then broken "no NVLink between $wrong"; fi
  # Where a GPU has no ECC, or another way to take memory out, the answer is [N/A].
  if wrong=$(smi --format=csv,noheader,nounits \
    --query-gpu=index,ecc.errors.uncorrected.volatile.total,retired_pages.pending |
    awk -F ', *' '$2 + 0 > 0 {print "GPU " $1 ": " $2 " uncorrectable memory errors"}
      $3 == "Yes" {print "GPU " $1 ": memory pages wait to be retired"}'); then
    if [[ -n $wrong ]]; then broken "${wrong//$'\n'/; }"; fi
  else
    unknown+=("memory errors")
  fi
  if wrong=$(smi --format=csv,noheader,nounits \
    --query-remapped-rows=gpu_uuid,remapped_rows.pending,remapped_rows.failure |
    awk -F ', *' '$2 + 0 > 0 || $2 == "Yes" {print $1 ": memory rows wait to be remapped"}
      $3 + 0 > 0 || $3 == "Yes" {print $1 ": a memory row could not be remapped"}'); then
    if [[ -n $wrong ]]; then broken "${wrong//$'\n'/; }"; fi
  else
    unknown+=("remapped memory rows")
  fi
  wrong=$(journalctl --dmesg --boot --quiet --no-pager --output cat |
    sed -nE 's/.*NVRM: Xid \([^)]*\): ([0-9]+),.*/\1/p' | sort -un |
    grep -xE "${XIDS// /|}" | tr '\n' ' ' || true)
  if [[ -n $wrong ]]; then broken "the driver reports a broken GPU: Xid ${wrong% }"; fi
}

unlinked() { # pairs of GPUs without the NVLink that the machine has
  [[ $NVLINK != none ]] || return 0
  smi topo -m | sed 's/\x1b\[[0-9;]*m//g' | awk -v gpus="$DEVICES" -v wanted="$NVLINK" '
    /^GPU[0-9]/ {
      linked = 0
      for (other = 0; other < gpus; other++) {
        if ($(other + 2) ~ /^NV[0-9]+$/) linked++
        else if (wanted == "all" && other > substr($1, 4) + 0)
          missing = missing ", " $1 " and GPU" other
      }
      if (wanted == "some" && !linked) missing = missing ", " $1 " and any other"
    }
    END {print substr(missing, 3, 200)}'
}

neuron() {
  count=$(timeout 120 neuron-ls --json-output 2>/dev/null | grep -o '"neuron_device"' |
    wc -l || true)
  if ((count != DEVICES)); then
    broken "$count Neuron devices, where the machine has $DEVICES"
  fi
}

fabric() {
  if command -v fi_info >/dev/null; then
    efa=$(fi_info -p efa -t FI_EP_RDM 2>/dev/null | awk '/^ *domain:/ {print $2}' |
      sort -u | wc -l || true)
  else
    efa=$(find /sys/class/infiniband -mindepth 1 -maxdepth 1 2>/dev/null | wc -l || true)
  fi
  if ((efa < EFA)); then broken "$efa EFA devices, where the machine has $EFA"; fi
}

listed() { # JSON texts
  local each between=
  for each in "$@"; do
    each=${each//\\/\\\\}
    each=${each//\"/\\\"}
    printf '%s"%s"' "$between" "${each//[[:cntrl:]]/ }"
    between=', '
  done
}

instance() {
  local token
  token=$(curl -fsS -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' \
    http://169.254.169.254/latest/api/token)
  curl -fsS -H "X-aws-ec2-metadata-token: $token" \
    http://169.254.169.254/latest/meta-data/instance-id
}

again() { # a fresh machine's role needs a moment
  local try
  for try in 1 2 3 4 5 6; do
    if "$@"; then return 0; fi
    sleep $((try * 5))
  done
  return 1
}

marked() { # passed or failed: peers count only machines that passed
  if ((GPUINFRA_NODES == 1)); then return 0; fi
  again aws ec2 create-tags --region "$GPUINFRA_REGION" --resources "$self" \
    --tags "Key=gpuinfra:preflight,Value=$1"
}

count=0 efa=0
if [[ $ACCELERATOR == nvidia ]]; then nvidia; fi
if [[ $ACCELERATOR == neuron ]]; then neuron; fi
if ((EFA > 0)); then fabric; fi
passed=true
if ((${#faults[@]} > 0)); then passed=false; fi
printf '{"passed": %s, "time": "%s", "devices": %s, "efa": %s, "faults": [%s], "unknown": [%s]}\n' \
  "$passed" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$count" "$efa" \
  "$(listed "${faults[@]}")" "$(listed "${unknown[@]}")" >"$report.new"
mv "$report.new" "$report"
self=$(instance)
if [[ $passed == true ]]; then
  marked passed
  echo "gpuinfra-preflight: fit"
  exit 0
fi
marked failed || true
if [[ $replace == yes ]]; then
  # A group that may replace machines does; one that may not keeps it, out of the run.
  again aws autoscaling set-instance-health --region "$GPUINFRA_REGION" --instance-id "$self" \
    --health-status Unhealthy --no-should-respect-grace-period ||
    echo "gpuinfra-preflight: no scaling group takes this machine away" >&2
fi
exit 1
PREFLIGHT

cat >/etc/systemd/system/gpuinfra-preflight.service <<'UNIT'
[Unit]
Description=Whether this machine is fit for the run
Wants=network-online.target
After=network-online.target nvidia-fabricmanager.service nvidia-persistenced.service
Before=gpuinfra-job.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/bin/gpuinfra-preflight

[Install]
WantedBy=multi-user.target
RequiredBy=gpuinfra-job.service
UNIT

chmod 0755 /usr/local/bin/gpuinfra-preflight
systemctl daemon-reload
systemctl enable gpuinfra-preflight.service
if ! systemctl restart gpuinfra-preflight.service; then
  echo "gpuinfra: this machine stays out of the run: /var/lib/gpuinfra/preflight.json" >&2
  exit 1
fi

cat >/etc/gpuinfra/command <<'END'
gpuinfra-torchrun train.py --epochs 3

END

# The run itself, on every machine; it starts again when it fails or when a machine is replaced.
# Its mounts, where there are any, say that it starts after them and not without them.
cat >/etc/systemd/system/gpuinfra-job.service <<'UNIT'
[Unit]
Description=gpuinfra training job
Wants=network-online.target
After=network-online.target

[Service]
EnvironmentFile=/etc/gpuinfra/env
Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/pytorch/bin
LimitMEMLOCK=infinity
LimitNOFILE=1048576
ExecStart=/bin/bash /etc/gpuinfra/command
Restart=on-failure
RestartSec=30

[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable --now gpuinfra-job.service

touch /var/lib/gpuinfra/started
