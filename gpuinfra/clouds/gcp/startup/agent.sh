# The Ops Agent: agent.googleapis.com/gpu/* by NVML as it comes, for the pool's scaling.
# https://docs.cloud.google.com/monitoring/agent/ops-agent/install-index
if ! systemctl cat google-cloud-ops-agent.service >/dev/null 2>&1; then
  retry curl -fsSL -o /etc/gpuinfra/ops-agent.sh \
    https://dl.google.com/cloudagents/add-google-cloud-ops-agent-repo.sh
  retry bash /etc/gpuinfra/ops-agent.sh --also-install
fi
systemctl enable --now google-cloud-ops-agent.service
