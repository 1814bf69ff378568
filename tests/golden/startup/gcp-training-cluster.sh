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

add_repository() { # name, address of its key, its line without "deb [signed-by=…]"
  local name=$1 key=$2 line=$3 keyring=/usr/share/keyrings/gpuinfra-$1.asc
  if ! command -v apt-get >/dev/null; then
    echo "gpuinfra: this image has no apt-get; put what $name brings into it" >&2
    return 1
  fi
  retry curl -fsSL -o "$keyring" "$key"
  if ! grep -q 'BEGIN PGP' "$keyring"; then # apt tells the two forms of a key by the file's name
    mv "$keyring" "${keyring%.asc}.gpg"
    keyring=${keyring%.asc}.gpg
  fi
  echo "deb [signed-by=$keyring] $line" >"/etc/apt/sources.list.d/gpuinfra-$name.list"
  retry apt-get -qq -o DPkg::Lock::Timeout=300 update
}

install_packages() {
  retry env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y -o DPkg::Lock::Timeout=300 install "$@"
}

ask_metadata() { # path below computeMetadata/v1
  curl -fsS -H 'Metadata-Flavor: Google' \
    "http://metadata.google.internal/computeMetadata/v1/$1"
}

cat >/etc/gpuinfra/env <<'END'
GPUINFRA_WORKLOAD=trainer
GPUINFRA_REGION=us-central1
GPUINFRA_NODES=4
GPUINFRA_GPUS=8
LD_LIBRARY_PATH=/usr/local/gib/lib64
NCCL_NET=gIB
NCCL_SOCKET_IFNAME=enp0s19,enp192s20
GLOO_SOCKET_IFNAME=enp0s19,enp192s20
NCCL_CROSS_NIC=0
NCCL_NET_GDR_LEVEL=PIX
NCCL_P2P_NET_CHUNKSIZE=131072
NCCL_NVLS_CHUNKSIZE=524288
NCCL_IB_ADAPTIVE_ROUTING=1
NCCL_IB_QPS_PER_CONNECTION=4
NCCL_IB_TC=52
NCCL_IB_FIFO_TC=84
NCCL_IB_GID_INDEX=3
NCCL_TUNER_CONFIG_PATH=/usr/local/gib/configs/tuner_config_a3u.txtpb
DATA_DIR=/data/data-tokens
DATA_DIR_DATA_TOKENS=/data/data-tokens
CHECKPOINT_DIR=/checkpoints
CHECKPOINT_URI=gs://llama-data-0a1b2c3d4e5f/checkpoints/
CHECKPOINT_EVERY_SECONDS=600
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

# https://docs.cloud.google.com/storage/docs/cloud-storage-fuse/install
if [[ $(gcsfuse --help 2>&1 || true) != *--profile* ]]; then # absent, or too old for profiles
  add_repository gcsfuse https://packages.cloud.google.com/apt/doc/apt-key.gpg \
    "https://packages.cloud.google.com/apt gcsfuse-$(. /etc/os-release && echo "$VERSION_CODENAME") main"
  install_packages gcsfuse
fi

mount_bucket() { # folder, bucket, prefix, read or write
  local folder=$1 bucket=$2 prefix=$3 mode=$4 profile=aiml-training
  # No client for hierarchical namespaces: it asks for the layout of the whole bucket, which a
  # grant on one prefix refuses.
  local options=(--implicit-dirs --enable-hns=false -o allow_other)
  if [[ $mode == write ]]; then
    profile=aiml-checkpointing
    # The profile keeps what it knows of a file forever; other machines write these files too.
    options+=(--metadata-cache-ttl-secs 0 --dir-mode 0777 --file-mode 0666)
  else
    if [[ $reader == docker.service ]]; then profile=aiml-serving; fi
    options+=(-o ro)
  fi
  if [[ -n $prefix ]]; then options+=(--only-dir "${prefix%/}"); fi
  mount_service "$folder" "$bucket" gcsfuse --profile "$profile" "${options[@]}" "$bucket" "$folder"
}

reader=gpuinfra-job.service
mount_bucket /data/data-tokens llama-data-0a1b2c3d4e5f tokens/ read
mount_bucket /checkpoints llama-data-0a1b2c3d4e5f checkpoints/ write

