cat >/usr/local/bin/gpuinfra-gpu-errors <<'ERRORS'
#!/usr/bin/env bash
# Tells the CloudWatch agent how many GPU errors came since the last time; it has no such figures.
set -euo pipefail
. /etc/gpuinfra/errors
xids=$(journalctl --dmesg --quiet --no-pager --output cat \
  --cursor-file /var/lib/gpuinfra/errors.cursor | grep -c 'NVRM: Xid' || true)
send() { printf '%s:%s|c%s\n' "$1" "$2" "$TAGS" >"/dev/udp/127.0.0.1/$ERRORS_PORT"; }
# Before anything can fail: the journal shows them once. A GPU that is lost fails nvidia-smi, too.
send "$XID_ERRORS" "$xids"
if ! counts=$(timeout --kill-after=5 30 nvidia-smi \
  --query-gpu=ecc.errors.uncorrected.volatile.total --format=csv,noheader,nounits 2>&1); then
  echo "nvidia-smi failed, which counts as an error of the GPU driver: $counts" >&2
  send "$XID_ERRORS" 1
  exit 0
fi
# Counted since the driver was loaded; [N/A] of a GPU without ECC adds nothing.
total=$(awk '{sum += $1} END {print sum + 0}' <<<"$counts")
before=$(cat /run/gpuinfra-ecc 2>/dev/null || echo 0)
echo "$total" >/run/gpuinfra-ecc
new=$((total >= before ? total - before : total))
send "$ECC_ERRORS" "$new"
ERRORS

cat >/etc/systemd/system/gpuinfra-gpu-errors.service <<'UNIT'
[Unit]
Description=Counts GPU errors

[Service]
Type=oneshot
ExecStart=/usr/local/bin/gpuinfra-gpu-errors
UNIT

cat >/etc/systemd/system/gpuinfra-gpu-errors.timer <<'UNIT'
[Unit]
Description=Counts GPU errors every minute

[Timer]
OnActiveSec=1min
OnUnitActiveSec=1min
AccuracySec=1s

[Install]
WantedBy=timers.target
UNIT

chmod 0755 /usr/local/bin/gpuinfra-gpu-errors
systemctl daemon-reload
systemctl enable --now gpuinfra-gpu-errors.timer
