# https://docs.cloud.google.com/storage/docs/cloud-storage-fuse/install
if [[ $(gcsfuse --help 2>&1 || true) != *--profile* ]]; then # absent, or too old for profiles
  add_repository gcsfuse https://packages.cloud.google.com/apt/doc/apt-key.gpg \
    "https://packages.cloud.google.com/apt gcsfuse-$(. /etc/os-release && echo "$VERSION_CODENAME") main"
  install_packages gcsfuse
fi

mount_bucket() { # folder, bucket, prefix, read or write
  local folder=$1 bucket=$2 prefix=$3 mode=$4 profile=aiml-training
  # No client for hierarchical namespaces: it asks for the layout of the whole bucket, which a
  # grant on one prefix refuses.
  local options=(--implicit-dirs --enable-hns=false -o allow_other)
  if [[ $mode == write ]]; then
    profile=aiml-checkpointing
    # The profile keeps what it knows of a file forever; other machines write these files too.
    options+=(--metadata-cache-ttl-secs 0 --dir-mode 0777 --file-mode 0666)
  else
    if [[ $reader == docker.service ]]; then profile=aiml-serving; fi
    options+=(-o ro)
  fi
  if [[ -n $prefix ]]; then options+=(--only-dir "${prefix%/}"); fi
  mount_service "$folder" "$bucket" gcsfuse --profile "$profile" "${options[@]}" "$bucket" "$folder"
}
