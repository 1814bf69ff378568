# GPU metrics for Prometheus.
cat >/etc/systemd/system/gpuinfra-exporter.service <<UNIT
[Unit]
Description=GPU metrics for Prometheus
Wants=network-online.target
After=network-online.target docker.service
Requires=docker.service

[Service]
ExecStartPre=-/usr/bin/docker rm --force gpuinfra-exporter
ExecStart=/usr/bin/docker run --rm --name gpuinfra-exporter --gpus all --cap-add SYS_ADMIN \\
  --publish $EXPORTER_PORT:9400 $EXPORTER
ExecStop=/usr/bin/docker stop gpuinfra-exporter
TimeoutStartSec=900
Restart=always
RestartSec=30

[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable gpuinfra-exporter.service
systemctl restart --no-block gpuinfra-exporter.service
