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
END

cat >/etc/profile.d/gpuinfra.sh <<'END'
set -a
. /etc/gpuinfra/env
set +a
END

IMAGE=123456789012.dkr.ecr.us-east-1.amazonaws.com/chat:1
PORT=9000
REGISTRY=123456789012.dkr.ecr.us-east-1.amazonaws.com
REGISTRY_REGION=us-east-1
OPTIONS=()
ARGS=(--model meta-llama/Llama-3.1-8B-Instruct --chat-template '{% if x %}'"'"'
"')

# The container that answers requests; Docker starts it again after a crash or a reboot.
systemctl enable --now docker
if [[ -n $REGISTRY ]]; then
  retry bash -o pipefail -c "aws ecr get-login-password --region '$REGISTRY_REGION' |
    docker login --username AWS --password-stdin '$REGISTRY'"
fi
retry docker pull --quiet "$IMAGE"
docker rm --force gpuinfra-server 2>/dev/null || true
docker run --detach --name gpuinfra-server --restart always --gpus all --shm-size 16g \
  --publish "$PORT:$PORT" "${OPTIONS[@]}" "$IMAGE" "${ARGS[@]}"

touch /var/lib/gpuinfra/started
