# Before the machine is taken away (a spot machine has thirty seconds) or restarted: end the work,
# then flush what it wrote. `back` begins the work again, when Azure called that off.
cat >/usr/local/bin/gpuinfra-leave <<'LEAVE'
#!/usr/bin/env bash
set -uo pipefail
. /etc/gpuinfra/env
if [[ ${1:-} == back ]]; then
  echo 'gpuinfra: Azure leaves this machine running after all; the work begins again'
  for unit in /etc/systemd/system/gpuinfra-mount-*.service; do
    if [[ -e $unit ]]; then systemctl start "$(basename "$unit")"; fi
  done
  if systemctl cat "$GPUINFRA_READER" >/dev/null 2>&1; then systemctl start "$GPUINFRA_READER"; fi
  exit
fi
echo 'gpuinfra: Azure takes this machine away or restarts it; ending the work'
timeout 20 systemctl stop "$GPUINFRA_READER"
for unit in /etc/systemd/system/gpuinfra-mount-*.service; do
  if [[ -e $unit ]]; then systemctl stop "$(basename "$unit")"; fi
done
LEAVE
chmod 0755 /usr/local/bin/gpuinfra-leave
run_always gpuinfra-events 'gpuinfra scheduled events' events /usr/local/bin/gpuinfra-leave
