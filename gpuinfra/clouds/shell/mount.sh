# Buckets as folders: a service each, so that they come back after a reboot or a crash.
mount_service() { # folder, bucket, then the command that mounts and returns
  local folder=$1 bucket=$2 service
  shift 2
  service=${folder#/}
  service=gpuinfra-mount-${service//\//-}
  mkdir -p "$folder"
  {
    echo '#!/usr/bin/env bash'
    echo 'for _ in {1..60}; do' # a failure here would fail its readers, which nothing starts again
    printf '  if'
    printf ' %q' "$@"
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
