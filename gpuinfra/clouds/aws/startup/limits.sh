# The same for services; containers get it from gpuinfra-docker-run.
install -d -m 0755 /etc/systemd/system.conf.d
cat >/etc/systemd/system.conf.d/90-gpuinfra.conf <<'LIMITS'
[Manager]
DefaultLimitMEMLOCK=infinity
LIMITS
systemctl daemon-reexec
