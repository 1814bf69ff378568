cat >/usr/local/bin/gpuinfra-docker-run <<'DOCKER'
#!/usr/bin/env bash
# docker run as a training job wants it: gpuinfra-docker-run [options] image [command]. All GPUs,
# the fabric's devices, locked memory, half of the memory to share, the host's network, the
# folders and variables of the run, and where it meets: MASTER_ADDR and MASTER_PORT.
set -euo pipefail
set -a
. /etc/gpuinfra/env
set +a
peers=$(gpuinfra-peers)
MASTER_ADDR=$(head -n 1 <<<"$peers")
MASTER_PORT=${MASTER_PORT:-29500}
export MASTER_ADDR MASTER_PORT
options=(--rm --network host --ulimit memlock=-1 --ulimit stack=67108864)
options+=(--shm-size "$(awk '/^MemTotal:/ {printf "%dk", $2 / 2}' /proc/meminfo)")
if compgen -G '/dev/nvidia[0-9]*' >/dev/null; then options+=(--gpus all); fi
for device in /dev/infiniband/* /dev/gdrdrv /dev/neuron[0-9]*; do
  if [[ -c $device ]]; then options+=(--device "$device"); fi
done
for folder in /data /checkpoints /shared /run/gpuinfra; do
  if [[ -d $folder ]]; then options+=(--volume "$folder:$folder:rslave"); fi
done
if [[ -d /local ]]; then options+=(--volume "$(readlink -f /local):/local"); fi
for name in $(cut -d = -f 1 /etc/gpuinfra/env) MASTER_ADDR MASTER_PORT; do
  options+=(--env "$name")
done
exec docker run "${options[@]}" "$@"
DOCKER

chmod 0755 /usr/local/bin/gpuinfra-docker-run
