# NCCL's plugin for RDMA over the machine's RoCE interfaces; its variables are in the environment.
# GoogleCloudPlatform/cluster-toolkit@1047080 examples/machine-learning/a4-highgpu-8g/a4high-vm.yaml
# One version on all machines, also on those that are made again mid-run; that of
# a4high-slurm-blueprint.yaml:45 in the same folder.
if ! dpkg -s nccl-gib >/dev/null 2>&1; then
  add_repository artifact-registry https://packages.cloud.google.com/apt/doc/apt-key.gpg \
    "https://packages.cloud.google.com/apt apt-transport-artifact-registry-stable main"
  install_packages apt-transport-artifact-registry ibverbs-utils
  add_repository gib https://us-apt.pkg.dev/doc/repo-signing-key.gpg \
    "ar+https://us-apt.pkg.dev/projects/gce-ai-infra gpudirect-gib-apt main"
  install_packages nccl-gib=1.1.0
  apt-mark hold nccl-gib
fi
# The fabric's interfaces may be up later than the first one; the toolkit's service of
# modules/scripts/startup-script/files/install_gpu_network_wait_online.yml waits for them, too.
if ! PATH=$PATH:/usr/lib/systemd systemd-networkd-wait-online -o routable --timeout=180; then
  echo "gpuinfra: an interface has no route after 180 seconds" >&2
fi
