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
GPUINFRA_WORKLOAD=dev
GPUINFRA_REGION=us-central1
GPUINFRA_NODES=1
GPUINFRA_GPUS=1
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

touch /var/lib/gpuinfra/started
