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

WRITE_PART_SIZE=67108864

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
