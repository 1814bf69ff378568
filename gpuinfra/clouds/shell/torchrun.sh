cat >/usr/local/bin/gpuinfra-torchrun <<'TORCHRUN'
#!/usr/bin/env bash
# torchrun with this group's rendezvous: run the same line on every machine.
set -euo pipefail
set -a
. /etc/gpuinfra/env
set +a
peers=$(gpuinfra-peers)
MASTER_ADDR=$(head -n 1 <<<"$peers")
MASTER_PORT=${MASTER_PORT:-29500}
export MASTER_ADDR MASTER_PORT
# The PyTorch images keep torchrun in an environment of their own.
PATH=$PATH:/opt/pytorch/bin
exec torchrun --nnodes="$GPUINFRA_NODES" --nproc-per-node="$GPUINFRA_GPUS" \
  --rdzv-backend=c10d --rdzv-endpoint="$MASTER_ADDR:$MASTER_PORT" \
  --rdzv-id="$GPUINFRA_WORKLOAD" "$@"
TORCHRUN

chmod 0755 /usr/local/bin/gpuinfra-peers /usr/local/bin/gpuinfra-torchrun
