# Buckets as folders: a service each, so that they come back after a reboot or a crash.
# Flags: https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md
case $(uname -m) in aarch64) machine=arm64 ;; *) machine=x86_64 ;; esac
install_package mount-s3 \
  "https://s3.amazonaws.com/mountpoint-s3-release/latest/$machine/mount-s3.deb" \
  "https://s3.amazonaws.com/mountpoint-s3-release/latest/$machine/mount-s3.rpm"

mount_bucket() { # folder, bucket, prefix, read or write
  local folder=$1 bucket=$2 prefix=$3 mode=$4 service options=(--allow-other)
  service=${folder#/}
  service=gpuinfra-mount-${service//\//-}
  if [[ -n $prefix ]]; then options+=(--prefix "$prefix"); fi
  if [[ $mode == write ]]; then
    # 10,000 parts of 64 MiB: objects up to 625 GiB, where the default ends at 78 GiB.
    options+=(--allow-delete --allow-overwrite --write-part-size 67108864)
    options+=(--dir-mode 0777 --file-mode 0666)
  else
    options+=(--read-only)
  fi
  mkdir -p "$folder"
  {
    echo '#!/usr/bin/env bash'
    echo 'for _ in {1..60}; do' # a failure here would fail its readers, which nothing starts again
    printf '  if mount-s3'
    printf ' %q' "$bucket" "$folder" "${options[@]}"
    printf '; then exit; fi\n  sleep 5\ndone\nexit 1\n'
  } >"/etc/gpuinfra/$service"
  chmod 0755 "/etc/gpuinfra/$service"
  cat >"/etc/systemd/system/$service.service" <<UNIT
[Unit]
Description=$bucket at $folder
Wants=network-online.target
After=network-online.target
Before=$reader

[Service]
Type=forking
TimeoutStartSec=600
ExecStart=/etc/gpuinfra/$service
ExecStop=/usr/bin/env fusermount -u $folder
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
RequiredBy=$reader
UNIT
  systemctl daemon-reload
  systemctl enable --now "$service.service"
}
