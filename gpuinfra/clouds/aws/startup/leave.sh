cat >/usr/local/bin/gpuinfra-leave <<'LEAVE'
#!/usr/bin/env bash
# Takes a spot machine out of its load balancer once AWS says that it takes the machine away, two
# minutes before. Requests that it has by then are answered; without this, new ones would be sent
# to it until its health checks fail.
set -euo pipefail
. /etc/gpuinfra/leave
service=http://169.254.169.254/latest
ask_metadata() {
  curl -fs --max-time 2 -H "X-aws-ec2-metadata-token: $token" "$service/meta-data/$1"
}
until token=$(curl -fs --max-time 2 -X PUT "$service/api/token" \
  -H 'X-aws-ec2-metadata-token-ttl-seconds: 60') && ask_metadata spot/instance-action; do
  sleep 5
done
self=$(ask_metadata instance-id)
timeout 20 aws elbv2 deregister-targets --region "$(cut -d: -f4 <<<"$TARGETS")" \
  --target-group-arn "$TARGETS" --targets "Id=$self"
LEAVE

cat >/etc/systemd/system/gpuinfra-leave.service <<'UNIT'
[Unit]
Description=Leaves the load balancer before a spot interruption
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/local/bin/gpuinfra-leave
Restart=on-failure
RestartSec=2

[Install]
WantedBy=multi-user.target
UNIT

chmod 0755 /usr/local/bin/gpuinfra-leave
systemctl daemon-reload
systemctl enable --now gpuinfra-leave.service
