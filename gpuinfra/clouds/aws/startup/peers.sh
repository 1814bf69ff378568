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
