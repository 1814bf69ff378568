cat >/usr/local/bin/gpuinfra-preflight <<'PREFLIGHT'
#!/usr/bin/env bash
# Is this machine fit for the run? Says so in /var/lib/gpuinfra/preflight.json, and on the
# machine's tag, by which its peers find it.
set -euo pipefail
. /etc/gpuinfra/env
. /etc/gpuinfra/preflight
PATH=$PATH:/opt/amazon/efa/bin:/opt/aws/neuron/bin
report=/var/lib/gpuinfra/preflight.json
rm -f "$report" # what an earlier boot found out
faults=() unknown=()
replace=no # whether another machine would do better

fault() {
  echo "gpuinfra-preflight: $1" >&2
  faults+=("$1")
}

broken() {
  fault "$1"
  replace=yes
}

smi() { # a broken GPU may never answer
  timeout 120 nvidia-smi "$@"
}

nvidia() {
  local gpus driver wrong
  if ! gpus=$(smi --list-gpus 2>&1); then
    broken "nvidia-smi fails: $(head -n 1 <<<"$gpus")"
    return
  fi
  count=$(grep -c '^GPU [0-9]' <<<"$gpus" || true)
  if ((count != DEVICES)); then broken "$count GPUs, where the machine has $DEVICES"; fi
  driver=$(smi --query-gpu=driver_version --format=csv,noheader | sed -n 1p) ||
    unknown+=("the driver's version")
  if [[ -n $DRIVER && -n $driver && $(printf '%s\n' "$DRIVER" "$driver" | sort -V | sed -n 1p) != "$DRIVER" ]]; then
    fault "driver $driver, where the job needs $DRIVER; another image has it"
  fi
  wrong=$(unlinked) || unknown+=("NVLink")
  if [[ -n $wrong ]]; then broken "no NVLink between $wrong"; fi
  # Where a GPU has no ECC, or another way to take memory out, the answer is [N/A].
  if wrong=$(smi --format=csv,noheader,nounits \
    --query-gpu=index,ecc.errors.uncorrected.volatile.total,retired_pages.pending |
    awk -F ', *' '$2 + 0 > 0 {print "GPU " $1 ": " $2 " uncorrectable memory errors"}
      $3 == "Yes" {print "GPU " $1 ": memory pages wait to be retired"}'); then
    if [[ -n $wrong ]]; then broken "${wrong//$'\n'/; }"; fi
  else
    unknown+=("memory errors")
  fi
  if wrong=$(smi --format=csv,noheader,nounits \
    --query-remapped-rows=gpu_uuid,remapped_rows.pending,remapped_rows.failure |
    awk -F ', *' '$2 + 0 > 0 || $2 == "Yes" {print $1 ": memory rows wait to be remapped"}
      $3 + 0 > 0 || $3 == "Yes" {print $1 ": a memory row could not be remapped"}'); then
    if [[ -n $wrong ]]; then broken "${wrong//$'\n'/; }"; fi
  else
    unknown+=("remapped memory rows")
  fi
  wrong=$(journalctl --dmesg --boot --quiet --no-pager --output cat |
    sed -nE 's/.*NVRM: Xid \([^)]*\): ([0-9]+),.*/\1/p' | sort -un |
    grep -xE "${XIDS// /|}" | tr '\n' ' ' || true)
  if [[ -n $wrong ]]; then broken "the driver reports a broken GPU: Xid ${wrong% }"; fi
}

unlinked() { # pairs of GPUs without the NVLink that the machine has
  [[ $NVLINK != none ]] || return 0
  smi topo -m | sed 's/\x1b\[[0-9;]*m//g' | awk -v gpus="$DEVICES" -v wanted="$NVLINK" '
    /^GPU[0-9]/ {
      linked = 0
      for (other = 0; other < gpus; other++) {
        if ($(other + 2) ~ /^NV[0-9]+$/) linked++
        else if (wanted == "all" && other > substr($1, 4) + 0)
          missing = missing ", " $1 " and GPU" other
      }
      if (wanted == "some" && !linked) missing = missing ", " $1 " and any other"
    }
    END {print substr(missing, 3, 200)}'
}

neuron() {
  count=$(timeout 120 neuron-ls --json-output 2>/dev/null | grep -o '"neuron_device"' |
    wc -l || true)
  if ((count != DEVICES)); then
    broken "$count Neuron devices, where the machine has $DEVICES"
  fi
}

fabric() {
  if command -v fi_info >/dev/null; then
    efa=$(fi_info -p efa -t FI_EP_RDM 2>/dev/null | awk '/^ *domain:/ {print $2}' |
      sort -u | wc -l || true)
  else
    efa=$(find /sys/class/infiniband -mindepth 1 -maxdepth 1 2>/dev/null | wc -l || true)
  fi
  if ((efa < EFA)); then broken "$efa EFA devices, where the machine has $EFA"; fi
}

listed() { # JSON texts
  local each between=
  for each in "$@"; do
    each=${each//\\/\\\\}
    each=${each//\"/\\\"}
    printf '%s"%s"' "$between" "${each//[[:cntrl:]]/ }"
    between=', '
  done
}

instance() {
  local token
  token=$(curl -fsS -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' \
    http://169.254.169.254/latest/api/token)
  curl -fsS -H "X-aws-ec2-metadata-token: $token" \
    http://169.254.169.254/latest/meta-data/instance-id
}

again() { # a fresh machine's role needs a moment
  local try
  for try in 1 2 3 4 5 6; do
    if "$@"; then return 0; fi
    sleep $((try * 5))
  done
  return 1
}

marked() { # passed or failed: peers count only machines that passed
  if ((GPUINFRA_NODES == 1)); then return 0; fi
  again aws ec2 create-tags --region "$GPUINFRA_REGION" --resources "$self" \
    --tags "Key=gpuinfra:preflight,Value=$1"
}

count=0 efa=0
if [[ $ACCELERATOR == nvidia ]]; then nvidia; fi
if [[ $ACCELERATOR == neuron ]]; then neuron; fi
if ((EFA > 0)); then fabric; fi
passed=true
if ((${#faults[@]} > 0)); then passed=false; fi
printf '{"passed": %s, "time": "%s", "devices": %s, "efa": %s, "faults": [%s], "unknown": [%s]}\n' \
  "$passed" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$count" "$efa" \
  "$(listed "${faults[@]}")" "$(listed "${unknown[@]}")" >"$report.new"
mv "$report.new" "$report"
self=$(instance)
if [[ $passed == true ]]; then
  marked passed
  echo "gpuinfra-preflight: fit"
  exit 0
fi
marked failed || true
if [[ $replace == yes ]]; then
  # A group that may replace machines does; one that may not keeps it, out of the run.
  again aws autoscaling set-instance-health --region "$GPUINFRA_REGION" --instance-id "$self" \
    --health-status Unhealthy --no-should-respect-grace-period ||
    echo "gpuinfra-preflight: no scaling group takes this machine away" >&2
fi
exit 1
PREFLIGHT

cat >/etc/systemd/system/gpuinfra-preflight.service <<'UNIT'
[Unit]
Description=Whether this machine is fit for the run
Wants=network-online.target
After=network-online.target nvidia-fabricmanager.service nvidia-persistenced.service
Before=gpuinfra-job.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/bin/gpuinfra-preflight

[Install]
WantedBy=multi-user.target
RequiredBy=gpuinfra-job.service
UNIT

chmod 0755 /usr/local/bin/gpuinfra-preflight
systemctl daemon-reload
systemctl enable gpuinfra-preflight.service
if ! systemctl restart gpuinfra-preflight.service; then
  echo "gpuinfra: this machine stays out of the run: /var/lib/gpuinfra/preflight.json" >&2
  exit 1
fi
