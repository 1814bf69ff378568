# The container that answers requests; Docker starts it again after a crash or a reboot.
systemctl enable --now docker
log_in() {
  local password
  password=$(python3 /etc/gpuinfra/agent.py registry "$REGISTRY")
  docker login --username 00000000-0000-0000-0000-000000000000 --password-stdin "$REGISTRY" \
    <<<"$password"
}
if [[ -n $REGISTRY ]]; then retry_access log_in; fi
retry_access docker pull --quiet "$IMAGE"
docker rm --force gpuinfra-server 2>/dev/null || true
docker run --detach --name gpuinfra-server --restart always --gpus all --shm-size 16g \
  --publish "$PORT:$PORT" "${OPTIONS[@]}" "$IMAGE"
