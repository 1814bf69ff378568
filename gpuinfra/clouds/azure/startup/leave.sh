# Thirty seconds before a spot machine is taken away: end the work, then flush what it wrote.
cat >/usr/local/bin/gpuinfra-leave <<'LEAVE'
#!/usr/bin/env bash
set -uo pipefail
. /etc/gpuinfra/env
echo 'gpuinfra: Azure takes this machine away; ending the work'
timeout 20 systemctl stop "$GPUINFRA_READER"
for unit in /etc/systemd/system/gpuinfra-mount-*.service; do
  if [[ -e $unit ]]; then systemctl stop "$(basename "$unit")"; fi
done
LEAVE
chmod 0755 /usr/local/bin/gpuinfra-leave
run_always gpuinfra-events 'gpuinfra scheduled events' events /usr/local/bin/gpuinfra-leave
