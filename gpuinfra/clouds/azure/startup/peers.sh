cat >/usr/local/bin/gpuinfra-peers <<'PEERS'
#!/usr/bin/env bash
# Private addresses of all machines of this scale set, the leader (lowest instance id) first.
set -euo pipefail
. /etc/gpuinfra/env
if [[ $GPUINFRA_NODES == 1 ]]; then
  echo 127.0.0.1
  exit
fi
exec python3 /etc/gpuinfra/agent.py peers "$GPUINFRA_NODES" "${GPUINFRA_WAIT:-1800}"
PEERS
