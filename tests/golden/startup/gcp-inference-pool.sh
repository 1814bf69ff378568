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

reader=docker.service
mount_bucket /data/data-tokens llama-data-0a1b2c3d4e5f tokens/ read

# The Ops Agent: agent.googleapis.com/gpu/* by NVML as it comes, for the pool's scaling.
# https://docs.cloud.google.com/monitoring/agent/ops-agent/install-index
if ! systemctl cat google-cloud-ops-agent.service >/dev/null 2>&1; then
  retry curl -fsSL -o /etc/gpuinfra/ops-agent.sh \
    https://dl.google.com/cloudagents/add-google-cloud-ops-agent-repo.sh
  retry bash /etc/gpuinfra/ops-agent.sh --also-install
fi
systemctl enable --now google-cloud-ops-agent.service

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
if ! command -v docker >/dev/null; then install_packages docker.io; fi
if ! command -v nvidia-ctk >/dev/null; then
  add_repository nvidia-container-toolkit https://nvidia.github.io/libnvidia-container/gpgkey \
    "https://nvidia.github.io/libnvidia-container/stable/deb/$(dpkg --print-architecture) /"
  install_packages nvidia-container-toolkit
fi
runtimes=$(docker info --format '{{json .Runtimes}}' 2>/dev/null || true)
if [[ $runtimes != *nvidia* ]]; then
  nvidia-ctk runtime configure --runtime=docker
  systemctl restart docker
fi
systemctl enable --now docker
if [[ -n $REGISTRY ]]; then
  log_in() {
    ask_metadata instance/service-accounts/default/token |
      python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])' |
      docker login --username oauth2accesstoken --password-stdin "https://$REGISTRY"
  }
  retry_access log_in
fi
retry_access docker pull --quiet "$IMAGE"
docker rm --force gpuinfra-server 2>/dev/null || true
docker run --detach --name gpuinfra-server --restart always --gpus all --shm-size 16g \
  --publish "$PORT:$PORT" "${OPTIONS[@]}" "$IMAGE"

touch /var/lib/gpuinfra/started
