# The parallel file system at /shared:
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/install-lustre-client.html
if ! command -v lfs >/dev/null; then
  if command -v apt-get >/dev/null; then
    keys=/usr/share/keyrings/fsx-ubuntu-public-key.gpg
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    retry curl -fsSL -o /etc/gpuinfra/fsx.asc \
      https://fsx-lustre-client-repo-public-keys.s3.amazonaws.com/fsx-ubuntu-public-key.asc
    gpg --batch --yes --dearmor -o "$keys" /etc/gpuinfra/fsx.asc
    echo "deb [signed-by=$keys] https://fsx-lustre-client-repo.s3.amazonaws.com/ubuntu $release main" \
      >/etc/apt/sources.list.d/fsxlustreclientrepo.list
    if ! install_named "lustre-client-modules-$(uname -r)"; then
      echo "gpuinfra: there is no Lustre client for the kernel $(uname -r) of this image;" \
        "name one that has it with machine_image" >&2
      exit 1
    fi
  else
    install_named lustre-client
  fi
fi

if [[ $LUSTRE_EFA == yes ]]; then
  # https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html
  if [[ ! -e /etc/gpuinfra/lustre-efa ]]; then
    folder=$(mktemp -d)
    guide=https://docs.aws.amazon.com/fsx/latest/LustreGuide/samples
    if retry curl -fsSL -o "$folder/client.zip" "$guide/configure-efa-fsx-lustre-client.zip" &&
      python3 -m zipfile -e "$folder/client.zip" "$folder" &&
      (cd "$folder/configure-efa-fsx-lustre-client" && bash ./setup.sh); then
      touch /etc/gpuinfra/lustre-efa
    else
      echo "gpuinfra: /shared goes over TCP: its client would not take EFA" >&2
    fi
    rm -rf "$folder"
  fi
fi

mkdir -p /shared /etc/systemd/system/gpuinfra-job.service.d
sed -i '\|[[:space:]]/shared[[:space:]]|d' /etc/fstab
echo "$LUSTRE_DNS@tcp:/$LUSTRE_NAME /shared lustre noatime,flock,_netdev,nosuid,nodev 0 0" >>/etc/fstab
cat >/etc/systemd/system/gpuinfra-job.service.d/shared.conf <<'UNIT'
[Unit]
RequiresMountsFor=/shared
UNIT
systemctl daemon-reload
if ! mountpoint -q /shared; then
  retry mount /shared
  chmod 1777 /shared
fi
# Small files on one server, large ones over many; of files that come from now on:
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance-tips.html#striping-pfl
lfs setstripe -E 100M -c 1 -E 10G -c 8 -E 100G -c 16 -E -1 -c 32 /shared ||
  echo "gpuinfra: /shared keeps its own striping" >&2
