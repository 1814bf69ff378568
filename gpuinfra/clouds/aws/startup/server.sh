# The container that answers requests; Docker starts it again after a crash or a reboot.
systemctl enable --now docker
if [[ -n $REGISTRY ]]; then
  retry bash -o pipefail -c "aws ecr get-login-password --region '$REGISTRY_REGION' |
    docker login --username AWS --password-stdin '$REGISTRY'"
fi
retry docker pull --quiet "$IMAGE"
docker rm --force gpuinfra-server 2>/dev/null || true
docker run --detach --name gpuinfra-server --restart always --gpus all --shm-size 16g \
  --publish "$PORT:$PORT" "${OPTIONS[@]}" "$IMAGE"
