# Images keep PyTorch in one of two folders, by their age. A preempted machine is off 30 seconds
# after the notice, and its shutdown stops the job first, then the mounts, which write what is left:
# https://docs.cloud.google.com/compute/docs/instances/spot#preemption-process
install -d /etc/systemd/system/gpuinfra-job.service.d
cat >/etc/systemd/system/gpuinfra-job.service.d/gcp.conf <<'UNIT'
[Service]
Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/pytorch/bin:/opt/conda/bin
TimeoutStopSec=15
UNIT
