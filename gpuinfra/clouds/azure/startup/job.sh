# At every boot the HPC images write /etc/nccl.conf, late; without it NCCL has no topology file.
# Azure/azhpc-images components/setup_sku_customizations.sh
install -d /etc/systemd/system/gpuinfra-job.service.d
cat >/etc/systemd/system/gpuinfra-job.service.d/azure.conf <<'UNIT'
[Unit]
After=sku-customizations.service
UNIT
