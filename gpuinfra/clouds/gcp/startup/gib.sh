# NCCL's plugin for RDMA over the machine's RoCE interfaces; its variables are in the environment.
# GoogleCloudPlatform/cluster-toolkit@1047080 examples/machine-learning/a4-highgpu-8g/a4high-vm.yaml
if ! dpkg -s nccl-gib >/dev/null 2>&1; then
  add_repository artifact-registry https://packages.cloud.google.com/apt/doc/apt-key.gpg \
    "https://packages.cloud.google.com/apt apt-transport-artifact-registry-stable main"
  install_packages apt-transport-artifact-registry ibverbs-utils
  add_repository gib https://us-apt.pkg.dev/doc/repo-signing-key.gpg \
    "ar+https://us-apt.pkg.dev/projects/gce-ai-infra gpudirect-gib-apt main"
  install_packages nccl-gib
  apt-mark hold nccl-gib
fi
