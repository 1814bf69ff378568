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
GPUINFRA_WORKLOAD=dev
GPUINFRA_REGION=us-east-1
GPUINFRA_NODES=1
GPUINFRA_GPUS=1
GPUINFRA_STACK=lab
END

cat >/etc/profile.d/gpuinfra.sh <<'END'
set -a
. /etc/gpuinfra/env
set +a
END

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

touch /var/lib/gpuinfra/started