# Jobs lock memory for the fabric and for pinned buffers.
cat >/etc/security/limits.d/90-gpuinfra.conf <<'LIMITS'
* soft memlock unlimited
* hard memlock unlimited
LIMITS

# NCCL's plugin for RDMA over the machine's RoCE interfaces; its variables are in the environment.
# GoogleCloudPlatform/cluster-toolkit@1047080 examples/machine-learning/a4-highgpu-8g/a4high-vm.yaml
# One version on all machines, also on those that are made again mid-run; that of
# a4high-slurm-blueprint.yaml:45 in the same folder.
if ! dpkg -s nccl-gib >/dev/null 2>&1; then
  add_repository artifact-registry https://packages.cloud.google.com/apt/doc/apt-key.gpg \
    "https://packages.cloud.google.com/apt apt-transport-artifact-registry-stable main"
  install_packages apt-transport-artifact-registry ibverbs-utils
  add_repository gib https://us-apt.pkg.dev/doc/repo-signing-key.gpg \
    "ar+https://us-apt.pkg.dev/projects/gce-ai-infra gpudirect-gib-apt main"
  install_packages nccl-gib=1.1.0
  apt-mark hold nccl-gib
fi
# The fabric's interfaces may be up later than the first one; the toolkit's service of
# modules/scripts/startup-script/files/install_gpu_network_wait_online.yml waits for them, too.
if ! PATH=$PATH:/usr/lib/systemd systemd-networkd-wait-online -o routable --timeout=180; then
  echo "gpuinfra: an interface has no route after 180 seconds" >&2
fi

cat >/usr/local/bin/gpuinfra-peers <<'PEERS'
#!/usr/bin/env bash
# Names of all machines of this group, which resolve to private addresses; the leader is first.
set -euo pipefail
. /etc/gpuinfra/env
if [[ $GPUINFRA_NODES == 1 ]]; then
  echo 127.0.0.1
  exit
fi
ask_metadata() {
  curl -fsS -H 'Metadata-Flavor: Google' \
    "http://metadata.google.internal/computeMetadata/v1/$1"
}
project=$(ask_metadata project/project-id)
zone=$(ask_metadata instance/zone)
zone=${zone##*/}
group=$(ask_metadata instance/attributes/created-by)
group=${group##*/}
domain=$(ask_metadata instance/hostname)
domain=${domain#*.}
list() { # running machines of the managed instance group
  local token
  token=$(ask_metadata instance/service-accounts/default/token |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')
  curl -fsS -X POST -H "Authorization: Bearer $token" -H 'Content-Length: 0' \
    "https://compute.googleapis.com/compute/v1/projects/$project/zones/$zone/instanceGroupManagers/$group/listManagedInstances" |
    python3 -c '
import json, sys
for one in json.load(sys.stdin).get("managedInstances", []):
    if one.get("instanceStatus") == "RUNNING":
        print(one["instance"].rpartition("/")[2])' | sort
}
deadline=$((SECONDS + ${GPUINFRA_WAIT:-1800}))
while true; do
  peers=$(list || true)
  if [[ $(wc -w <<<"$peers") -ge $GPUINFRA_NODES ]]; then break; fi
  if ((SECONDS > deadline)); then
    echo "gpuinfra-peers: $(wc -w <<<"$peers") of $GPUINFRA_NODES machines run; giving up" >&2
    exit 1
  fi
  sleep 10
done
head -n "$GPUINFRA_NODES" <<<"$peers" | sed "s/\$/.$domain/"
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

# Images keep PyTorch in one of two folders, by their age. A preempted machine is off 30 seconds
# after the notice, and its shutdown stops the job first, then the mounts, which write what is left:
# https://docs.cloud.google.com/compute/docs/instances/spot#preemption-process
install -d /etc/systemd/system/gpuinfra-job.service.d
cat >/etc/systemd/system/gpuinfra-job.service.d/gcp.conf <<'UNIT'
[Service]
Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/pytorch/bin:/opt/conda/bin
TimeoutStopSec=15
UNIT

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
