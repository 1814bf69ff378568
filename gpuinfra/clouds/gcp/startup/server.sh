# The container that answers requests; Docker starts it again after a crash or a reboot.
if ! command -v docker >/dev/null; then install_packages docker.io; fi
if ! command -v nvidia-ctk >/dev/null; then
  add_repository nvidia-container-toolkit https://nvidia.github.io/libnvidia-container/gpgkey \
    "https://nvidia.github.io/libnvidia-container/stable/deb/$(dpkg --print-architecture) /"
  install_packages nvidia-container-toolkit
fi
runtimes=$(docker info --format '{{json .Runtimes}}' 2>/dev/null || true)
if [[ $runtimes != *nvidia* ]]; then
  nvidia-ctk runtime configure --runtime=docker
  systemctl restart docker
fi
systemctl enable --now docker
if [[ -n $REGISTRY ]]; then
  log_in() {
    ask_metadata instance/service-accounts/default/token |
      python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])' |
      docker login --username oauth2accesstoken --password-stdin "https://$REGISTRY"
  }
  retry_access log_in
fi
retry_access docker pull --quiet "$IMAGE"
docker rm --force gpuinfra-server 2>/dev/null || true
docker run --detach --name gpuinfra-server --restart always --gpus all --shm-size 16g \
  --publish "$PORT:$PORT" "${OPTIONS[@]}" "$IMAGE"
