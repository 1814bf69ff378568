# Jobs lock memory for the fabric and for pinned buffers.
cat >/etc/security/limits.d/90-gpuinfra.conf <<'LIMITS'
* soft memlock unlimited
* hard memlock unlimited
LIMITS
