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
END

cat >/etc/profile.d/gpuinfra.sh <<'END'
set -a
. /etc/gpuinfra/env
set +a
END

IMAGE=us-central1-docker.pkg.dev/team/serving/chat:1
PORT=9000
REGISTRY=us-central1-docker.pkg.dev
OPTIONS=()

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
