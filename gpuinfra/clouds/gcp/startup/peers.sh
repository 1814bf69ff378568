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
