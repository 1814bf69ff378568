# Buckets as folders: a service each, so that they come back after a reboot or a crash. Their
# reader starts them, when all that the script writes is there: a mount waits for its role, which
# takes minutes to be known everywhere, and a script that waits here may end here.
mount_service() { # folder, bucket, then the command that mounts and returns
  local folder=$1 bucket=$2 service
  shift 2
  service=${folder#/}
  service=gpuinfra-mount-${service//\//-}
  mkdir -p "$folder"
  {
    echo '#!/usr/bin/env bash'
    printf 'until' # a failure here would fail its readers, which nothing starts again
    printf ' %q' "$@"
    printf '; do\n  if ((SECONDS > 1200)); then exit 1; fi\n  sleep 5\ndone\n'
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
TimeoutStartSec=1500
ExecStart=/etc/gpuinfra/$service
ExecStop=/usr/bin/env fusermount -u $folder
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
RequiredBy=$reader
UNIT
  systemctl daemon-reload
  systemctl enable "$service.service"
}
