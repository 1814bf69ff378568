# The run itself, on every machine; it starts again when it fails or when a machine is replaced.
# Its mounts, where there are any, say that it starts after them and not without them.
cat >/etc/systemd/system/gpuinfra-job.service <<'UNIT'
[Unit]
Description=gpuinfra training job
Wants=network-online.target
After=network-online.target

[Service]
EnvironmentFile=/etc/gpuinfra/env
Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/pytorch/bin
LimitMEMLOCK=infinity
LimitNOFILE=1048576
ExecStart=/bin/bash /etc/gpuinfra/command
Restart=on-failure
RestartSec=30

[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable --now gpuinfra-job.service
