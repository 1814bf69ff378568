# NVMe disks of the machine's own as one folder, /local: fast, and empty after a stop. Their
# controller encrypts what lies on them:
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/data-protection.html#encryption-rest
cat >/usr/local/bin/gpuinfra-local-disks <<'DISKS'
#!/usr/bin/env bash
# Joins the local disks and mounts them at /local, at every boot.
set -euo pipefail
image=/opt/dlami/nvme # where AWS's deep learning images mount them by themselves
for unit in $(systemctl list-unit-files --no-legend 'dlami-nvme*.service' | awk '{print $1}'); do
  systemctl start "$unit" || true
done
if mountpoint -q "$image"; then
  rmdir /local 2>/dev/null || true
  ln -sfn "$image" /local
else
  mapfile -t disks < <(lsblk -dpno NAME,MODEL |
    awk '/Amazon EC2 NVMe Instance Storage/ {print $1}' | sort)
  if ((${#disks[@]} == 0)); then
    echo "gpuinfra-local-disks: this machine has no disks of its own"
    exit 0
  fi
  mkdir -p /local
  if ! mountpoint -q /local; then
    device=${disks[0]}
    if ((${#disks[@]} > 1)); then
      # After a reboot the kernel has joined them already, under a name of its own.
      device=$(lsblk -nrpo NAME,TYPE "${disks[0]}" | awk '$2 == "raid0" && !found++ {print $1}')
      if [[ -z $device ]]; then
        device=/dev/md/gpuinfra
        mdadm --assemble "$device" "${disks[@]}" 2>/dev/null ||
          mdadm --create "$device" --run --force --level=0 --name=gpuinfra \
            --raid-devices="${#disks[@]}" "${disks[@]}"
      fi
    fi
    if ! blkid "$device" >/dev/null; then
      mkfs.ext4 -q -m 0 -E nodiscard "$device"
    fi
    mount -o noatime,nosuid,nodev "$device" /local
  fi
  chmod 1777 /local
fi
install -d -m 0700 /local/cache
DISKS

cat >/usr/local/bin/gpuinfra-cached <<'CACHED'
#!/usr/bin/env bash
# Runs a mount of a bucket with a cache of its own on the local disks, where there are some.
set -euo pipefail
name=$1
shift
if mountpoint -q "$(readlink -f /local)"; then
  install -d -m 0700 "/local/cache/$name"
  set -- "$@" --cache "/local/cache/$name"
fi
exec "$@"
CACHED

cat >/etc/systemd/system/gpuinfra-local-disks.service <<'UNIT'
[Unit]
Description=The machine's own disks at /local
After=local-fs.target dlami-nvme.service
Before=docker.service gpuinfra-job.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/bin/gpuinfra-local-disks

[Install]
WantedBy=multi-user.target
UNIT

# Of all mounts of buckets, which may have their caches there.
install -d -m 0755 /etc/systemd/system/gpuinfra-mount-.service.d
cat >/etc/systemd/system/gpuinfra-mount-.service.d/disks.conf <<'UNIT'
[Unit]
After=gpuinfra-local-disks.service
UNIT

chmod 0755 /usr/local/bin/gpuinfra-local-disks /usr/local/bin/gpuinfra-cached
if ! command -v mdadm >/dev/null; then install_named mdadm; fi
systemctl daemon-reload
systemctl enable gpuinfra-local-disks.service
systemctl restart gpuinfra-local-disks.service ||
  echo "gpuinfra: there is no /local: journalctl -u gpuinfra-local-disks" >&2
