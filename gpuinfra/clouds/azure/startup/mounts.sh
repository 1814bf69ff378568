# Settings: https://github.com/Azure/azure-storage-fuse/blob/main/setup/baseConfig.yaml, with the
# block cache of Azure/ai-infrastructure-on-azure, examples/llm-foundry/slurm/blobfuse.template.yaml
add_microsoft_packages() { # the HPC images have them
  local folder
  . /etc/os-release
  if command -v apt-get >/dev/null; then
    if apt-cache show blobfuse2 >/dev/null 2>&1; then return 0; fi
    folder=$(mktemp -d)
    retry curl -fsSL -o "$folder/packages.deb" \
      "https://packages.microsoft.com/config/$ID/$VERSION_ID/packages-microsoft-prod.deb"
    dpkg -i "$folder/packages.deb"
    rm -rf "$folder"
  elif command -v dnf >/dev/null && ! dnf -q list blobfuse2 >/dev/null 2>&1; then
    retry rpm -U --replacepkgs \
      "https://packages.microsoft.com/config/rhel/${VERSION_ID%%.*}/packages-microsoft-prod.rpm"
  fi
}

install_blobfuse() {
  if command -v blobfuse2 >/dev/null; then return 0; fi
  add_microsoft_packages
  if command -v apt-get >/dev/null; then
    retry apt-get -qq -o DPkg::Lock::Timeout=300 update
    retry env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq -y -o DPkg::Lock::Timeout=300 install fuse3 blobfuse2
  elif command -v dnf >/dev/null; then
    retry dnf -q -y install fuse3 blobfuse2
  else
    echo "gpuinfra: this image has neither apt-get nor dnf; put blobfuse2 into it" >&2
    return 1
  fi
}

cache_megabytes() { # a sixteenth of the machine's memory, from 1 to 64 GiB
  awk '/^MemTotal:/ { size = int($2 / 16384)
    if (size < 1024) size = 1024
    if (size > 65536) size = 65536
    print size }' /proc/meminfo
}

mount_bucket() { # folder, account/container, prefix, read or write
  local folder=$1 account=${2%%/*} container=${2#*/} prefix=${3%/} mode=$4
  local config=${folder#/} memory prefetch attributes=7200 options=() client
  client=$(cat /etc/gpuinfra/identity)
  config=/etc/gpuinfra/blobfuse-${config//\//-}.yaml
  memory=$(cache_megabytes)
  prefetch=$((memory / 32 < 80 ? memory / 32 : 80)) # blocks that the cache has to hold at once
  if [[ $mode == write ]]; then
    attributes=5 # other machines write too, and their files are to be seen soon
  else
    options+=(--read-only)
  fi
  cat >"$config" <<CONFIG
allow-other: true
logging:
  type: syslog
  level: log_warning
components:
  - libfuse
  - block_cache
  - attr_cache
  - azstorage
libfuse:
  attribute-expiration-sec: $((attributes < 120 ? attributes : 120))
  entry-expiration-sec: $((attributes < 120 ? attributes : 120))
  negative-entry-expiration-sec: $((attributes < 240 ? attributes : 240))
block_cache:
  block-size-mb: 32
  mem-size-mb: $memory
  prefetch: $prefetch
  parallelism: 128
attr_cache:
  timeout-sec: $attributes
azstorage:
  type: block
  mode: msi
  appid: $client
  account-name: $account
  container: $container
CONFIG
  if [[ -n $prefix ]]; then printf '  subdirectory: "%s"\n' "$prefix" >>"$config"; fi
  mount_service "$folder" "$account/$container" \
    blobfuse2 mount "$folder" --config-file="$config" "${options[@]}"
}

install_blobfuse
