# Flags: https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md
case $(uname -m) in aarch64) machine=arm64 ;; *) machine=x86_64 ;; esac
install_package mount-s3 \
  "https://s3.amazonaws.com/mountpoint-s3-release/latest/$machine/mount-s3.deb" \
  "https://s3.amazonaws.com/mountpoint-s3-release/latest/$machine/mount-s3.rpm"

mount_bucket() { # folder, bucket, prefix, read or write
  local folder=$1 bucket=$2 prefix=$3 mode=$4 options=(--allow-other) cached=()
  if [[ -n $prefix ]]; then options+=(--prefix "$prefix"); fi
  if [[ $mode == write ]]; then
    # 10,000 parts make an object; with 64 MiB it ends at 625 GiB, by default at 78 GiB.
    options+=(--allow-delete --allow-overwrite --write-part-size "${WRITE_PART_SIZE:-67108864}")
    options+=(--dir-mode 0777 --file-mode 0666)
  else
    options+=(--read-only)
    # A cache of their own each, as two mounts must not share one.
    if [[ -x /usr/local/bin/gpuinfra-cached ]]; then
      cached=(gpuinfra-cached "${folder//\//_}")
    fi
  fi
  mount_service "$folder" "$bucket" "${cached[@]}" mount-s3 "$bucket" "$folder" "${options[@]}"
}
