# Memory that EFA registers in large pages, as many as its installer sets aside:
# https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
if (($(sysctl -n vm.nr_hugepages) < 5128)); then
  echo vm.nr_hugepages=5128 >/etc/sysctl.d/90-gpuinfra.conf
  sysctl -q -p /etc/sysctl.d/90-gpuinfra.conf
fi
