add_repository() { # name, address of its key, its line without "deb [signed-by=…]"
  local name=$1 key=$2 line=$3 keyring=/usr/share/keyrings/gpuinfra-$1.asc
  if ! command -v apt-get >/dev/null; then
    echo "gpuinfra: this image has no apt-get; put what $name brings into it" >&2
    return 1
  fi
  retry curl -fsSL -o "$keyring" "$key"
  if ! grep -q 'BEGIN PGP' "$keyring"; then # apt tells the two forms of a key by the file's name
    mv "$keyring" "${keyring%.asc}.gpg"
    keyring=${keyring%.asc}.gpg
  fi
  echo "deb [signed-by=$keyring] $line" >"/etc/apt/sources.list.d/gpuinfra-$name.list"
  retry apt-get -qq -o DPkg::Lock::Timeout=300 update
}

install_packages() {
  retry env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y -o DPkg::Lock::Timeout=300 install "$@"
}

ask_metadata() { # path below computeMetadata/v1
  curl -fsS -H 'Metadata-Flavor: Google' \
    "http://metadata.google.internal/computeMetadata/v1/$1"
}
